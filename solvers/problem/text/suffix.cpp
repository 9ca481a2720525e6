#include <fmt/format.h>

#include <algorithm>

#include "solvers/problem/names.h"

namespace pinn {
namespace {

/// All ways to split a suffix into names of coordinates, counted from its end so that a suffix of
/// any length takes linear time: ways[i] of suffix.substr(i), two standing for "several".
std::vector<int> ways_to_split(const std::vector<Coordinate>& coordinates,
                               std::string_view suffix) {
  std::vector<int> ways(suffix.size() + 1, 0);
  ways[suffix.size()] = 1;
  for (std::size_t i = suffix.size(); i-- > 0;)
    for (const Coordinate& c : coordinates)
      if (suffix.substr(i).starts_with(c.name))
        ways[i] = std::min(2, ways[i] + ways[i + c.name.size()]);
  return ways;
}

/// Follows the ways and gives the first two splits as lists of coordinates.
void split(const std::vector<Coordinate>& coordinates, std::string_view suffix,
           std::vector<std::vector<int>>& found) {
  const std::vector<int> ways = ways_to_split(coordinates, suffix);
  std::vector<std::vector<int>> open{{}};
  while (!open.empty() && found.size() < 2) {
    const std::vector<int> path = open.back();
    open.pop_back();
    std::size_t at = 0;
    for (const int c : path) at += coordinates[std::size_t(c)].name.size();
    if (at == suffix.size()) {
      found.push_back(path);
      continue;
    }
    for (std::size_t c = coordinates.size(); c-- > 0;) {
      const std::string& name = coordinates[c].name;
      if (!suffix.substr(at).starts_with(name) || ways[at + name.size()] == 0) continue;
      open.push_back(path);
      open.back().push_back(int(c));
    }
  }
}

std::string spelled(const std::string& base, const std::vector<Coordinate>& coordinates,
                    const std::vector<int>& path) {
  std::vector<int> order(coordinates.size(), 0);
  for (const int c : path) ++order[std::size_t(c)];
  std::string text = base;
  for (std::size_t c = 0; c < order.size(); ++c) {
    if (order[c] == 1) text = fmt::format("d({}, {})", text, coordinates[c].name);
    if (order[c] > 1) text = fmt::format("d({}, {}, {})", text, coordinates[c].name, order[c]);
  }
  return text;
}

Reading reading(const Meaning& base, std::string name, const std::vector<Coordinate>& coordinates,
                const std::vector<int>& path) {
  Reading r{base, std::move(name), {}, int(path.size()), false, {}};
  r.spelled = spelled(r.base_name, coordinates, path);
  if (r.total <= max_order)
    for (const int c : path) ++r.order[std::size_t(c)];
  return r;
}

}  // namespace

std::vector<Reading> readings(const Scope& scope, std::string_view name) {
  const std::vector<Coordinate>& coordinates = scope.problem.coordinates;
  constexpr std::size_t longest = 450;  // a name of 64 letters and six coordinates of 64
  std::vector<Reading> all;
  if (name.size() > longest) return all;
  for (std::size_t at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1)) {
    const Meaning base = meaning(scope, name.substr(0, at));
    if (base.kind != Meaning::Kind::field && base.kind != Meaning::Kind::define &&
        base.kind != Meaning::Kind::function)
      continue;
    const std::string base_name(name.substr(0, at));
    const std::string_view suffix = name.substr(at + 1);
    if (suffix.empty()) continue;
    if (suffix == "n")
      all.push_back({base, base_name, {}, 1, true, "the normal derivative of " + base_name});
    std::vector<std::vector<int>> splits;
    split(coordinates, suffix, splits);
    for (const auto& path : splits) all.push_back(reading(base, base_name, coordinates, path));
    if (all.size() >= 2) break;
  }
  return all;
}

}  // namespace pinn
