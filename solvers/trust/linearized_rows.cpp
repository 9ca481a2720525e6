// Rows of the linearized problem: what is left of residuals, and how corrections change it.
#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/problem/pieces.h"
#include "solvers/trust/linearized.h"

namespace pinn {
namespace {

constexpr int least_points = 16;              ///< of a requirement
constexpr std::size_t most_readings = 5'000;  ///< of data, evenly taken from more

/// Every so many of many readings.
PointSet thinned(PointSet points) {
  const std::size_t every = (points.count + most_readings - 1) / most_readings;
  if (every <= 1) return points;
  PointSet some;
  some.count = (points.count + every - 1) / every;
  for (const auto array :
       {&PointSet::x, &PointSet::normals, &PointSet::columns, &PointSet::weights}) {
    const std::vector<double>& all = points.*array;
    const std::size_t width = all.size() / points.count;
    for (std::size_t n = 0; n < points.count; n += every)
      (some.*array)
          .insert((some.*array).end(), all.begin() + std::ptrdiff_t(n * width),
                  all.begin() + std::ptrdiff_t((n + 1) * width));
  }
  return some;
}

/// The change of a number's function, over that of the number: by differences.
template <class Value> double slope_by(double& number, const Value& value) {
  const double was = number, h = 1e-5 * std::max(std::fabs(was), 1e-3);
  number = was + h;
  const double above = value();
  number = was - h;
  const double below = value();
  number = was;
  return (above - below) / (2 * h);
}

}  // namespace

double SparseRows::times(std::size_t row, std::span<const double> v) const {
  double sum = 0;
  for (std::size_t i = begin(row); i < ends[row]; ++i) sum += values[i] * v[columns[i]];
  return sum;
}

std::span<const double> Linearized::Table::of(const std::vector<double>& all,
                                              std::size_t point) const {
  const std::size_t width = points.count == 0 ? 0 : all.size() / points.count;
  return std::span(all).subspan(point * width, width);
}

CorrectionSpace Linearized::space(const std::vector<double>& reach, std::size_t most,
                                  int slope) const {
  const Problem& problem = run_.problem;
  CorrectionSpace space;
  std::vector<int> ways{-1};
  if (slope >= 0) ways.push_back(slope);
  const std::size_t each = most / ways.size() / problem.fields.size();
  for (const int way : ways)
    for (std::size_t f = 0; f < problem.fields.size(); ++f) {
      std::vector<int> inputs = problem.fields[f].inputs;
      if (inputs.empty())
        for (std::size_t c = 0; c < problem.coordinates.size(); ++c) inputs.push_back(int(c));
      std::vector<double> own;
      for (const int c : inputs) own.push_back(reach[std::size_t(c)]);
      ProductBasis basis(problem, inputs, own, each, highest_ + 1);
      const std::size_t first = space.columns;
      space.columns += basis.size();
      space.families.push_back({f, way, std::move(basis), first});
    }
  space.columns += problem.unknowns.size();
  return space;
}

Linearized::Table Linearized::table(PointSet points) {
  std::vector<std::vector<double>> known = (*network_)(p_, points, pool_);
  return {std::move(points), std::move(known)};
}

/// Derivatives of D w, by Leibniz' rule.
std::vector<double> Linearized::factor(const Table& table, std::size_t point,
                                       const CorrectionSpace::Family& family) const {
  const std::vector<MultiIndex>& orders = orders_[family.field];
  const PointValues at{.coordinates = table.of(table.points.x, point), .unknowns = unknowns_};
  std::vector<double> form;
  for (std::size_t i = 0; i < orders.size(); ++i)
    form.push_back(forms_[family.field].empty() ? double(i == 0) : (*forms_[family.field][i])(at));
  if (family.slope < 0) return form;
  std::vector<double> product(orders.size(), 0);
  for (std::size_t i = 0; i < orders.size(); ++i)
    for (std::size_t j = 0; j < orders.size(); ++j) {
      if (form[j] == 0 || !divides(orders[j], orders[i])) continue;
      const MultiIndex rest = orders[i] - orders[j] + unit_index(family.slope);
      if (const auto w = at_.find({int(family.field), rest}); w != at_.end())
        product[i] += binomial(orders[i], orders[j]) * form[j] * table.known[w->second][point];
    }
  return product;
}

Linearized::Local Linearized::local(const Table& table, std::size_t point,
                                    const CorrectionSpace& space) const {
  Local all;
  for (const CorrectionSpace::Family& family : space.families) {
    all.factors.push_back(factor(table, point, family));
    all.basis.push_back(family.basis.at(table.of(table.points.x, point), orders_[family.field]));
  }
  return all;
}

/// Appends sum_a slopes_a d^a of every correction to the last row.
void Linearized::add_entries(const Local& local, const LinearizedTerm& asked,
                             std::span<const double> slopes, const CorrectionSpace& space,
                             SparseRows& rows) const {
  for (std::size_t k = 0; k < space.families.size(); ++k) {
    const CorrectionSpace::Family& family = space.families[k];
    const std::vector<MultiIndex>& orders = orders_[family.field];
    std::vector<double> by_order(orders.size(), 0);
    for (std::size_t n = 0; n < asked.needs.size(); ++n) {
      const Need& need = asked.needs[n];
      if (need.field != int(family.field) || slopes[n] == 0) continue;
      for (std::size_t b = 0; b < orders.size(); ++b) {
        if (!divides(orders[b], need.index)) continue;
        const auto rest = std::ranges::lower_bound(orders, need.index - orders[b]);
        by_order[b] += slopes[n] * binomial(need.index, orders[b]) *
                       local.factors[k][std::size_t(rest - orders.begin())];
      }
    }
    const ProductBasis::Values& basis = local.basis[k];
    const std::size_t count = basis.functions.size();
    for (std::size_t j = 0; j < count; ++j) {
      double sum = 0;
      for (std::size_t b = 0; b < orders.size(); ++b)
        if (by_order[b] != 0) sum += by_order[b] * basis.derivatives[b * count + j];
      if (sum == 0) continue;
      rows.columns.push_back(family.first + basis.functions[j]);
      rows.values.push_back(sum);
    }
  }
}

double Linearized::value(const LinearizedTerm& asked, const Table& table, std::size_t point,
                         const Numbers& numbers) const {
  return (*asked.value)({.coordinates = table.of(table.points.x, point),
                         .unknowns = numbers.unknowns,
                         .columns = table.of(table.points.columns, point),
                         .normal = table.of(table.points.normals, point),
                         .field = [&](int field, const MultiIndex& order) {
                           const auto n = std::ranges::find(asked.needs, Need{field, order});
                           return numbers.needs.at(std::size_t(n - asked.needs.begin()));
                         }});
}

void Linearized::add_row(const LinearizedTerm& asked, const Table& table, std::size_t point,
                         const Local& local, double scale, const CorrectionSpace& space,
                         std::span<const double> step, Rows& rows) const {
  Numbers numbers{{}, unknowns_};
  for (const Need& need : asked.needs) numbers.needs.push_back(table.known[at_.at(need)][point]);
  const auto now = [&] { return value(asked, table, point, numbers); };
  std::vector<double> slopes;
  for (double& v : numbers.needs) slopes.push_back(scale * slope_by(v, now));
  rows.left.push_back(scale * now());
  const std::span<const double> x = table.of(table.points.x, point);
  std::vector<double> carried;  // by what was before: of the fields, and of what they begin with
  for (std::size_t n = 0; n < asked.needs.size(); ++n) {
    carried.push_back(carried_by_form(asked.needs[n], x));
    if (carried_ && run_.problem.requirements[asked.requirement].handed > 0)
      carried.back() -= (*carried_)(asked.needs[n], time_, x);
    rows.left.back() += slopes[n] * carried.back();
  }
  add_entries(local, asked, slopes, space, rows.matrix);
  const std::size_t first = space.columns - unknowns_.size();
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    rows.matrix.columns.push_back(first + u);
    rows.matrix.values.push_back(scale * slope_by(numbers.unknowns[u], now));
  }
  rows.matrix.ends.push_back(rows.matrix.columns.size());
  if (step.empty()) return;
  for (std::size_t n = 0; n < asked.needs.size(); ++n) {
    std::vector<double> one(asked.needs.size(), 0);
    one[n] = 1;
    SparseRows derivative;
    add_entries(local, asked, one, space, derivative);
    derivative.ends.push_back(derivative.columns.size());
    numbers.needs[n] += derivative.times(0, step) + carried[n];
  }
  for (std::size_t u = 0; u < unknowns_.size(); ++u) numbers.unknowns[u] += step[first + u];
  rows.moved.push_back(scale * now());
}

