#pragma once
#include "solvers/residual/loss/loss.h"
#include "solvers/results/reference_error.h"
#include "solvers/results/results.h"
#include "solvers/results/values.h"
#include "solvers/state/state.h"

namespace pinn {

/// Verdict on a model, in float64.
struct Verdict {
  Loss::Result held_out = {};           ///< the loss at points that training never sees
  std::vector<double> largest = {};     ///< residual there in absolute value, of each term
  std::vector<Distance> errors = {};    ///< from the reference, of each field that has one
  std::vector<FoundValue> values = {};  ///< of `[output.values]`, integrated roughly
};

/// How much larger the residual is where the model was not trained.
struct Gap {
  double training = 0, held_out = 0;  ///< weighted sums over the terms whose points are drawn
  std::string worst;                  ///< the term that contributes most to the difference
};

/// Keeps with a network what was said of it beside its residual.
void keep_figures(BestModel& best, const Run& run, const std::vector<Distance>& errors,
                  const std::vector<FoundValue>& values);

/// Judges models: by their residual at points that training never sees, which decides which one is
/// best, and by their distance from the reference, which decides nothing.
class Judge {
 public:
  /// `loss` says how the step is computed; what is judged is in float64.
  Judge(const Run& run, std::shared_ptr<const Model> model, const LossOptions& loss,
        ThreadPool& pool);

  const std::vector<LossTerm>& terms() const { return loss_.terms(); }
  Verdict operator()(std::span<const double> p);
  /// The loss at the training points of these draws, all of them, without weights of theirs; one
  /// draw per requirement.
  Loss::Result training(std::span<const double> p, const std::vector<Draw>& draws);
  /// Data are left out: their points are all there is, so that none are held out.
  Gap gap(const Loss::Result& training, const Loss::Result& held_out) const;

  /// The fields, derivatives and defines that have a reference.
  const std::vector<std::string>& fields() const { return reference_.names(); }

 private:
  void take_held_out_points();

  const Run& run_;
  std::shared_ptr<const Model> model_;
  ThreadPool& pool_;
  Loss loss_;                ///< at the held-out points
  std::vector<bool> drawn_;  ///< whether a term's points are
  ReferenceError reference_;
  const ValueMeter values_;
  const std::shared_ptr<StepCache> cache_;
};

/// A residual that is ten times larger at held-out points than where it was trained is no noise of
/// sampling: the points were learned by heart. `scale` is a loss that the run began with; what is
/// 1e-20 of it is rounding.
bool learned_by_heart(const Gap& gap, double scale);

/// Report on the model of a step that has learned its points by heart.
Report report(const Gap& gap, std::int64_t step);

}  // namespace pinn
