#include "solvers/trust/correction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "models/kinds.h"
#include "solvers/optimize/dense/normal_equations.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/residual/step/step_cache.h"

namespace pinn {
namespace {

constexpr int inner_units = 48;                    ///< that join every hidden layer but the last
constexpr int least_units = 60, most_units = 600;  ///< ... and the last, divided among fields
constexpr double rows_per_feature = 5;
constexpr double ridge = 1e-12;  ///< of the diagonal of the normal equations
constexpr std::size_t rows_at_once = 16;
constexpr std::size_t most_parameters = 200000;  ///< of the wider network: rows that long are made

/// How steep random units may be, from 1 on: in the first layer, whose inputs lie in [-1, 1], and
/// behind it.
struct Steepness {
  double first, deeper;
};
constexpr Steepness bases[] = {{2, 1.5}, {8, 4}, {30, 10}};

/// A network with random units beside those of another, and what it was made of.
struct Widened {
  std::shared_ptr<const Model> model;
  std::vector<double> p;          ///< the new units change nothing
  std::vector<std::size_t> free;  ///< parameters that are solved for
};

/// The last layer of each network, and the unknowns.
std::vector<std::size_t> last_parameters(const Model& model) {
  std::vector<std::size_t> all;
  for (const ModelNetwork& one : model.networks()) {
    const auto first = model.blocks().begin() + std::ptrdiff_t(one.first_block);
    const auto end = first + std::ptrdiff_t(one.network->blocks().size());
    std::int64_t from = 0;
    for (auto block = first; block != end; ++block)
      if (block->role == ParameterRole::weight) from = block->offset;
    const std::int64_t to = first->offset + one.network->parameter_count();
    for (; from < to; ++from) all.push_back(std::size_t(from));
  }
  for (std::size_t k = model.network_parameters(); k < model.parameter_count(); ++k)
    all.push_back(k);
  return all;
}

/// How many rows training has, data aside.
double rows_of(const Run& run) {
  double rows = 0;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    if (const Requirement& asked = run.problem.requirements[r]; !asked.data)
      rows += (is_integral(asked) ? 1 : double(run.sampling[r].count)) *
              double(terms_of(asked, run.problem).size());
  return rows;
}

/// New units of the last layer: as many as training has rows, within bounds.
int last_units(const Run& run) {
  const double rows = std::clamp<double>(rows_of(run), least_units, most_units);
  return int(rows) / int(run.problem.fields.size());
}

std::vector<NetworkOptions> wider(std::vector<NetworkOptions> networks, int last_units) {
  const Widening by{inner_units, last_units, std::int64_t(most_parameters)};
  for (NetworkOptions& one : networks) one = network_kind(one.kind).wider(one, by);
  return networks;
}

/// Gives the new units of a layer, columns `own` and on, random weights; each meets its threshold
/// at a random place of what comes in.
void randomize(std::span<double> w, std::span<double> b, std::size_t in, std::size_t own,
               double steepest, const Random& random) {
  const std::size_t out = b.size();
  std::uint64_t at = 0;
  for (std::size_t j = own; j < out; ++j) {
    const double steep = std::pow(steepest, random.uniform(at++));
    b[j] = 0;
    for (std::size_t i = 0; i < in; ++i) {
      const double weight = steep * random.normal(at++) / std::sqrt(double(in));
      w[i * out + j] = weight;
      b[j] -= weight * (2 * random.uniform(at++) - 1);
    }
  }
}

Widened widened(const Run& run, const Model& model, std::span<const double> p,
                const Steepness& steep) {
  Widened wide;
  wide.model = std::make_shared<const Model>(std::make_shared<const Problem>(run.problem),
                                             wider(run.networks, last_units(run)), model.before());
  wide.p.resize(wide.model->parameter_count());
  const std::vector<ParameterBlock> from = model.network_blocks();
  const std::vector<ParameterBlock> to = wide.model->network_blocks();
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (from[k].role != ParameterRole::weight) continue;
    const std::size_t in = std::size_t(from[k].shape[0]), out = std::size_t(from[k].shape[1]);
    const std::size_t in2 = std::size_t(to[k].shape[0]), out2 = std::size_t(to[k].shape[1]);
    const std::span w = std::span(wide.p).subspan(std::size_t(to[k].offset), in2 * out2);
    const std::span b = std::span(wide.p).subspan(std::size_t(to[k + 1].offset), out2);
    randomize(w, b, in2, out, from[k].reads_inputs ? steep.first : steep.deeper,
              {run.options.seed, stream(to[k].name, "estimate")});
    for (std::size_t j = 0; j < out; ++j) {
      for (std::size_t i = 0; i < in; ++i)
        w[i * out2 + j] = p[std::size_t(from[k].offset) + i * out + j];
      b[j] = p[std::size_t(from[k + 1].offset) + j];
    }
  }
  wide.free = last_parameters(*wide.model);
  const std::size_t unknowns = run.problem.unknowns.size();
  std::copy(p.end() - std::ptrdiff_t(unknowns), p.end(), wide.p.end() - std::ptrdiff_t(unknowns));
  return wide;
}

int enough(double points) { return std::max(16, int(std::ceil(points))); }

/// The step of the free parameters that makes the linearized rows least.
std::vector<double> correction(Loss& loss, const Widened& wide, ThreadPool& pool) {
  const std::size_t width = wide.p.size(), columns = wide.free.size();
  NormalEquations sums(columns);
  std::vector<double> residuals(loss.squares().rows()), rows, free;
  loss.squares().residual(wide.p, residuals);
  for (std::size_t at = 0; at < residuals.size(); at += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, residuals.size() - at);
    rows.resize(count * width);
    free.resize(count * columns);
    loss.squares().jacobian_rows(wide.p, at, count, rows);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < columns; ++k)
        free[i * columns + k] = rows[i * width + wide.free[k]];
    sums.add(free, std::span(residuals).subspan(at, count), &pool);
  }
  std::vector<double> step(width);
  const Cholesky factor(sums, std::vector<double>(columns, ridge));
  if (!factor.exists()) return step;
  const std::vector<double> solution = factor.solve(sums.gradient());
  for (std::size_t i = 0; i < columns; ++i) step[wide.free[i]] = -solution[i];
  return step;
}

