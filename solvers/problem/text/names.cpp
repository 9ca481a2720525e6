#include "solvers/problem/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "solvers/problem/pieces.h"
#include "solvers/problem/text/indices.h"
#include "solvers/problem/words.h"

namespace pinn {
namespace {

template <class List> int position(const List& list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return int(i);
  return -1;
}

template <class List> std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name);
  return names;
}

/// Those that can be named: the field of another piece cannot.
std::vector<std::string> names_of_fields(const Problem& p) {
  std::vector<std::string> names;
  for (const Field& f : p.fields)
    if (f.piece_of.empty() || f.name == f.piece_of) names.push_back(f.name);
  return names;
}

struct Group {
  std::string kind;
  std::vector<std::string> names;
};

std::vector<Group> groups(const Scope& scope) {
  const Problem& p = scope.problem;
  std::vector<Group> all;
  const bool value = scope.use == Scope::Use::value;
  const bool constant = scope.use == Scope::Use::constant || value;
  const bool residual = scope.use == Scope::Use::residual;
  if (!constant) all.push_back({"coordinates", names_of(p.coordinates)});
  if (residual) all.push_back({"fields", names_of_fields(p)});
  all.push_back({"constants", names_of(p.constants)});
  if (residual || value || scope.use == Scope::Use::output)
    all.push_back({"unknowns", names_of(p.unknowns)});
  if (!constant || value) all.push_back({"defines", names_of(p.defines)});
  if (!constant) all.push_back({"functions", names_of(p.functions)});
  if (residual) all.push_back({"columns", scope.columns});
  if (p.pieces && !constant) all.push_back({"by region", p.pieces->open_names(p.chosen)});
  return all;
}

}  // namespace

Meaning meaning(const Scope& scope, std::string_view name) {
  using Kind = Meaning::Kind;
  const Problem& p = scope.problem;
  if (const int i = position(p.coordinates, name); i >= 0) return {Kind::coordinate, i};
  if (const int i = position(p.fields, name); i >= 0) return {Kind::field, i};
  if (const int i = position(p.constants, name); i >= 0) return {Kind::constant, i};
  if (const int i = position(p.unknowns, name); i >= 0) return {Kind::unknown, i};
  if (const int i = position(p.defines, name); i >= 0) return {Kind::define, i};
  if (const int i = position(p.functions, name); i >= 0) return {Kind::function, i};
  const auto column = std::find(scope.columns.begin(), scope.columns.end(), name);
  if (column != scope.columns.end()) return {Kind::column, int(column - scope.columns.begin())};
  if (p.pieces && p.pieces->is_open(name, p.chosen)) return {Kind::piecewise};
  return {};
}

bool is_declared(const Scope& scope, std::string_view name) {
  if (meaning(scope, name)) return true;
  return std::ranges::any_of(declared_names({scope.problem}), [&](const std::string& known) {
    return has_indices(known) && base_of(known) == name;
  });
}

std::vector<std::string> declared_names(const Scope& scope) {
  std::vector<std::string> all;
  for (const Group& g : groups(scope)) all.insert(all.end(), g.names.begin(), g.names.end());
  return all;
}

std::string declared(const Scope& scope) {
  std::string text;
  for (const Group& g : groups(scope))
    if (!g.names.empty())
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", g.kind, listed(as_kinds(g.names)));
  return text.empty() ? "nothing" : text;
}

namespace {

std::string with_article(const std::string& kind) {
  return (std::string_view("aeiou").find(kind[0]) == std::string_view::npos ? "a " : "an ") + kind;
}

void check_spelling(const Declared& declared, std::vector<Report>& reports) {
  constexpr std::size_t longest = 64;
  const std::string& name = declared.name.value;
  const auto wrong = [&](std::string what, std::string fix) {
    reports.push_back(report(declared.name, {0, name.size()}, std::move(what), std::move(fix)));
  };
  const auto plain = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  if (name.empty() || !is_letter(name[0]) || !std::all_of(name.begin(), name.end(), plain))
    wrong(fmt::format("{} cannot be the name of {}", quoted(name), with_article(declared.kind)),
          "use ASCII letters, digits and underscores, a letter first");
  else if (name.size() > longest)
    wrong(fmt::format("the {} name {} has {} characters", declared.kind, quoted(name), name.size()),
          fmt::format("use at most {}", longest));
  else if (is_reserved(name))
    wrong(fmt::format("{} is a word of the language and cannot be the name of {}", quoted(name),
                      with_article(declared.kind)),
          find_function(name) ? "choose another name; the functions are reserved"
          : name.starts_with("n_")
              ? "choose another name, such as ne: n_x and its kind are "
                "components of the normal of a boundary, and u_n is the derivative along it"
              : "choose another name");
}

}  // namespace

void check_names(const std::vector<Declared>& names) {
  constexpr std::size_t most = 1000;
  std::vector<Report> reports;
  std::map<std::string, const Declared*> first;
  if (names.size() > most) {
    const Text& name = names[most].name;
    throw ConfigError(report(name, fmt::format("{} names are declared", names.size()),
                             fmt::format("declare at most {}", most)));
  }
  for (const Declared& declared : names) {
    check_spelling(declared, reports);
    const auto [at, fresh] = first.emplace(declared.name.value, &declared);
    if (!fresh)
      reports.push_back(
          report(declared.name,
                 fmt::format("the {} {} is declared already, as {} at {}", declared.kind,
                             quoted(declared.name.value), with_article(at->second->kind),
                             to_string(at->second->name.place)),
                 "give it a name of its own"));
  }
  if (!reports.empty()) throw ConfigError(reports);
}

}  // namespace pinn