/// A periodic condition: the difference of a derivative at two ends.
void Linearized::add_ends(const LinearizedTerm& asked, const Table& near, const Table& far,
                          std::size_t point, double scale, const CorrectionSpace& space,
                          Rows& rows) const {
  const Need &here = asked.needs[0], &there = asked.needs[1];
  const auto carried = [&](const Need& need, const Table& table) {
    return carried_by_form(need, table.of(table.points.x, point));
  };
  rows.left.push_back(scale * (near.known[at_.at(here)][point] - far.known[at_.at(there)][point] +
                               carried(here, near) - carried(there, far)));
  SparseRows parts;
  add_entries(local(near, point, space), asked, std::array{scale, 0.0}, space, parts);
  add_entries(local(far, point, space), asked, std::array{0.0, -scale}, space, parts);
  std::map<std::size_t, double> sums;
  for (std::size_t i = 0; i < parts.columns.size(); ++i) sums[parts.columns[i]] += parts.values[i];
  for (const auto& [column, sum] : sums) {
    rows.matrix.columns.push_back(column);
    rows.matrix.values.push_back(sum);
  }
  rows.matrix.ends.push_back(rows.matrix.columns.size());
}

void Linearized::add_requirement(const CorrectionSpace& space, std::size_t r, int count,
                                 std::uint32_t draw, std::span<const double> step, Rows& rows) {
  const Requirement& requirement = run_.problem.requirements[r];
  PointSet points = fresh_points(run_, r, count, draw);
  const Table near = table(requirement.data ? thinned(std::move(points)) : std::move(points));
  std::optional<Table> far;
  if (requirement.periodic) {
    const std::size_t c = std::size_t(requirement.periodic->coordinate);
    PointSet other = near.points;
    for (std::size_t i = 0; i < other.count; ++i)
      other.x[i * run_.problem.coordinates.size() + c] = run_.problem.coordinates[c].upper;
    far = table(std::move(other));
  }
  const std::vector<PartitionPtr> partitions = partitions_of(requirement);
  for (std::size_t i = 0; i < near.points.count; ++i) {
    const Local here = local(near, i, space);
    const int piece =
        partitions.empty() ? -1 : int(piece_at(partitions, near.of(near.points.x, i)));
    const std::span<const double> own = near.of(near.points.weights, i);
    for (const LinearizedTerm& asked : asked_) {
      if (asked.requirement != r || (asked.piece >= 0 && asked.piece != piece)) continue;
      const double weight = own.empty() ? 1 : own[own.size() > 1 ? asked.term : 0];
      const double scale =
          std::sqrt(asked.weight * weight / double(near.points.count)) / asked.sigma;
      if (asked.value)
        add_row(asked, near, i, here, scale, space, step, rows);
      else
        add_ends(asked, near, *far, i, scale, space, rows);
      if (!step.empty() && !asked.value)  // it is linear
        rows.moved.push_back(rows.left.back() + rows.matrix.times(rows.left.size() - 1, step));
    }
  }
}

