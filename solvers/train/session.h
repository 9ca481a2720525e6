#pragma once
#include <functional>
#include <optional>

#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/records/logs/run_log.h"
#include "solvers/results/results.h"
#include "solvers/state/windows.h"
#include "solvers/train/train.h"
#include "solvers/train/training.h"
#include "solvers/watch/warnings.h"

namespace pinn {

/// A run at work: TrainState and the training that changes it, and around them the folder, the log,
/// signals and time. Of several ranks each has a session; the first one has the folder, and tells
/// and writes.
class Session : private TrainingHost {
 public:
  Session(const Run& run, const TrainRequest& request);
  /// All stages that are left, or up to a signal or the time limit.
  TrainResult run_stages();

 private:
  std::string open_folder(const TrainRequest& request);
  void open_training();
  void begin(const TrainRequest& request);
  Found recovered();
  void adopt(const TrainRequest& request);
  std::string run_stage();
  std::string reason_to_pause();
  void next_window();

  void note(const std::string& text) override { log_.note(text); }
  void tell(const Warnings& found) override;
  SpeedMeter& speed() override { return speed_; }
  void recorded(const std::vector<double>& row, bool end_of_stage) override;
  std::string diverged() override;

  RunRecord record_here() const;
  void save();
  void write_checkpoint();
  bool try_to_save();
  bool of_first(bool yes);
  bool has_long_steps() const;
  void save_if_due();
  void save_if_worth_it();
  void tell();
  ProgressView view() const;
  void write_status(const std::string& doing);
  TrainResult pause(const std::string& why);
  TrainResult finish();
  struct Figures {
    std::optional<std::vector<Distance>> errors = {};  ///< over all time; none: there is one window
    std::vector<FoundValue> values = {};
  };
  Figures save_with_figures();
  std::optional<std::vector<Distance>> errors_over_time();

  double seconds() const;
  std::span<const double> parameters() const { return state_.parameters.data<double>(); }

  const Run& run_;
  const double started_;
  Ranks& ranks_;
  std::optional<RunFolder> folder_;  ///< of rank 0
  const std::string path_;           ///< the folder's
  RunLog log_;
  ThreadPool pool_;
  const LossOptions loss_options_;  ///< of all losses, but for the way of derivatives
  TrainState state_;
  Windows windows_;
  std::optional<Training> training_;  ///< of the window at work
  SpeedMeter speed_;
  const std::function<bool(const ProgressView&, double)> watch_;  ///< or none
  double watched_at_ = 0;
  std::string reason_;  ///< to pause
  double seconds_before_, saved_at_;
  double saving_takes_ = 0;         ///< seconds, the latest checkpoint
  Warnings warnings_;               ///< told in this sitting
  Trust trust_;                     ///< in the result, once there is one
  std::vector<FoundValue> values_;  ///< the same
  bool unsaved_ = false;            ///< the disk refused the last checkpoint, and that was told
};

}  // namespace pinn
