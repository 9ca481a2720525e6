#include "data/geometry/shapes/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "autograd/core/error.h"

namespace pinn {
namespace shapes {
namespace {

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> table;
    for (const auto shelf : shelves) std::ranges::move(shelf(), std::back_inserter(table));
    return table;
  }();
  return all;
}

}  // namespace

const Kind& find_kind(const std::string& name) {
  std::string names;
  for (const Kind& kind : kinds()) {
    if (kind.kind.name == name) return kind;
    names += (names.empty() ? "" : ", ") + kind.kind.name;
  }
  throw ConfigError({fmt::format("there is no shape '{}'", name), name, "choose one of " + names});
}

}  // namespace shapes

const std::vector<ShapeKind>& shape_kinds() {
  static const std::vector<ShapeKind> all = [] {
    std::vector<ShapeKind> table;
    for (const shapes::Kind& kind : shapes::kinds()) table.push_back(kind.kind);
    return table;
  }();
  return all;
}

ShapePtr make_shape(const ShapeNumbers& numbers, int dimension) {
  const shapes::Kind& kind = shapes::find_kind(numbers.kind);
  std::map<std::string, std::size_t> counts;
  for (const auto& [name, values] : numbers.arguments) counts[name] = values.size();
  shapes::check_counts(kind.kind, counts, dimension);
  shapes::check_finite(numbers);
  ShapePtr shape = kind.make({numbers.arguments}, dimension);
  if (shape->bounded() && !std::isnormal(shape->interior()->whole()))
    throw ConfigError(
        {fmt::format("a shape '{}' has the measure {}", numbers.kind, shape->interior()->whole()),
         numbers.kind, "choose units in which its sizes are nearer to 1"});
  return shape;
}

std::string spelled_distance(const std::string& name,
                             const std::map<std::string, std::vector<std::string>>& arguments,
                             const std::vector<std::string>& coordinates) {
  using shapes::Spelled;
  const shapes::Kind& kind = shapes::find_kind(name);
  if (!kind.spell)
    throw ConfigError(
        {fmt::format("the distance to a shape '{}' has no formula", name), name,
         "choose a shape that has one, such as disk, rectangle, capsule or triangle"});
  std::map<std::string, std::size_t> counts;
  shapes::Values<Spelled> values;
  for (const auto& [argument, texts] : arguments) {
    counts[argument] = texts.size();
    for (const std::string& text : texts) values.all[argument].emplace_back(text);
  }
  shapes::check_counts(kind.kind, counts, int(coordinates.size()));
  std::vector<Spelled> x;
  for (const std::string& text : coordinates) x.emplace_back(text);
  return kind.spell(values, shapes::Place<Spelled>(x)).text;
}

}  // namespace pinn