Linearized::Rows Linearized::rows(const CorrectionSpace& space, double count, std::uint32_t draw,
                                  std::span<const double> step) {
  // Single points are no more than they are.
  const auto drawn = [&](std::size_t r) {
    const Requirement& asked = run_.problem.requirements[r];
    return asked.region && asked.region->dimension() > 0 ? double(run_.sampling[r].count) : 0;
  };
  double all = 0;
  for (const LinearizedTerm& asked : asked_)
    if (asked.piece <= 0) all += drawn(asked.requirement);
  Rows rows;
  for (std::size_t r = 0; r < run_.problem.requirements.size(); ++r) {
    const double own = count * drawn(r) / std::max(all, 1.0);
    add_requirement(space, r, std::max(least_points, int(std::ceil(own))), draw, step, rows);
  }
  return rows;
}

Linearized::Changes Linearized::at(const CorrectionSpace& space, const Need& what,
                                   const PointSet& points) {
  return changes(space, points, [&](std::span<const double>) { return what; });
}

Linearized::Changes Linearized::at(const CorrectionSpace& space, std::size_t whole,
                                   const PointSet& points) {
  return changes(space, points, [&](std::span<const double> x) {
    return Need{field_at(run_.problem, wholes_[whole], x), MultiIndex{}};
  });
}

