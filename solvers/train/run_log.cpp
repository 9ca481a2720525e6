#include "solvers/train/run_log.h"

#include "autograd/core/error.h"
#include "solvers/problem/mistakes.h"
#include "solvers/train/signals.h"

namespace pinn {
namespace {

constexpr double status_every = 10;  ///< seconds: each one waits for the disk

}  // namespace

RunLog::RunLog(const RunFolder& folder, ProgressStyle style, FileSystem& files)
    : metrics_file_(folder.file("metrics.jsonl")),
      status_file_(folder.file("status.json")),
      style_(style),
      files_(files),
      progress_(style, standard_error()) {}

void RunLog::note(const std::string& text) {
  if (style_ != ProgressStyle::quiet) progress_.message(text);
}

void RunLog::warn(const std::string& text) { progress_.message(text); }

template <class Write> void RunLog::try_to(Write&& write) {
  try {
    write();
  } catch (const FileError& e) {
    if (!warned_) warn(warning_text(e.report) + "\n  training goes on without this record");
    warned_ = true;
  }
}

void RunLog::open_metrics(std::int64_t step) {
  try_to([&] { metrics_.emplace(metrics_file_, step, files_); });
}

void RunLog::metrics(std::int64_t step, const JsonObject& line) {
  if (metrics_) try_to([&] { metrics_->append(step, line); });
}

void RunLog::status(const JsonObject& status) {
  try_to([&] { write_atomically(status_file_, {status.text() + "\n"}, files_); });
  status_at_ = clock();
}

bool RunLog::status_due() const { return clock() - status_at_ > status_every; }

}  // namespace pinn
