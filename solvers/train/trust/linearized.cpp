#include "solvers/train/trust/linearized.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "solvers/optimize/normal_equations.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/residuals.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/run/windows.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

constexpr std::size_t most_coordinates = 8;  ///< products of more functions are too few
constexpr int least_points = 16;             ///< of a requirement

double binomial(const MultiIndex& a, const MultiIndex& b) {
  double product = 1;
  for (int c = 0; c < max_coordinates; ++c)
    for (int k = 0; k < b[std::size_t(c)]; ++k)
      product *= double(a[std::size_t(c)] - k) / double(k + 1);
  return product;
}

/// All indices that divide one of some, in their order.
std::vector<MultiIndex> closure(const std::set<MultiIndex>& some) {
  std::set<MultiIndex> all{MultiIndex{}};
  std::vector<MultiIndex> open(some.begin(), some.end());
  while (!open.empty()) {
    const MultiIndex a = open.back();
    open.pop_back();
    if (!all.insert(a).second) continue;
    for (int c = 0; c < max_coordinates; ++c)
      if (a[std::size_t(c)] > 0) open.push_back(a - unit_index(c));
  }
  return {all.begin(), all.end()};
}

ExpressionPtr formula_of(const Need& need) {
  const ExpressionPtr field = make_leaf(Kind::field, need.field);
  return order(need.index) == 0 ? field : make_derivative(field, need.index);
}

/// The derivative of a formula of the coordinates.
ExpressionPtr derived(ExpressionPtr e, const MultiIndex& by) {
  for (int c = 0; c < max_coordinates; ++c)
    for (int k = 0; k < by[std::size_t(c)]; ++k) e = differentiate(e, c);
  return e;
}

/// A form with numbers in the place of the fields before: 1 for one of them, 0 for the others.
ExpressionPtr with_before(const ExpressionPtr& e, std::size_t one) {
  if (e->kind == Kind::before) return make_number(std::size_t(e->index) == one ? 1 : 0);
  if (e->inputs.empty() || !contains(*e, Kind::before)) return e;
  std::vector<ExpressionPtr> inputs;
  for (const ExpressionPtr& input : e->inputs) inputs.push_back(with_before(input, one));
  return with_inputs(*e, std::move(inputs));
}

