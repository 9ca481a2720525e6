#pragma once
#include <optional>

#include "solvers/train/folder.h"
#include "solvers/train/metrics.h"
#include "solvers/train/progress.h"

namespace pinn {

/// What a run tells while it works: progress and messages on stderr, metrics.jsonl and status.json
/// in its folder. A disk that refuses one of these is a warning, said once: training is worth more.
class RunLog {
 public:
  RunLog(const RunFolder& folder, ProgressStyle style, FileSystem& files);

  void note(const std::string& text);  ///< of interest; not under --quiet
  void warn(const std::string& text);  ///< always
  Progress& progress() { return progress_; }

  /// Opens metrics.jsonl; see Metrics for `step`.
  void open_metrics(std::int64_t step);
  void metrics(std::int64_t step, const JsonObject& line);
  void status(const JsonObject& status);
  /// Whether the last status is old enough to be written anew.
  bool status_due() const;

 private:
  template <class Write> void try_to(Write&& write);

  const std::string metrics_file_, status_file_;
  const ProgressStyle style_;
  FileSystem& files_;
  Progress progress_;
  std::optional<Metrics> metrics_;
  double status_at_ = 0;
  bool warned_ = false;
};

}  // namespace pinn
