#include "configs/choice/course.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "data/geometry/shape.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"

namespace pinn::config {
namespace {

using Kind = Expression::Kind;
using Fields = std::vector<ExpressionPtr>;

constexpr int tries = 500;        ///< points at which a formula is looked at
constexpr double nothing = 1e-9;  ///< a formula that is smaller is 0
constexpr double rate_of_layer = 100;
constexpr double along_itself = 0.5;  ///< of a change: what makes it grow or fade

/// Calls act(values at a point) for points of a region, by Kronecker's sequence of the roots of
/// small primes.
template <class Act> void visit(const Region& region, Act act) {
  constexpr double steps[] = {0.41421356237309515, 0.7320508075688772, 0.2360679774997898,
                              0.6457513110645907,  0.3166247903553998, 0.605551275463989};
  for (const Region* part : region.parts()) {
    const Sampler& sampler = part->sampler();
    std::vector<double> cube(std::size_t(sampler.numbers())), x(std::size_t(part->coordinates()));
    std::vector<double> normal(x.size());
    int visited = 0;
    for (int k = 1; k <= 1000 * tries && visited < (cube.empty() ? 1 : tries); ++k) {
      for (std::size_t j = 0; j < cube.size(); ++j) cube[j] = std::fmod(0.5 + k * steps[j], 1.0);
      if (!sampler.sample(cube, x, part->has_normal() ? std::span(normal) : std::span<double>()))
        continue;
      act(PointValues{.coordinates = x, .normal = normal});
      ++visited;
    }
  }
}
template <class Act> void visit(const DataSet& data, Act act) {
  const std::size_t d = data.rows.size() / std::max<std::size_t>(1, data.count);
  for (std::size_t i = 0; i < data.count; ++i)
    act(PointValues{
        .coordinates = std::span(data.rows).subspan(i * d, d),
        .columns = std::span(data.values).subspan(i * data.columns.size(), data.columns.size())});
}

/// Root mean square of a formula, and without its mean.
struct Spread {
  double size = 0, change = 0;
};
/// True of the points that count.
using Counts = std::function<bool(std::span<const double>)>;

/// Points at which a field that has pieces is this one; null: all.
Counts where_meant(const Problem& problem, std::size_t field) {
  const std::string& whole = problem.fields[field].piece_of;
  if (whole.empty()) return {};
  return [&problem, &whole, field](std::span<const double> x) {
    return field_at(problem, whole, x) == int(field);
  };
}

template <class Where>
Spread spread(const Problem& problem, const Where& where, const ExpressionPtr& formula,
              const Counts& counts = {}) {
  const Evaluator value(*formula);
  const std::vector<double> unknowns = starts(problem);
  double sum = 0, squares = 0, count = 0;
  visit(where, [&](PointValues at) {
    if (counts && !counts(at.coordinates)) return;
    at.unknowns = unknowns;
    const double v = value(at);
    if (!std::isfinite(v)) return;
    sum += v;
    squares += v * v;
    ++count;
  });
  if (count == 0) return {};
  const double mean = sum / count;
  return {std::sqrt(squares / count), std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

class Reader {
 public:
  explicit Reader(const Problem& problem)
      : problem_(problem), all_(interior(problem)), waves_(problem.coordinates.size()) {
    for (std::size_t f = 0; f < problem.fields.size(); ++f) {
      const ExpressionPtr& output = problem.outputs[f];
      given_.push_back(output ? substitute_fields(output, {}, make_number(0)) : make_number(0));
      const double size = spread(problem, *all_, given_.back(), where_meant(problem, f)).size;
      size_.push_back(size > nothing ? size : 1);
    }
  }

  Sizes read() {
    for (const ExpressionPtr& g : given_) add_waves(g);
    for (const Requirement& r : problem_.requirements) {
      if (r.data || is_integral(r)) continue;
      for (const Residual& residual : r.residuals) add_waves(without_fields(residual.expression));
    }
    for (std::size_t c = 0; c < waves_.size(); ++c)
      if (problem_.coordinates[c].role == Role::time || is_told_at_one_end()) add_rates(int(c));
    Sizes sizes{waves_, layer_, {}, {}};
    const Fields probe = probes();
    for (const Requirement& r : problem_.requirements) {
      sizes.factors.push_back(pole_factor(problem_, r));
      sizes.terms.push_back(terms(r, probe, sizes.factors.back()));
    }
    return sizes;
  }

 private:
  double half(std::size_t c) const {
    return (problem_.coordinates[c].upper - problem_.coordinates[c].lower) / 2;
  }

  ExpressionPtr without_fields(const ExpressionPtr& e) const {
    return with_fields(e, [](int) { return make_number(0); });
  }

  /// Adds the wave numbers of a formula: of sin(k x) this is k.
  void add_waves(const ExpressionPtr& g) {
    if (dependence(*g).points || contains(*g, Kind::unknown)) return;
    const double change = spread(problem_, *all_, g).change;
    for (std::size_t c = 0; c < waves_.size() && change > nothing; ++c)
      if (dependence(*g).on(int(c)))
        waves_[c] = std::max(
            waves_[c], half(c) * spread(problem_, *all_, differentiate(g, int(c))).size / change);
  }

  /// True of a problem of one coordinate that goes on from one end, as time does.
  bool is_told_at_one_end() const {
    return problem_.coordinates.size() == 1 && is_carried(problem_, FieldUses(problem_), 0);
  }

  /// How fast the equations make the start change: with its highest derivative by time alone left
  /// to the field, an equation says how large that is.
  void add_rates(int time) {
    const FieldUses uses(problem_);
    for (std::size_t f = 0; f < problem_.fields.size(); ++f)
      for (const FieldUses::Use& use : uses.of(int(f)))
        if (use.requirement->kind == Requirement::Kind::equation && !use.of_integrals &&
            use.residual && problem_.outputs[f])
          add_rate(time, use.residual->expression, f, use.highest_order(time));
  }
  void add_rate(int time, const ExpressionPtr& residual, std::size_t field, int order) {
    if (order == 0 || contains(*residual, Kind::unknown)) return;
    const auto start = face(problem_, time, false);
    const ExpressionPtr still = substitute_fields(residual, given_);
    const ExpressionPtr moved = (Formula(given_[field]) + powers(time, order)).e;
    const ExpressionPtr moving = with_fields(
        residual, [&](int f) { return std::size_t(f) == field ? moved : given_[std::size_t(f)]; });
    const Counts meant = where_meant(problem_, field);
    const auto size_of = [&](const ExpressionPtr& e) {
      return spread(problem_, *start, e, meant).size;
    };
    const double factor = size_of((Formula(moving) - Formula(still)).e);
    const double size = size_of(given_[field]);
    if (factor < nothing || size < nothing) return;
    const double rate = std::pow(size_of(still) / (factor * size), 1.0 / order);
    const double here = half(std::size_t(time)) * rate;
    if (order == 1 && problem_.coordinates.size() > 1 && here > rate_of_layer &&
        likeness(*start, given_[field], still, meant) > along_itself)
      layer_ = std::max(layer_, here);
    else
      waves_[std::size_t(time)] = std::max(waves_[std::size_t(time)], here);
  }
  /// The share of one formula that is a multiple of the other: 0 of sine and cosine.
  double likeness(const Region& where, const ExpressionPtr& a, const ExpressionPtr& b,
                  const Counts& counts) const {
    const auto size = [&](const Formula& f) { return spread(problem_, where, f.e, counts).size; };
    const Formula first = Formula(1 / size(Formula(a))) * Formula(a);
    const Formula second = Formula(1 / size(Formula(b))) * Formula(b);
    const double sum = size(first + second), difference = size(first - second);
    return std::fabs(sum * sum - difference * difference) / 4;
  }
  /// (t - t0)^m / m!
  Formula powers(int time, int order) const {
    const Formula t = Formula(make_leaf(Kind::coordinate, time)) -
                      Formula(problem_.coordinates[std::size_t(time)].lower);
    Formula product(1);
    for (int k = 1; k <= order; ++k) product = product * t / Formula(k);
    return product;
  }

  /// Fields that the network could give: of the size of what is given, and as wavy.
  Fields probes() const {
    Fields fields;
    for (std::size_t f = 0; f < problem_.fields.size(); ++f) {
      Formula phase(0.7 + double(f));
      for (std::size_t c = 0; c < waves_.size(); ++c)
        phase = phase + Formula(std::max(1.0, waves_[c]) / half(c)) *
                            Formula(make_leaf(Kind::coordinate, int(c)));
      const ExpressionPtr any = (Formula(size_[f]) * sin(phase)).e;
      const ExpressionPtr& output = problem_.outputs[f];
      fields.push_back(output ? substitute_fields(output, {}, any) : any);
    }
    return fields;
  }

  std::vector<double> terms(const Requirement& r, const Fields& probe,
                            const ExpressionPtr& factor) const {
    std::vector<double> sizes;
    if (is_integral(r)) return std::vector<double>(r.residuals.size(), 1);
    for (const Residual& residual : r.residuals) {
      const std::vector<PartitionPtr> cut = partitions_of(*residual.expression);
      double largest = 0;
      for (std::size_t piece = 0; piece < piece_count(cut); ++piece) {
        Counts counts;
        if (!cut.empty())
          counts = [&](std::span<const double> x) { return piece_at(cut, x) == piece; };
        for (const ExpressionPtr& term : summands(in_piece(residual.expression, cut, piece)))
          largest = std::max(largest, size_of(r, term, probe, factor, counts));
      }
      sizes.push_back(largest > 0 ? largest : 1);
    }
    return sizes;
  }

  double size_of(const Requirement& r, const ExpressionPtr& term, const Fields& probe,
                 const ExpressionPtr& factor, const Counts& counts) const {
    ExpressionPtr tried = substitute_fields(term, probe);
    if (factor) tried = (Formula(tried) * Formula(factor)).e;
    if (r.data) return spread(problem_, *r.data, tried, counts).size / r.data->sigma;
    // One point says little of a size.
    const bool many = r.region && r.region->dimension() > 0;
    return spread(problem_, many ? *r.region : *all_, tried, counts).size;
  }

  const Problem& problem_;
  const std::shared_ptr<const Region> all_;
  std::vector<double> waves_, size_;
  double layer_ = 0;
  Fields given_;  ///< per field: its form with N = 0
};

}  // namespace

Sizes sizes_of(const Problem& problem) { return Reader(problem).read(); }

}  // namespace pinn::config
