#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/disk.h"
#include "solvers/records/logs/event_file.h"
#include "solvers/records/logs/metric_record.h"
#include "solvers/records/logs/progress.h"
#include "solvers/state/speed.h"

namespace pinn {

/// One JSON object on one line, its entries in the order they were added. Numbers that JSON cannot
/// say (NaN, infinities) become null.
class JsonObject {
 public:
  JsonObject& add(std::string_view name, double value);
  JsonObject& add(std::string_view name, std::int64_t value);
  JsonObject& add(std::string_view name, std::string_view value);
  JsonObject& add(std::string_view name, const JsonObject& value);
  JsonObject& add(std::string_view name, const std::vector<JsonObject>& values);
  JsonObject& add(std::string_view name, const std::vector<std::string>& values);
  JsonObject& add(std::string_view name, std::span<const double> values);

  std::string text() const { return "{" + entries_ + "}"; }

 private:
  JsonObject& raw(std::string_view name, std::string_view value);

  std::string entries_;
};

/// Adds what is known of a speed.
void add_speed(JsonObject& json, const Speed& speed);

/// metrics.jsonl of a run: one line per record. A torn line, which a kill may leave at its end, is
/// cut off when the run goes on.
class Metrics {
 public:
  /// Opens the file. Records behind `step` are cut off: the run that made them did not save the
  /// state, so a resumed run makes them again. -1: starts an empty file.
  Metrics(const std::string& path, std::int64_t step, FileSystem& files);

  /// Appends {"step":STEP,...}.
  ///
  ///   errors   FileError; training may go on without
  void append(std::int64_t step, const JsonObject& values);

 private:
  std::optional<AppendedFile> file_;
};

/// Which files besides metrics.jsonl have the records of a run.
struct RecordFiles {
  bool csv = false, events = false;
};

/// Log of a run while it works: progress and messages on stderr, records of the training and
/// status.json in its folder. A disk that refuses one of these is a warning, said once: training is
/// worth more. What cannot be opened is tried again, ever more seldom, and at the end: it has all
/// records then.
class RunLog {
 public:
  RunLog(const std::string& folder, ProgressStyle style, FileSystem& files);
  RunLog();  ///< tells and writes nothing
  ~RunLog();
  RunLog(const RunLog&) = delete;

  void note(const std::string& text);  ///< of interest; not under --quiet
  void warn(const std::string& text);  ///< always
  Progress& progress() { return progress_; }

  /// Opens the files of records; see Metrics for `step`.
  ///
  ///   columns  the names of what will be recorded, as far as they are known
  ///   seconds  trained so far
  void open_metrics(std::int64_t step, const RecordFiles& wanted,
                    const std::vector<std::string>& columns, double seconds);
  void metrics(const MetricRecord& record);
  void status(const JsonObject& status);
  /// True if the last status is old enough to be written anew.
  bool status_due() const;

 private:
  template <class Write> bool try_to(Write&& write);
  bool is_all_open() const;
  void open_records();
  void append_waiting();
  void try_again();
  void tabulate(const MetricRecord& record);

  const std::string folder_, metrics_file_, csv_file_, status_file_;
  const ProgressStyle style_;
  FileSystem* const files_;  ///< null: nothing is written
  Progress progress_;
  std::vector<std::string> columns_;
  std::optional<Metrics> metrics_;
  /// The argument of open_metrics; nothing before.
  struct MetricsRequest {
    std::int64_t step;
    RecordFiles files;
    double seconds;
  };
  std::optional<MetricsRequest> metrics_request_;
  std::vector<MetricRecord> waiting_;  ///< for metrics.jsonl, while the disk refuses them
  std::uint64_t refused_ = 0;          ///< records that came while a file was not open
  std::unique_ptr<MetricsCsv> csv_;
  std::optional<EventFile> events_;
  double status_at_ = 0;
  bool warned_ = false;
};

}  // namespace pinn
