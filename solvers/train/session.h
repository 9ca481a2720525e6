#pragma once
#include <optional>

#include "solvers/train/checkpoint.h"
#include "solvers/train/loss_objective.h"
#include "solvers/train/metrics.h"
#include "solvers/train/reference_error.h"
#include "solvers/train/train.h"

namespace pinn {

/// A run at work: everything that surrounds TrainState while it changes.
class Session {
 public:
  Session(const Run& run, const TrainRequest& request);
  TrainResult run_stages();

 private:
  void begin();
  void adopt(const std::string& run_folder);
  void start_stage();
  void give_points(Loss& loss);
  void redraw_if_due();
  std::string run_stage();
  Move advance();
  void judge();
  void record();
  void save();
  void save_if_due();
  [[noreturn]] void diverged(double loss);
  std::string reason_to_pause() const;
  ProgressView view() const;
  void write_status(const std::string& state) const;
  TrainResult finish();
  const Stage& stage() const { return run_.stages[std::size_t(state_.stage)]; }
  OptimizerMemory& memory() { return state_.memory[std::size_t(state_.stage)]; }

  const Run& run_;
  const TrainRequest& request_;
  double started_, saved_at_, seconds_before_ = 0;
  FileSystem files_;
  RunFolder folder_;
  Progress progress_;
  ThreadPool pool_;
  std::shared_ptr<const Model> model_;
  std::vector<Derivatives> derivatives_;
  ReferenceError reference_;
  std::optional<Loss> held_out_;
  std::optional<Loss> loss_;
  std::optional<LossObjective> objective_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<Metrics> metrics_;
  TrainState state_;
  TrainState last_finite_;
  std::vector<double> errors_;
};

}  // namespace pinn
