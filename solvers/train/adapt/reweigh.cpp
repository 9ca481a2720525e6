#include "solvers/train/adapt/reweigh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/train/point_sets.h"

namespace pinn {
namespace {

const Stage& stage_of(const Run& run, const TrainState& state) {
  return run.stages[std::size_t(state.stage)];
}

/// Steps between two changes of what a stage has; 0 of what it has not.
long every(const WeightingOptions& o) { return o.kind.empty() ? 0 : std::max(1L, o.every); }
long every(const PointwiseOptions& o) { return o.kind.empty() ? 0 : std::max(1L, o.every); }
long every(const CausalOptions& o) { return o.chunks == 0 ? 0 : std::max(1L, o.every); }

bool is_due(long every, const TrainState& state) {
  return every > 0 && state.stage_step % every == 0;
}

int time_of(const Problem& problem) {
  for (std::size_t i = 0; i < problem.coordinates.size(); ++i)
    if (problem.coordinates[i].role == Role::time) return int(i);
  return -1;
}

bool waits(const Run& run, const Stage& stage, std::size_t r) {
  const Requirement& requirement = run.problem.requirements[r];
  return stage.causal.chunks > 0 && requirement.kind == Requirement::Kind::equation &&
         requirement.adapt && time_of(run.problem) >= 0;
}

bool is_pointwise(const Run& run, const Stage& stage, std::size_t r) {
  const Requirement& requirement = run.problem.requirements[r];
  return !stage.pointwise.kind.empty() && requirement.adapt && !requirement.data;
}

std::size_t terms_in(const Run& run, std::size_t r) {
  return terms_of(run.problem.requirements[r], run.problem).size();
}

/// New points do not wait for the next change.
bool is_waiting_due(const Run& run, const TrainState& state, std::size_t r) {
  const Stage& stage = stage_of(run, state);
  return waits(run, stage, r) &&
         (is_due(every(stage.causal), state) || state.weighting.causal[r].empty());
}

bool are_points_due(const Run& run, const TrainState& state) {
  if (is_due(every(stage_of(run, state).pointwise), state)) return true;
  for (std::size_t r = 0; r < state.draws.size(); ++r)
    if (is_waiting_due(run, state, r)) return true;
  return false;
}

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

/// Of each term the mean of |row of J|^2, without its weight.
std::vector<double> traces(const Run& run, std::span<const double> p, Loss& loss) {
  constexpr std::size_t at_once = 16;
  loss.set_weights(std::vector<double>(loss.terms().size(), 1));
  std::vector<double> squares(loss.rows());
  loss.jacobian(p, at_once, [&](const JacobianRows<double>& rows) {
    for (std::size_t i = 0; i < rows.count; ++i)
      for (std::size_t k = 0; k < p.size(); ++k)
        squares[rows.first + i] += rows.row(i)[k] * rows.row(i)[k];
  });
  std::vector<double> sums;
  std::size_t row = 0;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    for (std::size_t k = 0; k < terms_in(run, r); ++k) {
      sums.push_back(0);
      for (std::size_t i = 0; i < loss.points(r); ++i) sums.back() += squares[row++];
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

/// The residuals of requirement r at its points, [points, terms], out of all rows of a loss whose
/// weights are 1.
std::vector<double> residuals_of(const Run& run, std::size_t r, const std::vector<double>& rows,
                                 const Loss& loss) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < r; ++i) first += loss.points(i) * terms_in(run, i);
  const std::size_t terms = terms_in(run, r), points = loss.points(r);
  std::vector<double> residuals(points * terms);
  for (std::size_t k = 0; k < terms; ++k)
    for (std::size_t i = 0; i < points; ++i)
      residuals[i * terms + k] = std::sqrt(double(points)) * rows[first + k * points + i];
  return residuals;
}

/// Of each point of requirement r what it waits with.
std::vector<double> waiting(const Run& run, const TrainState& state, std::size_t r,
                            const std::vector<double>& residuals) {
  const PointSet points = points_in_use(run, r, state.draws[r]);
  const std::size_t width = run.problem.coordinates.size(), terms = terms_in(run, r);
  const auto t = std::size_t(time_of(run.problem));
  const Coordinate& c = run.problem.coordinates[t];
  std::vector<double> time, squares;
  for (std::size_t i = 0; i < points.count; ++i) {
    time.push_back((points.x[i * width + t] - c.lower) / (c.upper - c.lower));
    squares.push_back(0);
    for (std::size_t k = 0; k < terms; ++k)
      squares.back() += residuals[i * terms + k] * residuals[i * terms + k];
  }
  return causal_weights(stage_of(run, state).causal, time, squares);
}

/// Weights a = c lam^2 of the points of requirement r.
void reweigh_points(const Run& run, TrainState& state, std::size_t r,
                    const std::vector<double>& residuals) {
  const Stage& stage = stage_of(run, state);
  Draw& draw = state.draws[r];
  PointFactors& factors = state.weighting.points[r];
  const std::size_t terms = terms_in(run, r);
  if (is_pointwise(run, stage, r) && is_due(every(stage.pointwise), state))
    change_factors(stage.pointwise, residuals, terms, factors);
  if (is_waiting_due(run, state, r)) state.weighting.causal[r] = waiting(run, state, r, residuals);
  const std::vector<double>& causal = state.weighting.causal[r];
  const std::size_t each = draw.weights.size() * terms / residuals.size();  // weights of a point
  for (std::size_t i = 0; i < draw.weights.size(); ++i) {
    const double lam = factors.factors.empty() ? 1 : factors.factors[i];
    draw.weights[i] = lam * lam * (causal.empty() ? 1 : causal[i / each]);
  }
}

/// All points whose weights are due, by residuals that no weight is part of.
void reweigh_points(const Run& run, TrainState& state, Loss& loss) {
  std::vector<std::size_t> which;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    if (weighs_points(run, stage_of(run, state), r)) which.push_back(r);
  loss.set_weights(std::vector<double>(loss.terms().size(), 1));
  for (const std::size_t r : which)
    loss.set_point_weights(r, std::vector<double>(state.draws[r].weights.size(), 1));
  std::vector<double> rows(loss.rows());
  loss.residual(state.parameters.data<double>(), rows);
  for (const std::size_t r : which) {
    reweigh_points(run, state, r, residuals_of(run, r, rows, loss));
    loss.set_point_weights(r, state.draws[r].weights);
  }
  loss.set_weights(state.weights);
}

}  // namespace

bool weighs_points(const Run& run, const Stage& stage, std::size_t r) {
  return is_pointwise(run, stage, r) || waits(run, stage, r);
}

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

PointSet weighed_points(const Run& run, TrainState& state, std::size_t r) {
  const Stage& stage = stage_of(run, state);
  Draw& draw = state.draws[r];
  if (!weighs_points(run, stage, r)) {  // any more: stages may change between sittings
    draw.weights.clear();
    state.weighting.points[r] = {};
    state.weighting.causal[r].clear();
    return points_in_use(run, r, draw);
  }
  PointSet points = points_in_use(run, r, draw);
  const bool pointwise = is_pointwise(run, stage, r);
  const std::size_t weights = points.count * (pointwise ? terms_in(run, r) : 1);
  PointFactors& factors = state.weighting.points[r];
  std::vector<double>& causal = state.weighting.causal[r];
  const std::size_t factored = pointwise ? weights : 0;
  const bool goes_on = draw.weights.size() == weights && factors.factors.size() == factored &&
                       (causal.empty() || causal.size() == points.count);
  if (goes_on) return points;
  draw.weights.assign(weights, 1);
  points.weights = draw.weights;
  causal.clear();
  factors.start(factored);
  return points;
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
