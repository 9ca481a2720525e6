// Powers, roots and logarithms of what training may make negative.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "autograd/core/random.h"
#include "data/geometry/measure.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

constexpr int tries = 400;  ///< of values that the network might give

/// The input that must not be negative for a node to have a value; null: it always has one.
ExpressionPtr base_of(const Expression& e) {
  if (e.kind != Kind::call) return nullptr;
  if (e.name == "sqrt" || e.name == "log") return e.inputs[0];
  if (e.name != "pow" && e.name != "power") return nullptr;
  const Expression& exponent = *e.inputs[1];
  const bool whole =
      exponent.kind == Kind::number && exponent.number == std::floor(exponent.number);
  return whole ? nullptr : e.inputs[0];
}

bool is_plain(const Expression& e) {
  return std::ranges::all_of(in_order(e),
                             [](const Expression* node) {
                               const bool of_field = node->kind == Kind::derivative &&
                                                     node->inputs[0]->kind == Kind::field;
                               return is_pointwise(*node) || node->inputs.empty() || of_field;
                             }) &&
         !contains(e, Kind::column) && !contains(e, Kind::normal) && !contains(e, Kind::bound) &&
         !contains(e, Kind::before);
}

/// Values that a network might give: small and large, of both signs.
class Possible {
 public:
  explicit Possible(const Problem& problem) : unknowns_(starts(problem)) {
    for (const ExpressionPtr& output : problem.outputs)
      outputs_.push_back(output ? std::optional<Evaluator>(*output) : std::nullopt);
    points_ = spread_points(*interior(problem), tries, 100L * tries);
  }

  /// True where a formula is below 0 for some of them.
  bool negative(const Expression& e) const {
    const Evaluator value(e);
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const auto field = [&](int f, const MultiIndex& by) { return of_field(k, f, by); };
      if (value({.coordinates = points_[k], .unknowns = unknowns_, .field = field}) < 0)
        return true;
    }
    return false;
  }

 private:
  double output(std::size_t k, std::size_t number) const {
    const Random random{0, stream("checks", "powers"), std::uint32_t(number)};
    const double size = std::pow(10, 2 * random.uniform(2 * k) - 1);  // 0.1 to 10
    return random.uniform(2 * k + 1) < 0.5 ? size : -size;
  }
  double of_field(std::size_t k, int f, const MultiIndex& by) const {
    std::size_t number = std::size_t(f);
    for (std::size_t c = 0; c < by.size(); ++c) number = 7 * number + 131 * by[c] * (c + 1);
    const double n = output(k, number);
    if (order(by) > 0 || std::size_t(f) >= outputs_.size() || !outputs_[std::size_t(f)]) return n;
    return (*outputs_[std::size_t(f)])(
        {.coordinates = points_[k], .unknowns = unknowns_, .raw_output = n});
  }

  std::vector<std::optional<Evaluator>> outputs_;
  std::vector<std::vector<double>> points_;
  std::vector<double> unknowns_;
};

/// a + b u of one field, as numbers.
struct Line {
  int field = 0;
  double a = 0, b = 0;
};
std::optional<Line> line_of_field(const Expression& e) {
  Line line{-1, 0, 0};
  for (const Expression* node : in_order(e)) {
    if (node->kind == Kind::field && (line.field < 0 || line.field == node->index))
      line.field = node->index;
    else if (node->kind != Kind::number && node->kind != Kind::call)
      return {};
  }
  if (line.field < 0) return {};
  const auto at = [&](double u) {
    return evaluate(e, {.field = [u](int, const MultiIndex&) { return u; }});
  };
  line.a = at(0), line.b = at(1) - at(0);
  const bool straight = std::fabs(at(-7) - (line.a - 7 * line.b)) <=
                        1e-9 * (std::fabs(line.a) + 7 * std::fabs(line.b));
  return straight && line.b != 0 ? std::optional(line) : std::nullopt;
}

/// The interval in which all powers of a field have values.
struct Bounds {
  double lower = -INFINITY, upper = INFINITY;
};

/// "exp(N)", "3*sigmoid(N)": a form that never leaves an interval.
std::string form_within(const Bounds& b) {
  const std::string lower = b.lower == 0 ? "" : fmt::format("{:g} + ", b.lower);
  if (!std::isfinite(b.upper)) return lower + "exp(N)";
  if (!std::isfinite(b.lower)) return fmt::format("{:g} - exp(N)", b.upper);
  return fmt::format("{}{:g}*sigmoid(N)", lower, b.upper - b.lower);
}

/// Narrows the bounds of a field to where a base is not negative.
void narrow(std::map<int, Bounds>& all, const Line& line) {
  Bounds& b = all[line.field];
  const double zero = -line.a / line.b;
  (line.b > 0 ? b.lower : b.upper) = line.b > 0 ? std::max(b.lower, zero) : std::min(b.upper, zero);
}

std::string forms_text(const Problem& problem, const std::map<int, Bounds>& bounds) {
  std::string text;
  for (const auto& [field, b] : bounds)
    if (b.lower < b.upper)
      text += fmt::format("{}{} = \"{}\"", text.empty() ? "" : ", ",
                          problem.fields[std::size_t(field)].name, form_within(b));
  return text;
}

}  // namespace

Warnings negative_powers(const Problem& problem) {
  std::map<int, Bounds> bounds;
  std::vector<std::pair<const Residual*, ExpressionPtr>> found;
  std::optional<Possible> possible;
  for (const Requirement& r : problem.requirements)
    for (const Residual& residual : r.residuals)
      for (const Expression* node : in_order(*residual.expression)) {
        const ExpressionPtr base = base_of(*node);
        if (!base || !dependence(*base).fields || !is_plain(*base)) continue;
        if (!possible) possible.emplace(problem);
        if (!possible->negative(*base)) continue;
        if (const auto line = line_of_field(*base)) narrow(bounds, *line);
        found.push_back({&residual, base});
      }
  if (found.empty()) return {};
  std::vector<std::string> bases;
  for (const auto& [residual, base] : found)
    if (std::string text = print(*base, {problem}); std::ranges::find(bases, text) == bases.end())
      bases.push_back(std::move(text));
  const Text& text = found[0].first->text;
  const std::string forms = forms_text(problem, bounds);
  return {
      report(text, {0, text.value.size()},
             fmt::format("a root, a logarithm or a broken power is taken of {}, which the network "
                         "may make negative: the loss is nan then",
                         listed(bases)),
             forms.empty() ? "give the fields forms in [network.output] that keep it positive, "
                             "such as exp(N)"
                           : "write [network.output] " + forms)};
}

}  // namespace pinn
