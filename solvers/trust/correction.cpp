#include "solvers/trust/correction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "solvers/optimize/dense/row_squares.h"

namespace pinn {
namespace {

constexpr double rows_per_column = 5, check_rows_per_column = 1;
/// Dampings of columns of length 1: larger ones where the residual is rough. The smallest leaves a
/// constant free beside second derivatives by a thousand functions.
constexpr double dampings[] = {1e-22, 1e-16, 1e-11, 1e-7, 1e-4};
constexpr std::uint32_t fit_draw = 2, check_draw = 3;
constexpr std::size_t scatter_points = 50;
constexpr int rounds = 12;  ///< of the power iteration

std::vector<double> times(const SparseRows& rows, std::span<const double> v) {
  std::vector<double> product(rows.count());
  for (std::size_t i = 0; i < rows.count(); ++i) product[i] = rows.times(i, v);
  return product;
}

void add_transposed(const SparseRows& rows, std::span<const double> w, std::vector<double>& sum) {
  for (std::size_t i = 0; i < rows.count(); ++i)
    for (std::size_t k = rows.begin(i); k < rows.ends[i]; ++k)
      sum[rows.columns[k]] += rows.values[k] * w[i];
}

double squares(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return sum;
}

bool is_finite(std::span<const double> v) {
  return std::ranges::all_of(v, [](double x) { return std::isfinite(x); });
}

RowSquares squares_of(const Linearized::Rows& rows, std::size_t columns) {
  RowSquares all(rows.matrix.count(), columns);
  for (std::size_t i = 0; i < rows.matrix.count(); ++i) {
    const std::size_t begin = rows.matrix.begin(i), count = rows.matrix.ends[i] - begin;
    all.set(i, std::span(rows.matrix.columns).subspan(begin, count),
            std::span(rows.matrix.values).subspan(begin, count), rows.left[i]);
  }
  return all;
}

/// R + J d
std::vector<double> left_after(const Linearized::Rows& rows, std::span<const double> step) {
  std::vector<double> left = times(rows.matrix, step);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += rows.left[i];
  return left;
}

/// The solution of the damping that does best at other points.
class DampedSolution {
 public:
  DampedSolution(const Linearized::Rows& fit, const Linearized::Rows& check, std::size_t columns,
                 ThreadPool& pool)
      : squares_(squares_of(fit, columns)),
        steps_(squares_.steps({std::begin(dampings), std::end(dampings)}, &pool)) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const double left = squares(left_after(check, steps_[k]));
      if (left < least) least = left, best_ = int(k);
    }
  }

  bool exists() const { return best_ >= 0; }
  const std::vector<double>& step() const { return steps_[std::size_t(best_)]; }
  std::vector<double> solve(std::span<const double> v) const {
    return squares_.solve(std::size_t(best_), v);
  }

 private:
  RowSquares squares_;
  std::vector<std::vector<double>> steps_;
  int best_ = -1;
};

/// A correction's columns at the samples, without what is open: mean squares of a field.
class FieldMeter {
 public:
  FieldMeter(Linearized& problem, const CorrectionSpace& space, std::size_t field,
             const Samples& samples)
      : samples_(samples),
        field_(field),
        columns_(space.columns),
        changes_(problem.at(space, field, samples.points)) {}

  FieldChange change(std::span<const double> step) const {
    std::vector<double> all = times(changes_.matrix, step), after = samples_.fields[field_];
    for (std::size_t i = 0; i < all.size(); ++i) after[i] += all[i] += changes_.carried[i];
    const double count = double(all.size());
    return {squares(samples_.closed(field_, std::move(all))) / count, 0,
            squares(samples_.closed(field_, std::move(after))) / count,
            squares(samples_.closed(field_, samples_.fields[field_])) / count};
  }

