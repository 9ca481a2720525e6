#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/error.h"
#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

using Form = ShapeArgument::Form;

/// How many numbers an argument may have, and in words.
struct ArgumentCount {
  std::size_t least, most, each;
  std::string words;
};

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

ArgumentCount wanted(const ShapeArgument& a, int dimension) {
  const std::size_t d = std::size_t(dimension);
  if (a.form == Form::number) return {1, 1, 1, "one number"};
  if (a.form == Form::point) return {d, d, 1, fmt::format("one number per coordinate, {}", d)};
  const bool one_more = a.most == 0;
  const std::size_t least = one_more ? d + 1 : std::size_t(a.least),
                    most = one_more ? d + 1 : std::size_t(a.most);
  const char* noun = a.form == Form::numbers ? "number" : "corner";
  const std::size_t each = a.form == Form::numbers ? 1 : a.form == Form::corners ? 2 : d;
  std::string words =
      least == most ? plural(least, noun) : fmt::format("at least {}", plural(least, noun));
  if (each > 1) words += fmt::format(" of {} numbers", each);
  return {least * each, most * each, each, words};
}

std::string names_of(const ShapeKind& kind) {
  std::string names;
  for (const ShapeArgument& a : kind.arguments) names += (names.empty() ? "" : ", ") + a.name;
  return names;
}

void check_dimension(const ShapeKind& kind, int dimension) {
  if (dimension >= kind.least_dimension && dimension <= kind.most_dimension) return;
  const std::string range =
      kind.least_dimension == kind.most_dimension
          ? fmt::format("{}", kind.least_dimension)
          : fmt::format("{} to {}", kind.least_dimension, kind.most_dimension);
  throw ConfigError({fmt::format("a shape '{}' has {} dimensions, and here are {} coordinates",
                                 kind.name, range, dimension),
                     kind.name, "choose another shape, or say of which coordinates it speaks"});
}

}  // namespace

void refuse(const std::string& argument, const std::string& what, const std::string& fix) {
  throw ConfigError({what, argument, fix});
}

void check_counts(const ShapeKind& kind, const std::map<std::string, std::size_t>& counts,
                  int dimension) {
  check_dimension(kind, dimension);
  for (const auto& one : counts) {
    const std::string& name = one.first;
    if (std::none_of(kind.arguments.begin(), kind.arguments.end(),
                     [&](const ShapeArgument& a) { return a.name == name; }))
      refuse(name, fmt::format("a shape '{}' has no argument '{}'", kind.name, name),
             "its arguments are " + names_of(kind));
  }
  for (const ShapeArgument& a : kind.arguments) {
    const auto found = counts.find(a.name);
    const ArgumentCount want = wanted(a, dimension);
    if (found == counts.end()) {
      if (!a.optional)
        refuse(a.name, fmt::format("a shape '{}' lacks its '{}'", kind.name, a.name),
               fmt::format("give {}", want.words));
      continue;
    }
    const std::size_t count = found->second;
    if (count < want.least || count > want.most || count % want.each != 0)
      refuse(a.name,
             fmt::format("'{}' of a shape '{}' has {}", a.name, kind.name, plural(count, "number")),
             fmt::format("give {}", want.words));
  }
}

void check_finite(const ShapeNumbers& numbers) {
  for (const auto& [name, values] : numbers.arguments)
    for (double value : values)
      if (!std::isfinite(value) || std::fabs(value) > 1e100)
        refuse(name, fmt::format("'{}' holds the number {}", name, value),
               "give finite numbers, no larger than 1e100");
}

void check_positive(const Values<double>& values, const std::string& argument) {
  for (double value : values.numbers(argument))
    if (!(value >= 1e-100))
      refuse(argument, fmt::format("'{}' is {}, and a size is above 0", argument, value),
             "give a size above 0");
}

}  // namespace pinn::shapes
