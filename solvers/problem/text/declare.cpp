#include "solvers/problem/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "solvers/problem/expression.h"
#include "solvers/problem/text/builder.h"
#include "solvers/problem/text/indices.h"

namespace pinn {
namespace {

/// Which definitions each definition uses.
using Uses = std::vector<std::vector<int>>;

/// An order in which every definition comes after those it uses, and the circles that forbid one.
struct Plan {
  std::vector<int> order;
  std::vector<std::vector<int>> circles;
};

/// Depth first, with a path instead of recursion; an edge back into the path closes a circle.
Plan plan(const Uses& uses) {
  enum State { fresh, open, done };
  constexpr std::size_t most_circles = 20;
  Plan result;
  std::vector<State> state(uses.size(), fresh);
  std::vector<std::size_t> next(uses.size(), 0);
  for (std::size_t root = 0; root < uses.size(); ++root) {
    std::vector<int> path;
    if (state[root] == fresh) path.push_back(int(root));
    while (!path.empty()) {
      const std::size_t at = std::size_t(path.back());
      state[at] = open;
      if (next[at] == uses[at].size()) {
        state[at] = done;
        result.order.push_back(path.back());
        path.pop_back();
        continue;
      }
      const int used = uses[at][next[at]++];
      if (state[std::size_t(used)] == fresh)
        path.push_back(used);
      else if (state[std::size_t(used)] == open && result.circles.size() < most_circles)
        result.circles.emplace_back(std::find(path.begin(), path.end(), used), path.end());
    }
  }
  return result;
}

/// The words of a text, without those in side(e, REGION): they are read for themselves.
std::vector<Token> words_here(const Text& text) {
  std::vector<Token> here;
  std::vector<bool> of_side;  ///< the parentheses that are open
  std::string_view before;
  for (const Token& token : tokens(text)) {
    if (token.text == "(") of_side.push_back(before == "side");
    if (std::ranges::find(of_side, true) == of_side.end()) here.push_back(token);
    if (token.text == ")" && !of_side.empty()) of_side.pop_back();
    before = token.text;
  }
  return here;
}

/// The definitions that the names in a text mean, as `find` knows them; of a name with indices all
/// of its kind.
std::vector<int> used_by(const Text& text, const std::vector<Definition>& definitions,
                         const std::function<int(std::string_view)>& find) {
  std::vector<int> used;
  const auto use = [&](int i) {
    if (i >= 0 && std::find(used.begin(), used.end(), i) == used.end()) used.push_back(i);
  };
  for (const Token& token : words_here(text)) {
    if (token.kind != Token::Kind::name) continue;
    const int exact = find(token.text);
    use(exact);
    for (std::size_t i = 0; has_indices(token.text) && i < definitions.size(); ++i) {
      const std::string& name = definitions[i].name.value;
      if (uses_index(token.text, name) ||
          (exact < 0 && has_indices(name) && base_of(name) == base_of(token.text)))
        use(int(i));
    }
  }
  return used;
}

Report circle_report(const std::vector<Definition>& definitions, const std::vector<int>& circle,
                     const std::string& kind) {
  constexpr std::size_t most = 10;
  std::string names;
  for (std::size_t i = 0; i < circle.size() && i < most; ++i)
    names += definitions[std::size_t(circle[i])].name.value + " -> ";
  if (circle.size() > most) names += "... -> ";
  const Definition& first = definitions[std::size_t(circle[0])];
  return report(first.text,
                fmt::format("these {} form a circle: {}{}", kind, names, first.name.value),
                "write one of them without the others");
}

/// Runs `read` over the definitions in an order that works and throws all that went wrong. What
/// cannot be read stays a NaN, which a formula that uses it passes on in silence.
void read_all(const std::vector<Definition>& definitions, const std::string& kind,
              const std::function<int(std::string_view)>& find,
              const std::function<void(std::size_t)>& read) {
  std::vector<Report> reports;
  std::vector<bool> broken(definitions.size(), false);
  Uses uses(definitions.size());
  const auto collect = [&](std::size_t i, const auto& act) {
    try {
      act();
    } catch (const ConfigError& error) {
      broken[i] = true;
      reports.insert(reports.end(), error.reports.begin(), error.reports.end());
    }
  };
  for (std::size_t i = 0; i < definitions.size(); ++i)
    collect(i, [&] { uses[i] = used_by(definitions[i].text, definitions, find); });
  const Plan steps = plan(uses);
  for (const std::vector<int>& circle : steps.circles) {
    reports.push_back(circle_report(definitions, circle, kind));
    for (const int i : circle) broken[std::size_t(i)] = true;
  }
  for (const int i : steps.order)
    if (!broken[std::size_t(i)]) collect(std::size_t(i), [&] { read(std::size_t(i)); });
  if (!reports.empty()) throw ConfigError(reports);
}

}  // namespace

void declare_constants(const std::vector<Definition>& definitions, Problem& problem) {
  problem.constants.clear();
  for (const Definition& d : definitions)
    problem.constants.push_back({d.name.value, std::nan(""), d.text.value});
  const Scope scope{problem, Scope::Use::constant};
  const auto find = [&](std::string_view name) {
    const Meaning m = meaning(scope, name);
    return m.kind == Meaning::Kind::constant ? m.index : -1;
  };
  read_all(definitions, "constants", find, [&](std::size_t i) {
    problem.constants[i].value = parse_constant(definitions[i].text, problem);
  });
}

void declare_defines(const std::vector<Definition>& definitions, Problem& problem,
                     Warnings& warnings) {
  problem.defines.clear();
  for (const Definition& d : definitions)
    problem.defines.push_back({d.name.value, {make_number(std::nan(""))}, false, d.text.value});
  Scope scope{problem};
  scope.has_normal = true;  // checked where the define is used
  const auto find = [&](std::string_view name) {
    if (const Meaning m = meaning(scope, name))
      return m.kind == Meaning::Kind::define ? m.index : -1;
    for (const Reading& r : readings(scope, name))
      if (r.base.kind == Meaning::Kind::define) return r.base.index;
    return -1;
  };
  read_all(definitions, "defines", find, [&](std::size_t i) {
    const Built built = parse_built(definitions[i].text, scope, warnings);
    problem.defines[i].parts = built.parts;
    problem.defines[i].is_vector = built.is_vector;
  });
}

}  // namespace pinn