  /// Mean square change by the residuals that are left, each with a sign of its own.
  double scatter(const Linearized::Rows& fit, std::span<const double> left,
                 const DampedSolution& solution) const {
    const std::size_t every = std::max<std::size_t>(1, changes_.matrix.count() / scatter_points);
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < changes_.matrix.count(); i += every, ++count) {
      const std::vector<double> weights = solution.solve(row(i));
      for (std::size_t k = 0; k < left.size(); ++k)
        sum += std::pow(left[k] * fit.matrix.times(k, weights), 2);
    }
    return sum / count;
  }

  /// B v without what is open, and its transpose.
  std::vector<double> forward(std::span<const double> v) const {
    return samples_.closed(field_, times(changes_.matrix, v));
  }
  void add_back(std::span<const double> w, std::vector<double>& sum) const {
    add_transposed(changes_.matrix, w, sum);
  }

 private:
  /// A sample's row, less the mean of its group.
  std::vector<double> row(std::size_t i) const {
    std::vector<double> sum(columns_, 0);
    const auto add = [&](std::size_t n, double by) {
      for (std::size_t k = changes_.matrix.begin(n); k < changes_.matrix.ends[n]; ++k)
        sum[changes_.matrix.columns[k]] += by * changes_.matrix.values[k];
    };
    add(i, 1);
    const std::vector<std::size_t>& group = samples_.groups[field_];
    if (group.empty()) return sum;
    const auto size = std::ranges::count(group, group[i]);
    for (std::size_t n = 0; n < group.size(); ++n)
      if (group[n] == group[i]) add(n, -1 / double(size));
    return sum;
  }

  const Samples& samples_;
  const std::size_t field_, columns_;
  const Linearized::Changes changes_;
};

/// The largest change of the fields, root mean square, for a residual of norm 1: by power iteration
/// of (J^T J)^-1 B^T B.
double amplification(const std::vector<FieldMeter>& fields, const DampedSolution& solution,
                     std::size_t columns, std::size_t samples) {
  std::vector<double> v(columns);
  for (std::size_t i = 0; i < columns; ++i) v[i] = 1 + std::sin(double(i));
  double largest = 0;
  for (int k = 0; k < rounds; ++k) {
    std::vector<double> sum(columns, 0);
    for (const FieldMeter& field : fields) field.add_back(field.forward(v), sum);
    v = solution.solve(sum);
    double product = 0, norm = 0, changes = 0;
    for (std::size_t i = 0; i < columns; ++i) product += v[i] * sum[i];
    for (const double x : v) norm = std::max(norm, std::fabs(x));
    for (const FieldMeter& field : fields) changes += squares(field.forward(v));
    if (!(norm > 0) || !(product > 0)) return 0;
    largest = std::sqrt(changes / product / double(samples));
    for (double& x : v) x /= norm;
  }
  return largest;
}

}  // namespace

double Correction::error(std::size_t field) const {
  const FieldChange& f = fields[field];
  return std::sqrt((f.change + f.scatter) / f.size);
}

std::optional<Correction> corrected(Linearized& problem, const CorrectionSpace& space,
                                    const Samples& samples, bool carry) {
  const std::size_t n = space.columns;
  const Linearized::Rows fit = problem.rows(space, rows_per_column * double(n), fit_draw);
  const Linearized::Rows check = problem.rows(space, check_rows_per_column * double(n), check_draw);
  if (!is_finite(fit.left) || !is_finite(check.left) || !is_finite(fit.matrix.values)) return {};
  if (fit.matrix.count() <= n) return {};
  const DampedSolution solution(fit, check, n, problem.pool());
  if (!solution.exists()) return {};
  const std::vector<double>& step = solution.step();
  Correction found;
  found.squares = squares(check.left);
  found.left = squares(left_after(check, step));
  const Linearized::Rows moved =
      problem.rows(space, check_rows_per_column * double(n) / 4, check_draw + 1, step);
  std::vector<double> off = left_after(moved, step);
  for (std::size_t i = 0; i < off.size(); ++i) off[i] -= moved.moved[i];
  found.nonlinear = std::sqrt(squares(off) / squares(moved.left));
  const std::vector<double> left = left_after(fit, step);
  std::vector<FieldMeter> meters;
  double changes = 0;
  for (std::size_t f = 0; f < problem.fields(); ++f) {
    meters.emplace_back(problem, space, f, samples);
    found.fields.push_back(meters.back().change(step));
    found.fields.back().scatter = meters.back().scatter(fit, left, solution);
    changes += found.fields.back().change;
  }
  found.open =
      amplification(meters, solution, n, samples.points.count) * std::sqrt(squares(left) / changes);
  if (carry) found.carried = problem.carried_on(space, step);
  return found;
}

}  // namespace pinn
