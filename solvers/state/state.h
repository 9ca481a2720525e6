#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "autograd/tape/tensor.h"
#include "solvers/optimize/optimizer.h"
#include "solvers/state/run.h"
#include "solvers/state/speed.h"
#include "solvers/state/weighting.h"

namespace pinn {

/// Which points of a requirement are in use. Drawn ones are a function of seed and draw, so not
/// stored; those that training chose are here, and so are weights of points.
struct Draw {
  std::uint32_t count = 0;           ///< redraws so far
  std::int64_t step = 0;             ///< the total step of the last one
  std::vector<double> x = {};        ///< [points, coordinates] chosen; empty: as drawn
  std::vector<double> normals = {};  ///< [points, coordinates] of these, or empty
  std::vector<double> weights = {};  ///< [points, 1 or residuals]; empty: all 1
  /// Concentration of the residual when points were last chosen (data/sampling/adaptive.h); NaN
  /// before.
  double concentration = std::numeric_limits<double>::quiet_NaN();
};

/// Memory of the schemes that change weights, since the stage began.
struct Weighting {
  std::vector<double> first = {};                ///< losses of the terms then, or empty
  std::vector<double> before = {};               ///< ... and at the last change
  std::int64_t changes = 0;                      ///< of terms
  std::vector<PointFactors> points = {};         ///< one per requirement
  std::vector<std::vector<double>> causal = {};  ///< likewise: of its points, or empty
};

/// The latest parameters that were about as good as any: a few held-out points decide which of two
/// close residuals is smaller, and of those the later is further trained.
struct BestModel {
  /// How many times the smallest held-out residual so far one may be.
  static constexpr double about_as_good = 1.5;

  std::vector<double> parameters;  ///< empty before the first evaluation
  double residual = std::numeric_limits<double>::infinity();
  std::int64_t step = -1;  ///< the total step at which it was found
  double smallest = std::numeric_limits<double>::infinity();  ///< residual of all so far
  std::int64_t smallest_step = -1;
  /// As judged, by name: distances from the reference, and numbers of `[output.values]`; NaN where
  /// one is none. Of the window at work; of all time once the last is done.
  std::map<std::string, double> errors = {}, values = {};

  /// Takes the parameters of a step in, if their held-out residual allows; whether it did.
  bool offer(std::span<const double> p, double held_out, std::int64_t at);
};

/// Result of a window of time that is done.
struct FinishedWindow {
  BestModel best;
  std::int64_t end = 0;  ///< the total step at which the next one began
};

/// Steps from one record to the next.
inline constexpr std::int64_t record_every = 10;
/// Steps over which every record is kept; over twice as many every second one, over four times as
/// many every fourth, and so on.
inline constexpr std::int64_t all_kept = 100'000;

/// True if a record is among those kept so many steps away. Which are kept depends on nothing but
/// these two numbers, and what is not kept at one distance is at no larger one.
bool is_kept(std::int64_t step, std::int64_t distance);

/// Every loss term over the recorded steps: all of the last, and ever fewer before, so that it
/// grows with the logarithm of the steps. Whenever a multiple of `all_kept` steps is passed, the
/// records that is_kept does not keep at their distance from the step are dropped, but the first.
struct LossHistory {
  /// "loss", then a name per term; "held_out", "held_out:NAME" and "largest:NAME" of each term;
  /// "error:u" where a reference is known; "unknown:nu".
  std::vector<std::string> columns;
  std::vector<std::int64_t> steps;  ///< total step of each record
  std::vector<double> values;       ///< [steps, columns]; NaN: not evaluated, or too large
  std::vector<Speed> speed = {};    ///< one per record, since the one before; as a clock has it

  /// Drops what is to be dropped, and adds. Errors: ShapeError when there is not one value per
  /// column.
  void add(std::int64_t step, const std::vector<double>& row, const Speed& speed = {});
  /// Records other columns from now on: a new one is NaN so far, and one left out is forgotten.
  void set_columns(const std::vector<std::string>& names);
  /// Drops the records behind a step.
  void cut(std::int64_t step);

 private:
  template <class Keep> void keep_if(Keep keep);
};

/// All that changes while training. What is not in here, a resumed run does not depend on; so it
/// goes on bit for bit.
struct TrainState {
  Tensor parameters;                    ///< float64 [P], flat; unknowns at the tail
  std::vector<OptimizerMemory> memory;  ///< one per stage begun
  std::int64_t stage = 0;       ///< the stage in progress, from 0; the number of stages at the end
  std::int64_t stage_step = 0;  ///< steps made in it
  std::int64_t step = 0;        ///< steps made in all stages
  /// How far the ramp of the stage is, in steps of it: ahead of stage_step where nothing was left
  /// to do at a level.
  std::int64_t ramp_step = 0;
  std::vector<double> average;  ///< mean of the parameters along a stage that asks for it; or empty
  std::vector<Draw> draws;      ///< one per requirement
  std::vector<double> weights;  ///< one per loss term
  Weighting weighting;
  BestModel best;
  std::int64_t steps_without_better = 0;  ///< since the held-out residual last fell
  LossHistory history;
  double seconds = 0;  ///< trained so far, in all sittings
  /// The windows of time before the one at work, of which all else is, but for step, history and
  /// seconds.
  std::vector<FinishedWindow> finished;

  /// The total step at which the window at work began.
  std::int64_t window_start() const { return finished.empty() ? 0 : finished.back().end; }
};

/// The stage that a run is in.
inline const Stage& stage_of(const Run& run, const TrainState& state) {
  return run.stages[std::size_t(state.stage)];
}

/// True if the smallest held-out residual of the latest `gain.steps` steps is less than
/// `gain.factor` times below that of all before in the window at work. Never in the first steps of
/// a stage.
bool gains_too_little(const GainOptions& gain, const TrainState& state);

/// A state of its own: later moves of the original leave it alone. (Tensors share their array.) The
/// history, which only grows, stays with the original.
TrainState copy_without_history(const TrainState& state);

}  // namespace pinn
