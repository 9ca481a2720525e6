#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/files/disk.h"

namespace pinn {

/// A file that grows by whole pieces: each is put there by a single write(2), so that who reads it
/// meanwhile sees whole ones. What a disk took but a part of is completed or taken back; the worst
/// that a kill leaves is one torn piece at the end.
class AppendedFile {
 public:
  /// Opens a file that is there. Errors: FileError.
  AppendedFile(const std::string& path, FileSystem& files);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;

  /// Errors: FileError; then no part of the piece is there.
  void append(std::string_view piece);

 private:
  const std::string path_;
  FileSystem& files_;
  const int file_;
};

class JsonObject;

/// A record of a run at work, as a line of metrics.jsonl has it.
struct MetricRecord {
  std::int64_t step = 0;
  std::int64_t window = 0;  ///< of time, from 1; 0 where there is but one
  std::string stage;
  /// By name: what was recorded of the training, then seconds and speed. Those that are finite.
  std::vector<std::pair<std::string, double>> numbers = {};

  /// A number by its name; NaN where there is none.
  double at(std::string_view name) const;
  /// Seconds of training.
  double seconds() const { return at("seconds"); }
};

/// All of it but the step.
JsonObject to_json(const MetricRecord& record);

/// Record in a line of metrics.jsonl; nothing where it is none, or torn. Numbers that are null are
/// left out.
std::optional<MetricRecord> record_in(std::string_view line);

/// The records of a metrics.jsonl; none where there is no such file. Lines that are none are passed
/// over.
///
///   errors   FileError
std::vector<MetricRecord> records_in(const std::string& metrics_file);

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
