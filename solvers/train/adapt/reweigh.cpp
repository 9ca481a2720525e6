#include "solvers/train/adapt/reweigh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/train/adapt/weights.h"

namespace pinn {
namespace {

std::vector<double> picked(std::span<const double> values, const std::vector<std::size_t>& which) {
  std::vector<double> some;
  for (const std::size_t i : which) some.push_back(values[i]);
  return some;
}

/// |grad L_i| of some terms.
std::vector<double> gradient_norms(const std::vector<std::size_t>& terms, std::span<const double> p,
                                   Loss& loss) {
  std::vector<double> norms, gradient(p.size());
  for (const std::size_t i : terms) {
    std::vector<double> alone(loss.terms().size(), 0);
    alone[i] = 1;
    loss.set_weights(alone);
    loss.value_and_gradient(p, gradient);
    double square = 0;
    for (const double g : gradient) square += g * g;
    norms.push_back(std::sqrt(square));
  }
  return norms;
}

/// Mean of |row of J|^2 for each term, without its weight.
std::vector<double> traces(const Run& run, std::span<const double> p, Loss& loss) {
  constexpr std::size_t at_once = 16;
  loss.set_weights(std::vector<double>(loss.terms().size(), 1));
  std::vector<double> squares(loss.squares().rows());
  loss.squares().jacobian(p, at_once, [&](const JacobianRows<double>& rows) {
    for (std::size_t i = 0; i < rows.count; ++i)
      for (std::size_t k = 0; k < p.size(); ++k)
        squares[rows.first + i] += rows.row(i)[k] * rows.row(i)[k];
  });
  std::vector<double> sums;
  std::size_t row = 0;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    for (std::size_t k = 0; k < terms_in(run, r); ++k) {
      sums.push_back(0);
      for (std::size_t i = 0; i < loss.rows(r); ++i) sums.back() += squares[row++];
    }
  return sums;
}

void reweigh_terms(const Run& run, TrainState& state, Loss& loss) {
  const Stage& stage = stage_of(run, state);
  const WeightingOptions& options = stage.weighting;
  Weighting& memory = state.weighting;
  const std::vector<std::size_t> which = weighed_terms(run);
  const std::span<const double> p = state.parameters.data<double>();
  TermFigures figures{.weights = picked(state.weights, which)};
  if (asks_gradients(options.kind)) {
    figures.gradients = gradient_norms(which, p, loss);
  } else if (asks_jacobian(options.kind)) {
    figures.traces = picked(traces(run, p, loss), which);
  } else {
    const std::vector<double> now = loss.value(p).terms;
    figures.losses = picked(now, which);
    if (!memory.before.empty()) {
      figures.before = picked(memory.before, which);
      figures.first = picked(memory.first, which);
    }
    if (memory.first.empty()) memory.first = now;
    memory.before = now;
  }
  const Random random{run.options.seed, stream(stage.name, "weights"),
                      std::uint32_t(memory.changes++)};
  const std::vector<double> next = next_weights(options, figures, random);
  for (std::size_t i = 0; i < which.size(); ++i) state.weights[which[i]] = next[i];
  loss.set_weights(state.weights);
}

}  // namespace

bool weighs_terms(const Run& run) {
  return std::ranges::any_of(run.stages,
                             [](const Stage& stage) { return !stage.weighting.kind.empty(); });
}

std::vector<std::size_t> weighed_terms(const Run& run) {
  std::vector<std::size_t> which;
  std::size_t k = 0;
  for (const Requirement& r : run.problem.requirements)
    for (const LossTerm& term : terms_of(r, run.problem)) {
      if (r.adapt && term.weight > 0) which.push_back(k);
      ++k;
    }
  return which;
}

bool is_reweighing_due(const Run& run, const TrainState& state) {
  return is_due(every(stage_of(run, state).weighting), state) || are_points_due(run, state);
}

std::int64_t steps_to_reweighing(const Run& run, const TrainState& state) {
  const Stage& s = stage_of(run, state);
  std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  for (const long e : {every(s.weighting), every(s.pointwise), every(s.causal)})
    if (e > 0) steps = std::min<std::int64_t>(steps, e - state.stage_step % e);
  return steps;
}

bool reweigh(const Run& run, TrainState& state, Loss& loss) {
  if (are_points_due(run, state)) reweigh_points(run, state, loss);
  const bool terms = is_due(every(stage_of(run, state).weighting), state);
  if (terms) reweigh_terms(run, state, loss);
  return terms;
}

std::string weights_text(const std::vector<LossTerm>& terms, std::span<const double> weights) {
  std::string text;
  for (std::size_t k = 0; k < terms.size(); ++k)
    text += fmt::format("{}{} {:.3g}", k > 0 ? ", " : "", terms[k].name, weights[k]);
  return text;
}

}  // namespace pinn
