#pragma once
#include <functional>
#include <optional>

#include "solvers/residual/loss.h"
#include "solvers/train/adapt/survey.h"
#include "solvers/train/files/checkpoint.h"
#include "solvers/train/files/run_log.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/run/loss_objective.h"
#include "solvers/train/train.h"
#include "solvers/train/warnings.h"
#include "solvers/train/watch/judge.h"
#include "solvers/train/watch/speed.h"

namespace pinn {

/// Where a new run begins: parameters as initialized, and nothing recorded.
TrainState first_state(const Run& run, const Model& model, const std::vector<LossTerm>& terms);

/// What a run records: the loss and its terms at the training points; at held-out points the loss,
/// its terms, and the largest residual of each; the errors of the fields that have a reference; the
/// unknowns; how concentrated the residual was when points were last chosen by it; the weights of
/// the terms where they change.
std::vector<std::string> history_columns(const Run& run, const std::vector<LossTerm>& terms,
                                         const std::vector<std::string>& reference_fields);

/// Gives the state the network of another run: its best model, or else its latest. Returns the file
/// that it came from.
///
///   errors   ConfigError when the folder holds no checkpoint, or one of another network;
///   FileError when that has another number of parameters than its network needs
std::string adopt(TrainState& state, const Model& model, const std::string& run_folder);

/// Where a run goes on: the newest good checkpoint of its folder, if there is one. `tell` gets what
/// was passed over and what changed since.
///
///   errors   ConfigError when something changed that may not, FileError when the checkpoint's own
///   sizes or counts are not those of the problem
std::optional<TrainState> resumed_state(const Run& run, const Model& model,
                                        const std::vector<LossTerm>& terms, RunFolder& folder,
                                        const std::function<void(const std::string&)>& tell);

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
  std::int64_t steps_to_redraw(std::size_t r) const;
  Draw next_draw(std::size_t r);
  void redraw_if_due();
  void reweigh_if_due();
  Loss::Result training_loss();
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
  std::optional<Survey> survey_;  ///< once it is asked for
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
