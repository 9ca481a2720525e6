#pragma once
#include "solvers/residual/loss/loss.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

/// The residual of a run at any points, in float64, by the compiled step's own rows.
class Survey {
 public:
  /// `loss` says how the step is computed.
  Survey(const Run& run, std::shared_ptr<const Model> model, const LossOptions& loss,
         ThreadPool& pool);

  /// Size of requirement r's residual at each point: the root of the sum of weight * r_k^2 over its
  /// residuals r_k. `weights`: of all loss terms.
  ///
  ///   errors   NumericsError where it is not finite
  std::vector<double> operator()(std::span<const double> p, std::span<const double> weights,
                                 std::size_t r, const PointSet& points);

 private:
  const Run& run_;
  std::vector<PointSet> samples_;  ///< of requirements that are not looked at: a loss needs some
  Loss loss_;
  std::vector<double> rows_;
};

/// True if a stage chooses the points of requirement r itself: not those of data, nor a single
/// point, nor where the requirement says no.
bool are_adaptive(const Run& run, const Stage& stage, std::size_t r);
/// True if any stage does.
bool are_adaptive(const Run& run, std::size_t r);

/// The steps of the stage at work from now to the next choice of points; 0 when it is due now. None
/// is made at the first step of a stage, and no two at one step.
std::int64_t steps_to_choice(const Run& run, const TrainState& state, std::size_t r);

/// The points of requirement r that the stage at work chooses now, by the residual of the state's
/// parameters; its count is one more than the state's, so that all that is drawn for it is new.
Draw chosen_points(const Run& run, const TrainState& state, std::size_t r, Survey& survey);

/// True if a redraw of that number is told: the first few, then ever fewer.
bool is_told(std::uint32_t count);

/// Location of the points: "2000 points, the middle half of them: x from -0.04 to 0.03, t from 0.5
/// to 0.9; a tenth of the region holds 93 % of the squared residual".
std::string points_text(const Problem& problem, const Draw& draw);

}  // namespace pinn