/// The corrections of what is asked at each point.
Linearized::Changes Linearized::changes(const CorrectionSpace& space, const PointSet& points,
                                        const std::function<Need(std::span<const double>)>& what) {
  const Table known = table(points);
  const double one = 1;
  Changes changes;
  for (std::size_t i = 0; i < points.count; ++i) {
    const std::span<const double> x = known.of(known.points.x, i);
    const LinearizedTerm itself{0, 0, -1, {what(x)}, nullptr, 1, 1};
    add_entries(local(known, i, space), itself, {&one, 1}, space, changes.matrix);
    changes.matrix.ends.push_back(changes.matrix.columns.size());
    changes.carried.push_back(carried_by_form(itself.needs[0], x));
  }
  return changes;
}

/// Points of the domain in a slab of time behind its lower end, as deep as a share of all.
PointSet Linearized::slab(double share) const {
  constexpr int count = 400;
  const Problem& problem = run_.problem;
  const Points drawn = draw_points(*interior(problem), {.count = count}, run_.options.seed,
                                   stream("start", "estimate"), 0);
  PointSet points{drawn.count, drawn.x, {}, {}, {}};
  const double lower = problem.coordinates[std::size_t(time_)].lower;
  for (std::size_t i = 0; i < points.count; ++i) {
    double& t = points.x[i * problem.coordinates.size() + std::size_t(time_)];
    t = lower + share * (t - lower);
  }
  return points;
}

/// True at points of the piece that a field is of.
bool Linearized::is_meant(int field, std::span<const double> x) const {
  const std::string& whole = run_.problem.fields[std::size_t(field)].piece_of;
  return whole.empty() || field_at(run_.problem, whole, x) == field;
}

/// Mean square of a derivative of a field, where that is meant.
double Linearized::mean_square(const Need& what, const Table& table) const {
  const std::vector<double>& values = table.known[at_.at(what)];
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_meant(what.field, table.of(table.points.x, i))) continue;
    sum += values[i] * values[i];
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

/// Root mean square of what is left of an equation, as a rate of the field that it differentiates
/// by time by its need n, whose factor may vanish at some of the points; NaN where that is none.
double Linearized::rate_left(const LinearizedTerm& asked, std::size_t n, const Table& table) const {
  double left = 0, factors = 0;
  for (std::size_t i = 0; i < table.points.count; ++i) {
    const Requirement& requirement = run_.problem.requirements[asked.requirement];
    const std::span<const double> x = table.of(table.points.x, i);
    if (!requirement.region->inside(x, 0)) continue;
    if (asked.piece >= 0 && int(piece_at(partitions_of(requirement), x)) != asked.piece) continue;
    Numbers numbers{{}, unknowns_};
    for (const Need& need : asked.needs) numbers.needs.push_back(table.known[at_.at(need)][i]);
    const auto now = [&] { return value(asked, table, i, numbers); };
    left += std::pow(now(), 2);
    factors += std::pow(slope_by(numbers.needs[n], now), 2);
  }
  return std::sqrt(left / factors);
}

std::optional<LostStart> Linearized::lost_start() {
  constexpr double lost = 0.3, deepest = 0.5, thinnest = 1e-4;
  constexpr double of_all_time = 1e-2, of_any_field = 1e-8;  // squares: what counts as no field
  if (time_ < 0) return {};
  const Coordinate& time = run_.problem.coordinates[std::size_t(time_)];
  std::vector<double> usual;
  for (double share = deepest; share > thinnest; share /= 2) {
    const Table known = table(slab(share));
    std::vector<double> now;
    for (std::size_t f = 0; f < run_.problem.fields.size(); ++f)
      now.push_back(mean_square({int(f), MultiIndex{}}, known));
    if (usual.empty()) usual = now;
    const double any = *std::ranges::max_element(usual);
    const double depth = share * (time.upper - time.lower);
    for (const LinearizedTerm& asked : asked_) {
      const Requirement& requirement = run_.problem.requirements[asked.requirement];
      if (requirement.kind != Requirement::Kind::equation) continue;
      for (std::size_t n = 0; n < asked.needs.size(); ++n) {
        if (asked.needs[n].index != unit_index(time_)) continue;
        const std::size_t f = std::size_t(asked.needs[n].field);
        const double size = std::max({now[f], of_all_time * usual[f], of_any_field * any});
        const double rate = mean_square(asked.needs[n], known);  // of the field's own
        const double part =
            depth * rate_left(asked, n, known) / (std::sqrt(size) + depth * std::sqrt(rate));
        if (std::isfinite(part) && part > lost)
          return LostStart{requirement.residuals[asked.term].name, run_.problem.fields[f].name,
                           part, time.lower + depth};
      }
    }
  }
  return {};
}

}  // namespace pinn
