// Part of a run in one window of time.
#include <algorithm>

#include "solvers/problem/needs.h"
#include "solvers/problem/rewritten.h"
#include "solvers/state/choices.h"
#include "solvers/state/windows.h"

namespace pinn {
namespace {

bool is_at(const Interval& times, double time) { return times.fixed() && times.lower == time; }

/// Cuts regions, data and reference to a window.
class Slice {
 public:
  Slice(const Run& run, std::size_t window)
      : run_(run),
        window_(window),
        times_(window_times(run, window)),
        t_(std::size_t(time_of(run.problem))),
        start_(run.problem.coordinates[t_].lower) {}

  /// Part of a region in the window; null: nothing. The lower end of time is the window's.
  std::shared_ptr<const Region> region(const Region& whole) const {
    std::vector<std::shared_ptr<const Region>> parts;
    for (const Region* part : whole.parts()) {
      const Interval times = part->bounds()[t_];
      const Interval cut = is_at(times, start_) ? Interval{times_.lower, times_.lower}
                           : times.fixed()      ? times
                                                : Interval{std::max(times.lower, times_.lower),
                                                      std::min(times.upper, times_.upper)};
      const bool here = is_at(times, start_) ? true
                        : times.fixed()      ? window_at(run_, times.lower) == window_
                                             : cut.lower < cut.upper;
      if (here) parts.push_back(part->with(int(t_), cut));
    }
    if (parts.empty()) return nullptr;
    return parts.size() == 1 ? parts[0] : make_union(std::move(parts));
  }

  /// The rows of [count, coordinates] that lie in the window.
  std::vector<std::size_t> rows(const std::vector<double>& x) const {
    std::vector<std::size_t> rows;
    const std::size_t d = run_.problem.coordinates.size();
    for (std::size_t n = 0; n * d < x.size(); ++n)
      if (window_at(run_, x[n * d + t_]) == window_) rows.push_back(n);
    return rows;
  }

  DataSet data(const DataSet& whole) const {
    const std::vector<std::size_t> here = rows(whole.rows);
    DataSet some = whole;
    some.count = here.size();
    some.rows = picked(whole.rows, here, whole.count);
    some.values = picked(whole.values, here, whole.count);
    some.weights = picked(whole.weights, here, whole.count);
    return some;
  }

  /// Given points that are in the window; what is asked at the lower end of time is asked of all of
  /// them at the window's.
  std::shared_ptr<const Points> points(const Points& whole, const Requirement& r) const {
    Points some = whole;
    if (is_initial(r, run_.problem)) {
      for (std::size_t at = t_; at < some.x.size(); at += run_.problem.coordinates.size())
        some.x[at] = times_.lower;
      return std::make_shared<const Points>(std::move(some));
    }
    const std::vector<std::size_t> here = rows(whole.x);
    some.count = here.size();
    some.x = picked(whole.x, here, whole.count);
    some.normals = picked(whole.normals, here, whole.count);
    return std::make_shared<const Points>(std::move(some));
  }

  Solution solution(const Solution& whole) const {
    const std::vector<std::size_t> here = rows(whole.x);
    Solution some = whole;
    some.count = here.size();
    some.x = picked(whole.x, here, whole.count);
    for (std::vector<double>& values : some.values) values = picked(values, here, whole.count);
    return some;
  }

 private:
  static std::vector<double> picked(const std::vector<double>& all,
                                    const std::vector<std::size_t>& rows, std::size_t count) {
    std::vector<double> some;
    const std::size_t width = count == 0 ? 0 : all.size() / count;
    for (const std::size_t n : rows)
      some.insert(some.end(), all.begin() + std::ptrdiff_t(n * width),
                  all.begin() + std::ptrdiff_t((n + 1) * width));
    return some;
  }

