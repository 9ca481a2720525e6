#pragma once
#include <optional>

#include "solvers/train/batches.h"
#include "solvers/train/checkpoint.h"
#include "solvers/train/judge.h"
#include "solvers/train/loss_objective.h"
#include "solvers/train/run_log.h"
#include "solvers/train/speed.h"
#include "solvers/train/train.h"
#include "solvers/train/warnings.h"

namespace pinn {

/// A run at work: TrainState, and what makes it change.
class Session {
 public:
  Session(const Run& run, const TrainRequest& request);
  /// All stages that are left, or up to a signal or the time limit.
  TrainResult run_stages();

 private:
  /// Whether a step was the last of its stage, or of all training, and why if not by its number.
  struct Ending {
    bool stage = false, training = false;
    std::string why = {};
  };

  TrainState begin(const TrainRequest& request);
  TrainState first_or_resumed(const TrainRequest& request);
  void start_stage();
  std::string run_stage();
  Ending steps();
  Move advance();
  std::int64_t steps_until_due() const;
  void settle();
  void set_points(std::size_t r);
  int redraw_every(std::size_t r) const;
  void redraw_if_due();
  bool takes_batches() const;
  void take_batches();
  void judge();
  void heed(const Gap& gap);
  bool matters(const Gap& gap, std::span<const double> p);
  double first_loss() const;
  std::vector<double> judged_columns() const;
  void record(bool end_of_stage);
  bool out_of_patience() const;
  [[noreturn]] void diverged(const Loss::Result& loss);
  RunRecord record_here() const;
  void save();
  void write_checkpoint();
  bool try_to_save();
  void save_if_due();
  void tell();
  void tell(const Warnings& found);
  ProgressView view() const;
  void write_status(const std::string& doing);
  TrainResult pause(const std::string& why);
  TrainResult finish();
  Warnings unsolved(std::span<const double> p);
  TrainResult result();

  double seconds() const;
  std::span<const double> parameters() const { return state_.parameters.data<double>(); }
  std::vector<std::pair<std::string, double>> unknowns(std::span<const double> p) const;
  std::size_t stages() const { return run_.stages.size(); }
  const Stage& stage() const { return run_.stages[std::size_t(state_.stage)]; }
  OptimizerMemory& memory() { return state_.memory[std::size_t(state_.stage)]; }

  const Run& run_;
  const double started_;
  RunFolder folder_;
  FileSystem& files_;  ///< the folder's
  RunLog log_;
  ThreadPool pool_;
  std::shared_ptr<const Model> model_;
  LossOptions loss_options_;  ///< in float64; a stage may ask for another type
  Judge judge_;
  TrainState state_;
  TrainState last_finite_;  ///< as judged, without its history
  Verdict verdict_;         ///< on the model that was judged last; empty before
  int alarms_ = 0;          ///< in a row, that the points are learned by heart
  bool alarm_given_ = false;
  double seconds_before_, saved_at_;
  Warnings warnings_;     ///< told in this sitting
  bool unsaved_ = false;  ///< the disk refused the last checkpoint, and that was told

  // Of the stage at work.
  std::optional<Loss> loss_;
  std::vector<std::optional<Batches>> batches_;  ///< of requirements with more points than a step
  std::optional<LossObjective> objective_;
  std::unique_ptr<Optimizer> optimizer_;
  SpeedMeter speed_;
};

}  // namespace pinn
