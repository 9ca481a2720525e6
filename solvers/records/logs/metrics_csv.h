#pragma once
#include <optional>
#include <string>
#include <vector>

#include "solvers/records/logs/appended_file.h"
#include "solvers/records/logs/metric_record.h"

namespace pinn {

/// metrics.csv of a run: what metrics.jsonl has, as a table. Its columns are step, window where
/// there are several, stage, those that were asked for and whatever else the records have; seconds
/// and speed stand last. A number that a record lacks is empty.
class MetricsCsv {
 public:
  /// Writes the file anew with the records so far, in one piece.
  ///
  ///   columns  names to expect, in order
  ///   errors   FileError
  MetricsCsv(const std::string& path, const std::vector<MetricRecord>& before,
             const std::vector<std::string>& columns, FileSystem& files);

  /// True if there is a column for each number of a record; where not, the file is to be written
  /// anew.
  bool has_columns_of(const MetricRecord& record) const;
  /// Errors: FileError.
  void append(const MetricRecord& record);

 private:
  std::string header() const;
  std::string line(const MetricRecord& record) const;

  bool windows_ = false;
  std::vector<std::string> names_;
  std::optional<AppendedFile> file_;
};

}  // namespace pinn
