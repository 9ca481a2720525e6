// Meaning of integrals over all of a region for its points.
#include "solvers/problem/integrals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "configs/draft.h"
#include "data/sampling/quadrature.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/point_formula.h"

namespace pinn::config {
namespace {

constexpr double most_nodes = 1e6;
constexpr int usual_sequence = 4096;  ///< nodes where there is no rule of Gauss

/// Nodes along each coordinate, where nothing is said: a thousand in all, or two.
int usual_quadrature(int dimension) {
  constexpr std::array by_dimension = {1, 64, 32, 12, 6};
  return dimension < int(by_dimension.size()) ? by_dimension[std::size_t(dimension)] : 4;
}

class IntegralReader {
 public:
  IntegralReader(Draft& draft, const Node& node, Requirement& r, SamplingOptions& sampling)
      : draft_(draft), node_(node), r_(r), sampling_(sampling) {}

  void settle() {
    if (r_.places) return require_integrals();
    if (!is_integral(r_)) return;
    for (const Residual& residual : r_.residuals)
      if (residual.expression->kind == Expression::Kind::by_region)
        return refuse(Mistake::integral_pieces, "residual",
                      fmt::format("'{}' is one number, and what stands in it means something else "
                                  "in every region",
                                  residual.name),
                      "say which is meant: side(e, REGION)");
    for (const Residual& residual : r_.residuals)
      if (!contains(*residual.expression, Expression::Kind::whole))
        return refuse(Mistake::integral_mixed, "residual",
                      fmt::format("'{}' is asked at every point, and another residual beside it is "
                                  "one number, made of integrals",
                                  residual.name),
                      "give each a requirement of its own");
    for (Residual& residual : r_.residuals) settle_weight(residual);
    if (std::ranges::any_of(r_.residuals,
                            [](const Residual& one) { return one.weight_at != nullptr; }))
      return refuse(Mistake::integral_weight, "weight",
                    "an integral is one number, and its weight cannot change from place to place",
                    "write a number, and the formula into the integral");
    sampling_.redraw = 0;
    has_panels(*r_.region) ? settle_panels() : settle_sequence();
  }

 private:
  /// Requires integrals over some coordinates, which are sums over places by now.
  void require_integrals() {
    for (const Residual& residual : r_.residuals)
      for (const Expression* e : in_order(*residual.expression))
        if (e->kind == Expression::Kind::elsewhere && e->order == r_.places->marked) return;
    refuse(Mistake::integrate_nothing, "integrate", "no residual has an integral",
           "leave 'integrate' out, or write integral(e) or mean(e) into the residual");
  }

  void refuse(Mistake mistake, const char* key, std::string what, std::string fix) {
    const Node* at = node_.at(key);
    draft_.findings.add(mistake, at ? *at : node_, std::move(what), std::move(fix));
  }

  /// A formula of indices and constants is one number.
  static void settle_weight(Residual& residual) {
    if (!residual.weight_at || !residual.weight_at->is_constant()) return;
    residual.weight = (*residual.weight_at)({});
    residual.weight_at = nullptr;
  }

  void settle_panels() {
    if (node_.at("points"))
      return refuse(Mistake::integral_points, "points",
                    "this integral is taken by a rule of Gauss, and no points are drawn for it",
                    "write quadrature = 32, nodes along each coordinate, or leave it out");
    if (r_.quadrature == 0) r_.quadrature = usual_quadrature(r_.region->dimension());
    if (const double nodes = gauss_nodes(*r_.region, r_.quadrature); nodes > most_nodes)
      refuse(Mistake::integral_nodes, "quadrature",
             fmt::format("{} nodes along each coordinate are {:.3g} in all", r_.quadrature, nodes),
             fmt::format("at most {:g} are possible: choose fewer", most_nodes));
  }

  void settle_sequence() {
    if (node_.at("quadrature"))
      return refuse(Mistake::integral_quadrature, "quadrature",
                    "there is no rule of Gauss on this region, whose points are no box",
                    "write points = 4096, nodes of a sequence, instead");
    for (const std::string key :
         {"points.method", "points.redraw", "points.density", "points.file"})
      if (const Node* said = node_.at(key);
          said && !(key == "points.method" && said->text == "sobol") &&
          !(key == "points.redraw" && said->whole == 0))  // as values in force say it
        return refuse(Mistake::integral_sequence, key.c_str(),
                      "the points of an integral are nodes of a sequence: they have a count alone",
                      "write points = 4096");
    const Node* points = node_.at("points");
    if (!points) sampling_.count = usual_sequence;
  }

  Draft& draft_;
  const Node& node_;
  Requirement& r_;
  SamplingOptions& sampling_;
};

/// The strings of a residual.
std::vector<std::string> texts(const Node& residual) {
  std::vector<std::string> all;
  if (residual.kind == Node::string) all.push_back(residual.text);
  for (const Node& item : residual.items) all.push_back(item.text);
  for (const Entry& e : residual.entries) all.push_back(e.value.text);
  return all;
}

/// True if a formula, even one that cannot be read, has a word before a parenthesis.
bool calls(const std::string& text, const std::string& word) {
  const auto is_of_name = [](char c) { return c == '_' || std::isalnum(uint8_t(c)); };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    if (at > 0 && is_of_name(text[at - 1])) continue;
    const std::size_t after = text.find_first_not_of(" \t\r\n", at + word.size());
    if (after != text.npos && text[after] == '(') return true;
  }
  return false;
}

/// Requires an integral that `quadrature` is said of.
void require_use(Draft& draft, const Node& node, const Requirement& requirement) {
  const Node* said = node.at("quadrature");
  const std::vector<Define>& defines = draft.run.problem.defines;
  const bool used =
      draft.run.problem.pieces || is_integral(requirement) || says_integral(*node.at("residual")) ||
      std::ranges::any_of(defines, [](const Define& d) { return calls(d.text, "integral"); });
  if (said && !used)
    draft.findings.add(Mistake::quadrature_nothing, *said, "no residual has an integral",
                       "leave 'quadrature' out; how many points there are is 'points'");
}

}  // namespace

bool says_integral(const Node& residual) {
  return std::ranges::any_of(texts(residual), [](const std::string& text) {
    return calls(text, "integral") || calls(text, "mean");
  });
}

void settle_integrals(Draft& draft, const Node& node, Requirement& requirement,
                      SamplingOptions& sampling) {
  const bool read = std::ranges::all_of(requirement.residuals,
                                        [](const Residual& r) { return r.expression != nullptr; });
  if (!read || requirement.residuals.empty()) return;
  require_use(draft, node, requirement);
  if (requirement.region) IntegralReader(draft, node, requirement, sampling).settle();
}

}  // namespace pinn::config