std::string beyond(const Expression& e) {
  if (contains(e, Kind::elsewhere)) return "it asks for fields at other places";
  if (contains(e, Kind::integral) || contains(e, Kind::whole)) return "it asks for integrals";
  if (contains(e, Kind::by_region)) return "it means something else in every region";
  return "";
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

Linearized::Linearized(const Run& run, std::shared_ptr<const Model> model,
                       std::span<const double> p, std::span<const double> weights,
                       const Carried* carried, ThreadPool& pool)
    : run_(run),
      model_(std::move(model)),
      p_(p),
      carried_(carried),
      pool_(pool),
      time_(time_of(run.problem)),
      unknowns_(model_->unknown_values(p)) {
  if (run.problem.coordinates.size() > most_coordinates)
    absent_ = "it has more than eight coordinates";
  else if (run.problem.pieces)
    absent_ = "it has pieces";
  if (absent_.empty()) read(weights);
  if (absent_.empty()) ask_network();
  forms_.resize(run.problem.fields.size());
  before_.resize(run.problem.fields.size());
  for (std::size_t f = 0; f < run.problem.outputs.size() && absent_.empty(); ++f) read_form(f);
}

void Linearized::read(std::span<const double> weights) {
  const Problem& problem = run_.problem;
  std::size_t term = 0;
  for (std::size_t r = 0; r < problem.requirements.size() && absent_.empty(); ++r) {
    const Requirement& requirement = problem.requirements[r];
    if (is_integral(requirement)) absent_ = "it asks for integrals";
    for (std::size_t k = 0; k < requirement.residuals.size() && absent_.empty(); ++k, ++term) {
      const ExpressionPtr& written = requirement.residuals[k].expression;
      absent_ = beyond(*written);
      if (!absent_.empty()) return;
      const ExpressionPtr e = substitute_fields(written, {});
      const Needs all = needs(*e);
      asked_.push_back({r,
                        k,
                        {all.begin(), all.end()},
                        std::make_shared<const Evaluator>(*e),
                        weights[term],
                        requirement.data ? requirement.data->sigma : 1});
    }
    if (!requirement.periodic) continue;
    for (const int f : periodic_fields(requirement, problem))
      for (int k = 0; k <= requirement.periodic->order; ++k, ++term) {
        MultiIndex a{};
        a[std::size_t(requirement.periodic->coordinate)] = std::uint8_t(k);
        asked_.push_back({r, 0, {Need{f, a}}, nullptr, weights[term], 1});
      }
  }
}

/// Compiles what all rows ask of the network: of each field the derivatives that divide what is
/// asked, and those of its slopes.
void Linearized::ask_network() {
  std::vector<std::set<MultiIndex>> asked(run_.problem.fields.size());
  for (const Asked& one : asked_)
    for (const Need& need : one.needs) {
      asked[std::size_t(need.field)].insert(need.index);
      highest_ = std::max(highest_, order(need.index));
    }
  std::vector<ExpressionPtr> formulas;
  for (std::size_t f = 0; f < asked.size(); ++f) {
    orders_.push_back(closure(asked[f]));
    std::set<MultiIndex> known(orders_[f].begin(), orders_[f].end());
    for (const MultiIndex& a : orders_[f])
      for (std::size_t c = 0; c < run_.problem.coordinates.size() && order(a) < max_order; ++c)
        known.insert(a + unit_index(int(c)));
    for (const MultiIndex& a : known) {
      at_[{int(f), a}] = formulas.size();
      formulas.push_back(formula_of({int(f), a}));
    }
  }
  network_ = std::make_unique<Formulas>(model_, formulas);
}

/// D of u = G + D N, and what G multiplies the fields before by.
void Linearized::read_form(std::size_t field) {
  const ExpressionPtr& output = run_.problem.outputs[field];
  if (!output) return;
  const std::size_t fields = run_.problem.fields.size();
  const auto with = [&](double n, std::size_t one) {
    return Formula(substitute_fields(with_before(output, one), {}, make_number(n)));
  };
  const Formula d = with(1, fields) - with(0, fields);
  const auto differs = [&](const Formula& e) {
    const Evaluator once(*d.e), again(*e.e);
    const Points some = draw_points(*interior(run_.problem), {.count = 50}, 0, 0, 0);
    const std::size_t width = run_.problem.coordinates.size();
    for (std::size_t i = 0; i < some.count; ++i) {
      const PointValues at{.coordinates = std::span(some.x).subspan(i * width, width),
                           .unknowns = unknowns_};
      if (!(std::fabs(once(at) - again(at)) <= 1e-9 * (std::fabs(once(at)) + 1))) return true;
    }
    return false;
  };
  if (differs(with(3, fields) - with(2, fields))) absent_ = "its form is no G + D N";
  for (const MultiIndex& a : orders_[field])
    forms_[field].push_back(std::make_shared<const Evaluator>(*derived(d.e, a)));
  if (!contains(*output, Kind::before)) return;
  for (std::size_t g = 0; g < fields; ++g) {
    if (differs(with(1, g) - with(0, g))) absent_ = "its form is no G + D N";
    const Formula factor = with(0, g) - with(0, fields);
    auto& derivatives = before_[field].emplace_back();
    for (const MultiIndex& a : orders_[field])
      derivatives.push_back(std::make_shared<const Evaluator>(*derived(factor.e, a)));
  }
}

/// A derivative of what the form of a field carries on of the window before.
double Linearized::carried_by_form(const Need& need, std::span<const double> x) const {
  const auto& factors = before_[std::size_t(need.field)];
  if (!carried_ || factors.empty()) return 0;
  const std::vector<MultiIndex>& orders = orders_[std::size_t(need.field)];
  double sum = 0;
  for (std::size_t g = 0; g < factors.size(); ++g)
    for (std::size_t b = 0; b < orders.size(); ++b) {
      if (orders[b][std::size_t(time_)] > 0 || !divides(orders[b], need.index)) continue;
      const auto rest = std::ranges::lower_bound(orders, need.index - orders[b]);
      const double factor = (*factors[g][std::size_t(rest - orders.begin())])(
          {.coordinates = x, .unknowns = unknowns_});
      if (factor != 0)
        sum +=
            binomial(need.index, orders[b]) * factor * (*carried_)({int(g), orders[b]}, time_, x);
    }
  return sum;
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
void Linearized::add_entries(const Local& local, const Asked& asked, std::span<const double> slopes,
                             const CorrectionSpace& space, SparseRows& rows) const {
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

double Linearized::value(const Asked& asked, const Table& table, std::size_t point,
                         const Numbers& numbers) const {
  return (*asked.value)({.coordinates = table.of(table.points.x, point),
                         .unknowns = numbers.unknowns,
                         .columns = table.of(table.points.columns, point),
                         .normal = table.of(table.points.normals, point),
                         .field = [&](int field, const MultiIndex& order) {
                           const auto n = std::ranges::find(asked.needs, Need{field, order});
                           return numbers.needs[std::size_t(n - asked.needs.begin())];
                         }});
}

void Linearized::add_row(const Asked& asked, const Table& table, std::size_t point,
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
void Linearized::add_ends(const Asked& asked, const Table& near, const Table& far,
                          std::size_t point, double scale, const CorrectionSpace& space,
                          Rows& rows) const {
  const std::size_t at = at_.at(asked.needs[0]);
  const auto carried = [&](const Table& table) {
    return carried_by_form(asked.needs[0], table.of(table.points.x, point));
  };
  rows.left.push_back(
      scale * (near.known[at][point] - far.known[at][point] + carried(near) - carried(far)));
  const double here = scale, there = -scale;
  SparseRows parts;
  add_entries(local(near, point, space), asked, {&here, 1}, space, parts);
  add_entries(local(far, point, space), asked, {&there, 1}, space, parts);
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
  const Table near = table(fresh_points(run_, r, count, draw));
  std::optional<Table> far;
  if (requirement.periodic) {
    const std::size_t c = std::size_t(requirement.periodic->coordinate);
    PointSet other = near.points;
    for (std::size_t i = 0; i < other.count; ++i)
      other.x[i * run_.problem.coordinates.size() + c] = run_.problem.coordinates[c].upper;
    far = table(std::move(other));
  }
  for (std::size_t i = 0; i < near.points.count; ++i) {
    const Local here = local(near, i, space);
    const std::span<const double> own = near.of(near.points.weights, i);
    for (const Asked& asked : asked_) {
      if (asked.requirement != r) continue;
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
  double all = 0;
  for (const Asked& asked : asked_)
    if (!run_.problem.requirements[asked.requirement].data)
      all += run_.sampling[asked.requirement].count;
  Rows rows;
  for (std::size_t r = 0; r < run_.problem.requirements.size(); ++r) {
    const double own = count * run_.sampling[r].count / std::max(all, 1.0);
    add_requirement(space, r, std::max(least_points, int(std::ceil(own))), draw, step, rows);
  }
  return rows;
}

Linearized::Changes Linearized::at(const CorrectionSpace& space, const Need& what,
                                   const PointSet& points) {
  const Table known = table(points);
  const Asked itself{0, 0, {what}, nullptr, 1, 1};
  const double one = 1;
  Changes changes;
  for (std::size_t i = 0; i < points.count; ++i) {
    add_entries(local(known, i, space), itself, {&one, 1}, space, changes.matrix);
    changes.matrix.ends.push_back(changes.matrix.columns.size());
    changes.carried.push_back(carried_by_form(what, known.of(known.points.x, i)));
  }
  return changes;
}

double Carried::operator()(const Need& need, int time, std::span<const double> x) const {
  MultiIndex of_time{}, rest = need.index;
  std::swap(of_time[std::size_t(time)], rest[std::size_t(time)]);
  for (const Part& part : parts_) {
    if (part.what != Need{need.field, of_time}) continue;
    const ProductBasis::Values values = part.basis.at(x, {&rest, 1});
    double sum = 0;
    for (std::size_t k = 0; k < values.functions.size(); ++k)
      sum += values.derivatives[k] * part.coefficients[values.functions[k]];
    return sum;
  }
  return 0;
}

Carried Linearized::carried_on(const CorrectionSpace& space, std::span<const double> step) {
  constexpr std::size_t most = 400;
  constexpr double points_per_function = 4, ridge = 1e-11;
  const Problem& problem = run_.problem;
  std::vector<Carried::Part> parts;
  for (std::size_t f = 0; f < problem.fields.size(); ++f) {
    std::vector<int> inputs;
    for (int c = 0; c < int(problem.coordinates.size()); ++c)
      if (c != time_) inputs.push_back(c);
    const ProductBasis basis(problem, inputs, std::vector<double>(inputs.size(), 1), most,
                             highest_ + 1);
    const int count = int(points_per_function * double(basis.size())) + 16;
    const Points drawn = draw_points(*face(problem, time_, true), {.count = count},
                                     run_.options.seed, stream("carried", "estimate"), 0);
    const PointSet points{drawn.count, drawn.x, {}, {}, {}};
    for (const MultiIndex& a : orders_[f]) {
      if (order(a) != a[std::size_t(time_)]) continue;
      const Changes changes = at(space, {int(f), a}, points);
      NormalEquations sums(basis.size());
      const MultiIndex none{};
      for (std::size_t i = 0; i < points.count; ++i) {
        const ProductBasis::Values values = basis.at(
            std::span(points.x).subspan(i * problem.coordinates.size(), problem.coordinates.size()),
            {&none, 1});
        sums.add(values.functions, values.derivatives,
                 changes.matrix.times(i, step) + changes.carried[i]);
      }
      const Cholesky factor(sums, std::vector<double>(basis.size(), ridge));
      parts.push_back(
          {{int(f), a},
           basis,
           factor.exists() ? factor.solve(sums.gradient()) : std::vector<double>(basis.size(), 0)});
    }
  }
  return Carried(std::move(parts));
}

}  // namespace pinn
