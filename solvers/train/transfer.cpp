#include "solvers/train/begin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "solvers/points/point_sets.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"
#include "solvers/records/fields/export.h"
#include "solvers/state/choices.h"
#include "solvers/state/signals.h"
#include "solvers/state/windows.h"
#include "solvers/train/loss_objective.h"
#include "solvers/train/trained_part.h"

namespace pinn {
namespace {

constexpr int most_points = 4000;         ///< of all requirements
constexpr std::size_t most_dense = 4000;  ///< parameters whose inverse Hessian is kept whole
constexpr long first_steps = 500, steps = 1000;

[[noreturn]] void refuse(const std::string& what, const Run& other, const std::string& fix) {
  throw ConfigError({"--init-from: " + what, other.path, fix});
}

template <class Named> int index_of(const std::string& name, const std::vector<Named>& all) {
  const auto at = std::ranges::find(all, name, &Named::name);
  return at == all.end() ? -1 : int(at - all.begin());
}

ExpressionPtr formula(int field, const MultiIndex& order) {
  const ExpressionPtr leaf = make_leaf(Expression::Kind::field, field);
  return order == MultiIndex{} ? leaf : make_derivative(leaf, order);
}

/// A quantity that both runs have: as this one and as the other names it.
struct Quantity {
  Need need;
  std::string name;
  ExpressionPtr here, there;
};

std::string name_of(const Need& need, const Problem& problem) {
  std::string name = problem.fields[std::size_t(need.field)].name, by;
  for (std::size_t c = 0; c < problem.coordinates.size(); ++c)
    for (int k = 0; k < need.index[c]; ++k) by += problem.coordinates[c].name;
  return by.empty() ? name : name + "_" + by;
}

/// The fields and the derivatives that are asked for, of those that the other run has.
std::vector<Quantity> quantities_of(const Problem& here, const Problem& there) {
  Needs all;
  for (std::size_t f = 0; f < here.fields.size(); ++f) all.insert({int(f), {}});
  for (const Requirement& r : here.requirements) all.merge(needs(r, here));
  std::vector<Quantity> both;
  for (const Need& need : all) {
    const int field = index_of(here.fields[std::size_t(need.field)].name, there.fields);
    MultiIndex order{};
    bool known = field >= 0;
    for (std::size_t c = 0; c < here.coordinates.size() && known; ++c) {
      const int at = index_of(here.coordinates[c].name, there.coordinates);
      if (at >= 0) order[std::size_t(at)] = need.index[c];
      known = at >= 0 || need.index[c] == 0;
    }
    if (known)
      both.push_back(
          {need, name_of(need, here), formula(need.field, need.index), formula(field, order)});
  }
  return both;
}

/// Points of all requirements that lie where the other run's network was trained: as this run and
/// as the other names them.
struct Places {
  PointSet here, there;
};

bool is_within(const std::vector<Coordinate>& box, const std::vector<double>& x) {
  for (std::size_t c = 0; c < box.size(); ++c)
    if (!(x[c] >= box[c].lower && x[c] <= box[c].upper)) return false;
  return true;
}

Places places_of(const Run& run, const Run& other) {
  const std::vector<Coordinate>& own = run.problem.coordinates;
  const std::vector<Coordinate>& others = other.problem.coordinates;
  std::vector<std::size_t> which;
  for (const Coordinate& c : others) {
    const int at = index_of(c.name, own);
    if (at < 0)
      refuse("its fields depend on '" + c.name + "', which is no coordinate here", other,
             "declare it, or begin anew");
    which.push_back(std::size_t(at));
  }
  Places all;
  const int count = most_points / int(run.problem.requirements.size());
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    const PointSet points = fresh_points(run, r, count, 2);
    for (std::size_t n = 0; n < std::min(points.count, std::size_t(count)); ++n) {
      const double* const x = &points.x[n * own.size()];
      std::vector<double> there;
      for (const std::size_t c : which) there.push_back(x[c]);
      if (!is_within(others, there) || !in_domain(other.problem, there)) continue;
      all.here.x.insert(all.here.x.end(), x, x + own.size());
      all.there.x.insert(all.there.x.end(), there.begin(), there.end());
      all.there.count = ++all.here.count;
    }
  }
  if (all.here.count == 0)
    refuse("no place of this problem is one of that run's", other, "begin anew");
  return all;
}

double root_mean_square(const std::vector<double>& values) {
  const double sum = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  return std::sqrt(sum / double(values.size()));
}

/// Sizes that distances in the quantities are measured by: root mean squares. A field that is about
/// 0 beside the largest, likewise a derivative, and one beside what its field has over the
/// coordinates' ranges, are noise, which nothing is to be fitted to.
std::vector<double> sizes_of(const std::vector<Quantity>& quantities,
                             const std::vector<std::vector<double>>& values,
                             const Problem& problem) {
  constexpr double least_of_largest = 1e-3, least_of_field = 0.1;
  std::vector<double> sizes, fields(problem.fields.size(), 0);
  std::map<MultiIndex, double> largest;  // of all fields
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    const Need& need = quantities[k].need;
    sizes.push_back(root_mean_square(values[k]));
    largest[need.index] = std::max(largest[need.index], sizes[k]);
    if (order(need.index) == 0) fields[std::size_t(need.field)] = sizes[k];
  }
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    const Need& need = quantities[k].need;
    double of_field = least_of_field * fields[std::size_t(need.field)];
    for (std::size_t c = 0; c < problem.coordinates.size(); ++c)
      of_field /= std::pow(problem.coordinates[c].upper - problem.coordinates[c].lower,
                           double(need.index[c]));
    sizes[k] = std::max({sizes[k], of_field, least_of_largest * largest[need.index]});
    if (!(sizes[k] > 0)) sizes[k] = 1;
  }
  return sizes;
}

