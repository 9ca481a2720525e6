#pragma once
#include <map>
#include <optional>

#include "solvers/points/adaptive_points.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/logs/progress.h"
#include "solvers/residual/loss/loss.h"
#include "solvers/results/results.h"
#include "solvers/state/speed.h"
#include "solvers/state/state.h"
#include "solvers/train/loss_objective.h"
#include "solvers/train/train.h"
#include "solvers/train/trained_part.h"
#include "solvers/watch/advice.h"
#include "solvers/watch/judge.h"

namespace pinn {

/// Host of a training: what it asks of the run that it is part of.
struct TrainingHost {
  virtual ~TrainingHost() = default;
  virtual void note(const std::string& text) = 0;
  virtual void tell(const Warnings& found) = 0;
  /// How fast all trainings of the run are.
  virtual SpeedMeter& speed() = 0;
  /// The latest record of the history, whose values these are.
  virtual void recorded(const std::vector<double>& row, bool end_of_stage) = 0;
  /// The loss is no longer finite, and the state is one to keep: where it is kept now, or "".
  virtual std::string diverged() = 0;
};

/// Training of one network through all stages: the model, what judges it, its points and weights,
/// the stage at work. It changes the state that it is given, and knows no file, signal or time
/// limit.
class Training {
 public:
  /// Ending of a step: true if it was the last of its stage, or of all training, and why if not by
  /// its number.
  struct Ending {
    bool stage = false, training = false;
    std::string why = {};
  };

  /// `run` and its model are of one window; `loss` says how steps are computed, but for the way of
  /// derivatives. All of these outlive it.
  Training(const Run& run, std::shared_ptr<const Model> model, const LossOptions& loss,
           ThreadPool& pool, TrainState& state, TrainingHost& host);

  const std::shared_ptr<const Model>& model() const { return model_; }
  const std::vector<LossTerm>& terms() const { return judge_.terms(); }
  /// The state is there: training begins with it, or goes on.
  void begin();

  const Stage& stage() const { return run_.stages[std::size_t(state_.stage)]; }
  bool is_done() const { return state_.stage >= std::int64_t(run_.stages.size()); }
  /// Makes all that the state's stage works with; whether the stage is at its end already.
  Ending start_stage();
  /// One step, or some that are made at once; judged and recorded when that is due.
  Ending steps();
  /// The next stage is that of the state, or none.
  void end_stage(const Ending& end);
  /// Makes the state whole: while steps are made at once, what the optimizer remembers stays there.
  void settle();
  /// There is a best network from then on.
  void require_best();

  ProgressView view() const;
  /// The loss where it was asked last; NaN before.
  double loss() const;
  /// On the network that was judged last; empty before.
  const Verdict& verdict() const { return verdict_; }
  std::vector<std::pair<std::string, double>> unknowns(std::span<const double> p) const;

  /// Judged anew, all of it: the result is the best network, and its figures are no older than
  /// itself. Files and promises are for the run to add.
  /// `errors` are from the reference; none: those of this window.
  TrainResult result(const std::optional<std::vector<Distance>>& errors = {});

 private:
  bool make_loss();
  void make_objective();
  Objective& objective() { return part_ ? static_cast<Objective&>(*part_) : *objective_; }
  std::shared_ptr<const Model> model_in_force();
  void ramp_to(std::int64_t step);
  void ramp_if_due();
  double enough() const;
  double constant(const std::string& name) const;
  Move advance();
  void average_if_due();
  void go_on_from_average();
  std::int64_t steps_until_due() const;
  void set_points(std::size_t r);
  std::int64_t steps_to_redraw(std::size_t r) const;
  Draw next_draw(std::size_t r);
  void redraw_if_due();
  void reweigh_if_due();
  Loss::Result training_loss();
  bool takes_batches() const;
  /// True if no two steps see the same points and directions.
  bool changes_each_step() const;
  void draw_directions();
  void take_batches();
  void judge();
  void judge_average(double own);
  void judge_best_anew();
  void heed(const Gap& gap);
  bool matters(const Gap& gap, std::span<const double> p);
  std::vector<Balance> balance(std::span<const double> p);
  std::vector<Balance> first_balance();
  double first_loss() const;
  std::vector<double> judged_columns() const;
  std::vector<double> in_history(const std::vector<double>& row) const;
  void record(bool end_of_stage);
  std::string reason_to_end_stage() const;
  [[noreturn]] void diverged(const Loss::Result& loss);
  Warnings unsolved(std::span<const double> p);

  std::span<const double> parameters() const { return state_.parameters.data<double>(); }
  OptimizerMemory& memory() { return state_.memory[std::size_t(state_.stage)]; }

  const Run& run_;
  ThreadPool& pool_;
  TrainingHost& host_;
  std::shared_ptr<const Model> model_;
  const LossOptions loss_options_;  ///< in float64; a stage may ask for another type
  Judge judge_;
  const std::vector<std::string> columns_;  ///< of the history, that are its own
  std::optional<Survey> survey_;            ///< once it is asked for
  TrainState& state_;
  TrainState last_finite_;  ///< as judged, without its history
  Verdict verdict_;
  std::vector<std::shared_ptr<Model>> ramped_;  ///< with constants on their way
  int alarms_ = 0;                              ///< in a row, that the points are learned by heart
  bool alarm_given_ = false;

  // Objects of the stage at work.
  std::optional<Loss> loss_;
  std::vector<std::optional<Batches>> batches_;  ///< of requirements with more points than a step
  std::optional<LossObjective> objective_;
  std::optional<PartObjective> part_;  ///< of it, where the stage trains but a part
  bool ramping_ = false;               ///< the loss is of other constants than the problem
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace pinn
