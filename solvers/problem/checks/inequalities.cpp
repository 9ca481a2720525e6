// Residuals that only jump: training, which goes by slopes, cannot move them.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

using Kind = Expression::Kind;

constexpr std::size_t readable = 60;  ///< bytes of a penalty that a message spells

/// True if an op is constant but for its jumps: a comparison, sign.
bool is_flat(const Expression& e) {
  if (e.kind != Kind::call) return false;
  if (const int id = find_unary(e.name); id >= 0 && e.inputs.size() == 1)
    return visit_unary(id, []<class Op>() { return Op::flat; });
  if (const int id = find_binary(e.name); id >= 0)
    return visit_binary(id, []<class Op>() { return Op::flat; });
  return false;
}

bool is_comparison(const Expression& e) {
  return e.kind == Kind::call && !comparison_sign(e.name).empty();
}

bool is_trained(const Expression& e) { return e.kind == Kind::field || e.kind == Kind::unknown; }

/// True if a field or an unknown reaches the value of a formula other than through jumps.
bool has_slope(const Expression& root) {
  std::unordered_map<const Expression*, bool> slope;
  for (const Expression* e : in_order(root)) {
    bool any = is_trained(*e);
    const std::size_t first = e->kind == Kind::call && e->name == "where" ? 1 : 0;
    for (std::size_t i = first; i < e->inputs.size() && !is_flat(*e); ++i)
      any = any || slope[e->inputs[i].get()];
    slope[e] = any;
  }
  return slope[&root];
}

/// True if a residual is a comparison, itself or in one of the regions.
bool is_bare(const Expression& e) {
  return is_comparison(e) ||
         (e.kind == Kind::by_region &&
          std::ranges::any_of(e.inputs, [](const ExpressionPtr& in) { return is_bare(*in); }));
}

/// relu(u - 3) for u <= 3: 0 where it holds, and by how much it does not elsewhere; empty where it
/// would be long or cannot be written.
std::string penalty(const Expression& comparison, const Scope& scope) {
  ExpressionPtr less = comparison.inputs[0], more = comparison.inputs[1];
  if (comparison_sign(comparison.name).starts_with(">")) std::swap(less, more);
  const auto is_zero = [](const Expression& e) { return is_constant(e, 0) && e.name.empty(); };
  const ExpressionPtr excess = is_zero(*more)   ? less
                               : is_zero(*less) ? make_call("neg", {more})
                                                : make_call("sub", {less, more});
  const std::string text = fmt::format("relu({})", print(*excess, scope));
  return text.size() <= readable && text.find('{') == text.npos ? text : "";
}

/// How to write what the comparisons in a formula ask for.
std::string advice(const Expression& root, const Scope& scope) {
  std::string penalties;
  int count = 0;
  for (const Expression* e : in_order(root)) {
    const std::string one = is_comparison(*e) ? penalty(*e, scope) : "";
    if (one.empty()) continue;
    penalties += (count++ > 0 ? ", " : "") + fmt::format("\"{}\"", one);
  }
  if (count == 0) return "write relu(a - b) for a <= b: 0 where that holds, its excess elsewhere";
  return fmt::format("write residual = {}, 0 where that holds and the excess elsewhere",
                     count == 1 ? penalties : "[" + penalties + "]");
}

}  // namespace

void require_slope(const Text& text, const Expression& residual, const Scope& scope) {
  const bool asks = contains(residual, Kind::field) || contains(residual, Kind::unknown);
  if (!asks) return;
  const Span all{0, text.value.size()};
  if (is_bare(residual))
    throw ConfigError(report(text, all,
                             "not yet: inequalities. A comparison as a residual is 1 where it "
                             "holds and 0 elsewhere, and a residual has to vanish",
                             advice(residual, scope)));
  if (!has_slope(residual))
    throw ConfigError(report(text, all,
                             "this residual changes by jumps alone, and training goes by slopes: "
                             "nothing can make it vanish",
                             advice(residual, scope)));
}

}  // namespace pinn