/// The run with one requirement: that the quantities be what the columns of points say, each over
/// its size.
Run fit_run(const Run& run, const std::vector<Quantity>& quantities,
            const std::vector<double>& sizes) {
  Requirement same;
  same.kind = Requirement::Kind::condition;
  same.name = "transfer";
  same.region = interior(run.problem);
  same.handed = quantities.size();
  for (std::size_t k = 0; k < quantities.size(); ++k) {
    const ExpressionPtr column = make_leaf(Expression::Kind::column, int(k));
    same.residuals.push_back(
        {.name = quantities[k].name,
         .expression = make_call(
             "mul", {make_number(1 / sizes[k]), make_call("sub", {quantities[k].here, column})}),
         .text = {}});
  }
  Run fit = run;
  fit.problem.requirements = {std::move(same)};
  fit.sampling = {{}};
  fit.handed.clear();
  return fit;
}

OptimizerOptions options_of(const char* kind, long steps) {
  OptimizerOptions options;
  options.kind = kind;
  options.steps = steps;
  options.rate = 3e-3;
  return options;
}

/// Moves the parameters downhill for so many steps, or until no more can be made, or are wanted.
void descend(const OptimizerOptions& options, PartObjective& objective, Tensor& part,
             const std::function<bool()>& is_over) {
  const auto optimizer = make_optimizer(options, std::size_t(part.numel()));
  OptimizerMemory memory;
  for (long k = 0; k < options.steps && !is_over(); ++k) {
    const Move move = optimizer->advance(part, memory, objective);
    if (!move.stopped.empty() || move.diverged) return;
  }
}

/// Root mean squares of the residuals after the fit; `parameters` become those of it.
std::vector<double> fitted(const Run& run, const Model& of, const PointSet& points,
                           std::vector<double>& parameters, ThreadPool& pool) {
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  if (model->parameter_count() != of.parameter_count())
    throw InternalError({"a network has other parameters where it is fitted", run.path, ""});
  std::string told;
  Loss loss(model, {.derivatives = choose_derivatives(run, *model, told)}, pool);
  loss.set_points(0, points);
  LossObjective whole(loss);
  Tensor all = from_values(parameters, {std::int64_t(parameters.size())});
  std::vector<std::size_t> which(model->network_parameters());
  std::iota(which.begin(), which.end(), std::size_t(0));
  PartObjective objective(whole, which, all);
  Tensor part = objective.part_of(all);
  const double begun = clock();
  const auto is_over = [&] { return !reason_to_stop(true, run.options.max_time, begun).empty(); };
  descend(options_of("adam", first_steps), objective, part, is_over);
  descend(options_of(which.size() <= most_dense ? "ssbroyden" : "lbfgs", steps), objective, part,
          is_over);
  objective.put(part, all);
  parameters = all.values();
  std::vector<double> off = loss.value(parameters).terms;
  for (double& one : off) one = std::sqrt(one);
  return off;
}

}  // namespace

Transfer transferred(const Run& run, const Model& model, std::span<const double> start,
                     const Run& other, const TrainState& state, ThreadPool& pool) {
  if (run.problem.pieces || other.problem.pieces)
    refuse("not yet: fields in pieces as those of another network", other,
           "use the same [network] for each piece");
  const std::vector<Quantity> quantities = quantities_of(run.problem, other.problem);
  if (quantities.empty())
    refuse("that run has none of the fields of this one", other, "name another run");
  Places places = places_of(run, other);
  std::vector<ExpressionPtr> formulas;
  for (const Quantity& q : quantities) formulas.push_back(q.there);
  RunFormulas found(other, networks_of(other, state, pool, other.path), formulas);
  const std::vector<std::vector<double>> values = found(places.there, pool);
  for (std::size_t n = 0; n < places.here.count; ++n)
    for (const std::vector<double>& of : values) places.here.columns.push_back(of[n]);
  if (!std::ranges::all_of(places.here.columns, [](double y) { return std::isfinite(y); }))
    refuse("its fields are not finite everywhere", other, "finish that run, or begin anew");
  Transfer all{{start.begin(), start.end()}, {}};
  const Run fit = fit_run(run, quantities, sizes_of(quantities, values, run.problem));
  const std::vector<double> off = fitted(fit, model, places.here, all.parameters, pool);
  for (std::size_t k = 0; k < off.size(); ++k)
    all.text += fmt::format("{}{} {:.1e}", k == 0 ? "" : ", ", quantities[k].name, off[k]);
  return all;
}

}  // namespace pinn