double sum_of_squares(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return sum;
}

/// The share of the sum of squares of the linearized rows that a step takes away, and what the rows
/// miss by being linear, over what they were.
void judge(Loss& loss, std::span<const double> p, std::span<const double> step, Correction& found) {
  std::vector<double> before(loss.squares().rows()), change(loss.squares().rows()),
      moved(loss.squares().rows());
  std::vector<double> corrected(p.begin(), p.end());
  for (std::size_t i = 0; i < step.size(); ++i) corrected[i] += step[i];
  loss.squares().residual(p, before);
  loss.squares().residual(corrected, moved);
  loss.squares().jacobian_times(p, step, change);
  for (std::size_t i = 0; i < before.size(); ++i) {
    change[i] += before[i];
    moved[i] -= change[i];
  }
  found.squares = sum_of_squares(before);
  found.left = sum_of_squares(change);
  found.nonlinear = std::sqrt(sum_of_squares(moved) / found.squares);
}

/// Mean squares of all fields at the samples.
std::vector<FieldChange> changes(const Run& run, const Widened& wide, std::span<const double> step,
                                 const Samples& samples, ThreadPool& pool) {
  std::vector<ExpressionPtr> fields;
  for (std::size_t f = 0; f < run.problem.fields.size(); ++f)
    fields.push_back(make_leaf(Expression::Kind::field, int(f)));
  std::vector<double> corrected = wide.p;
  for (std::size_t i = 0; i < step.size(); ++i) corrected[i] += step[i];
  const auto after = whole_values(run.problem, samples.points,
                                  Formulas(wide.model, fields)(corrected, samples.points, pool));
  std::vector<FieldChange> all;
  for (std::size_t f = 0; f < after.size(); ++f) {
    const double count = double(samples.points.count);
    std::vector<double> change = after[f];
    for (std::size_t n = 0; n < samples.points.count; ++n) change[n] -= samples.fields[f][n];
    all.push_back({sum_of_squares(samples.closed(f, change)) / count, 0,
                   sum_of_squares(samples.closed(f, after[f])) / count,
                   sum_of_squares(samples.closed(f, samples.fields[f])) / count});
  }
  return all;
}

LossOptions options_of(const LossOptions& given) {
  LossOptions options = given;
  options.dtype = DType::float64;
  options.compiled = true;
  options.cache = std::make_shared<StepCache>();
  options.device = Device::cpu;
  options.products = Products::exact;
  return options;
}

}  // namespace

std::vector<Correction> by_wider_networks(const Run& run, const Model& model,
                                          std::span<const double> p, const TrainState& state,
                                          const LossOptions& given, const Samples& samples,
                                          ThreadPool& pool) {
  std::vector<Correction> all;
  const LossOptions options = options_of(given);
  for (const Steepness& steep : bases) {
    const Widened wide = widened(run, model, p, steep);
    if (wide.p.size() > most_parameters) return all;
    const double columns = double(wide.free.size());
    Loss fit(wide.model, options, pool), check(wide.model, options, pool);
    for (Loss* loss : {&fit, &check}) loss->set_weights(state.weights);
    for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
      const double count = columns / rows_of(run) * run.sampling[r].count;
      fit.set_points(r, fresh_points(run, r, enough(rows_per_feature * count), 0));
      check.set_points(r, fresh_points(run, r, enough(count), 1));
    }
    const std::vector<double> step = correction(fit, wide, pool);
    Correction found;
    found.name = fmt::format("features {:g}", steep.first);
    found.kind = found.name;
    judge(check, wide.p, step, found);
    found.fields = changes(run, wide, step, samples, pool);
    if (std::isfinite(found.share())) all.push_back(std::move(found));
  }
  return all;
}

}  // namespace pinn