  const Run& run_;
  const std::size_t window_;
  const Interval times_;
  const std::size_t t_;
  const double start_;
};

/// A field or a time derivative of one, by which window hands over to window.
struct Handover {
  int field = 0, order = 0;
  bool operator==(const Handover&) const = default;
};

ExpressionPtr formula(const Handover& handed, int t) {
  const ExpressionPtr field = make_leaf(Expression::Kind::field, handed.field);
  if (handed.order == 0) return field;
  MultiIndex order{};
  order[std::size_t(t)] = std::uint8_t(handed.order);
  return make_derivative(field, order);
}

std::string name_of(const Handover& handed, const Problem& problem, int t) {
  std::string name = problem.fields[std::size_t(handed.field)].name;
  for (int k = 0; k < handed.order; ++k)
    name += (k == 0 ? "_" : "") + problem.coordinates[std::size_t(t)].name;
  return name;
}

/// Quantities that a residual at the lower end of time asks for, without what is there already.
std::vector<Handover> asked_by(const Residual& residual, int t,
                               const std::vector<Handover>& there) {
  std::vector<Handover> asked;
  for (const Need& need : needs(*residual.expression)) {
    const Handover handed{need.field, int(need.index[std::size_t(t)])};
    if (std::ranges::find(there, handed) == there.end() &&
        std::ranges::find(asked, handed) == asked.end())
      asked.push_back(handed);
  }
  return asked;
}

/// The requirement that each of these be what the points' column of its number says. They have no
/// text: constants are no part of them.
std::vector<Handover> hand_over(Requirement& r, const Problem& problem, int t) {
  std::vector<Handover> all;
  std::vector<Residual> residuals;
  for (const Residual& residual : r.residuals) {
    const std::vector<Handover> asked = asked_by(residual, t, all);
    for (const Handover& handed : asked) {
      const ExpressionPtr column = make_leaf(Expression::Kind::column, int(all.size()));
      Residual same{.name = residual.name,
                    .expression = make_call("sub", {formula(handed, t), column}),
                    .weight = residual.weight,
                    .text = {},
                    .weight_at = residual.weight_at};
      if (asked.size() > 1) same.name += "." + name_of(handed, problem, t);
      residuals.push_back(std::move(same));
      all.push_back(handed);
    }
  }
  r.residuals = std::move(residuals);
  r.handed = all.size();
  return all;
}

/// Gives hard constraints that say initial(...) the fields of the window before, and this time.
void begin_outputs(Run& part, double time) {
  std::vector<ExpressionPtr> ends;
  for (std::size_t f = 0; f < part.problem.fields.size(); ++f)
    ends.push_back(make_leaf(Expression::Kind::before, int(f)));
  for (std::size_t f = 0; f < part.windows.outputs.size(); ++f)
    if (part.windows.outputs[f])
      part.problem.outputs[f] = with_initial(part.windows.outputs[f], time, ends);
}

/// The columns of points: values of a network, with a row per point.
PointValuesOf values_of(const TrainedNetwork& network, const std::vector<Handover>& handed, int t,
                        ThreadPool& pool, const std::shared_ptr<StepCache>& cache, Device device) {
  std::vector<ExpressionPtr> expressions;
  for (const Handover& one : handed) expressions.push_back(formula(one, t));
  const auto formulas = std::make_shared<Formulas>(network.model, expressions, cache, device);
  const std::size_t d = network.model->problem().coordinates.size();
  return [formulas, d, &pool, p = network.parameters](std::span<const double> x) {
    const PointSet points{x.size() / d, {x.begin(), x.end()}, {}, {}, {}};
    const std::vector<std::vector<double>> columns = (*formulas)(p, points, pool);
    std::vector<double> rows;
    for (std::size_t n = 0; n < points.count; ++n)
      for (const std::vector<double>& column : columns) rows.push_back(column[n]);
    return rows;
  };
}

}  // namespace

bool is_initial(const Requirement& r, const Problem& problem) {
  const int t = time_of(problem);
  return t >= 0 && r.region && !r.periodic &&
         std::ranges::all_of(r.region->parts(), [&](const Region* part) {
           return is_at(part->bounds()[std::size_t(t)], problem.coordinates[std::size_t(t)].lower);
         });
}

bool is_initial_in_part(const Requirement& r, const Problem& problem) {
  const int t = time_of(problem);
  return t >= 0 && r.region && !r.periodic && !is_initial(r, problem) &&
         std::ranges::any_of(r.region->parts(), [&](const Region* part) {
           return is_at(part->bounds()[std::size_t(t)], problem.coordinates[std::size_t(t)].lower);
         });
}

std::shared_ptr<const Run> window_run(const Run& run, std::size_t window,
                                      const TrainedNetwork& before, ThreadPool& pool,
                                      const std::shared_ptr<StepCache>& cache) {
  if (window_count(run) == 1) return {std::shared_ptr<const Run>(), &run};
  const Slice slice(run, window);
  const int t = time_of(run.problem);
  const auto part = std::make_shared<Run>(run);
  part->windows.edges.clear();
  Coordinate& time = part->problem.coordinates[std::size_t(t)];
  time.lower = window_times(run, window).lower, time.upper = window_times(run, window).upper;
  part->problem.requirements.clear();
  part->sampling.clear();
  for (std::size_t i = 0; i < run.problem.requirements.size(); ++i) {
    Requirement r = run.problem.requirements[i];
    PointValuesOf handed;
    if (r.data) r.data = slice.data(*r.data);
    if (r.region) r.region = slice.region(*r.region);
    if (r.data ? r.data->count == 0 : !r.region) continue;
    if (window > 0 && is_initial(run.problem.requirements[i], run.problem)) {
      const std::vector<Handover> asked = hand_over(r, run.problem, t);
      if (asked.empty()) continue;
      handed = values_of(before, asked, t, pool, cache, device_of(run).device);
    }
    part->problem.requirements.push_back(std::move(r));
    part->sampling.push_back(run.sampling[i]);
    if (run.sampling[i].given)
      part->sampling.back().given =
          slice.points(*run.sampling[i].given, run.problem.requirements[i]);
    part->handed.push_back(std::move(handed));
  }
  if (window > 0) begin_outputs(*part, time.lower);
  for (ReferenceQuantity& q : part->reference.quantities) q.error = NAN;  // it is of all time
  part->output.values.clear();                                            // and so are these
  if (run.reference.solution) part->reference.solution = slice.solution(*run.reference.solution);
  return part;
}

}  // namespace pinn
