#pragma once
#include <string>

#include "data/sampling/points.h"
#include "solvers/problem/parse.h"

/// Common ground of the tests of this folder: a problem to speak about, and texts with a place.
namespace pinn {

/// The text as if it stood in line 3 of a file, as the value of a key: its first character is in
/// column 13.
inline Text text(const std::string& value) {
  const std::string before = "residual = \"";
  return {value, {"p.toml", 3, int(before.size()) + 1, before + value + "\""}, true};
}

/// x, y in [0, 1] and t in [0, 2]; fields u, v; constants nu = 0.01, k = 2; unknown s; define q =
/// nu*u_x.
inline Problem plane() {
  Problem p;
  p.coordinates = {
      {"x", 0, 1, Role::space, ""}, {"y", 0, 1, Role::space, ""}, {"t", 0, 2, Role::time, ""}};
  p.fields = {{"u", "", 1}, {"v", "", 1}};
  p.constants = {{"nu", 0.01, "0.01"}, {"k", 2, "2"}};
  p.unknowns = {{"s", 1, {}, {}, false}};
  Warnings none;
  p.defines = {{"q", {parse_expression(text("nu*u_x"), {p}, none)}, false, "nu*u_x"}};
  return p;
}

/// The declared names of plane(), as messages list them.
inline const std::string names_of_plane =
    "declared are: coordinates x, y, t; fields u, v; constants nu, k; unknowns s; defines q";

/// The whole message of what `act` throws, or "no error".
template <class Act> std::string message(const Act& act) {
  try {
    act();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

/// The whole message about characters [from, from + width) of a text, counted from 0.
inline std::string about(const std::string& value, int from, int width, const std::string& what,
                         const std::string& fix) {
  const std::string line = "residual = \"" + value + "\"";
  return "error: " + what + "\n  where: p.toml:3:" + std::to_string(13 + from) + "\n         " +
         line + "\n         " + std::string(std::size_t(12 + from), ' ') +
         std::string(std::size_t(width), '^') + "\n  fix:   " + fix;
}

inline ExpressionPtr expression(const std::string& value, const Scope& scope) {
  Warnings none;
  return parse_expression(text(value), scope, none);
}
inline ExpressionPtr residual(const std::string& value, const Scope& scope) {
  Warnings none;
  return parse_residual(text(value), scope, none);
}

/// Region where a condition would be.
inline std::shared_ptr<const Region> region(const std::string& on, const Problem& p) {
  return parse_region({text(on)}, p);
}
/// Random points of it.
inline Points points(const Region& region, int count = 2000) {
  return draw_points(region, {.count = count}, 3, stream("here", "points"), 0);
}

}  // namespace pinn
