#include <fmt/format.h>

#include <cmath>

#include "configs/draft.h"
#include "solvers/problem/parse.h"

namespace pinn::config {
namespace {

class Reader {
 public:
  Reader(Draft& draft) : draft_(draft), problem_(draft.run.problem) {}

  /// False when some have no meaning.
  bool read(const Node& regions) {
    std::vector<RegionDefinition> all;
    for (const Entry& e : regions.entries) {
      if (!e.value.sound) continue;
      if (e.value.kind == Node::string)
        all.push_back({key_text(e), text(e.value)});
      else if (ShapePtr shape = shape_of(e))
        all.push_back({key_text(e), {}, std::move(shape)});
    }
    return all.size() == regions.entries.size() &&
           reading(draft_, regions, Mistake::regions, [&] { declare_regions(all, problem_); });
  }

 private:
  ShapePtr shape_of(const Entry& region) {
    std::vector<const Entry*> kinds;
    for (const Entry& e : region.value.entries)
      if (e.value.sound) kinds.push_back(&e);
    if (kinds.size() != 1 || region.value.entries.size() != 1) {
      if (kinds.size() == region.value.entries.size())
        draft_.findings.add(
            Mistake::shape_count, region,
            fmt::format("the region {} is {} shapes", pinn::quoted(region.key), kinds.size()),
            "give each shape a name, and join the names: \"a + b\"");
      return nullptr;
    }
    return shape(*kinds[0]);
  }

  /// Mistakes of an argument stand at the argument.
  ShapePtr shape(const Entry& kind) {
    ShapeNumbers numbers{kind.key, {}};
    bool sound = true;
    if (kind.value.kind == Node::array)
      sound = numbers_of(kind.value, numbers.arguments["corners"]);
    for (const Entry& argument : kind.value.entries)
      sound = argument.value.sound && numbers_of(argument.value, numbers.arguments[argument.key]) &&
              sound;
    if (!sound) return nullptr;
    try {
      return make_shape(numbers, int(space_coordinates(problem_).size()));
    } catch (const ConfigError& error) {
      const Node* at = kind.value.find(error.report.where);
      draft_.findings.add(Mistake::shape, at ? *at : kind.value, error.report.what,
                          error.report.fix);
      return nullptr;
    }
  }

  /// All numbers of a value, one after the other; false, with a report, where one is none.
  bool numbers_of(const Node& value, std::vector<double>& numbers) {
    bool sound = true;
    for (const Node& item : value.items) sound = numbers_of(item, numbers) && sound;
    if (value.kind == Node::array) return sound;
    double number = value.real;
    if (value.kind == Node::string)
      sound = reading(draft_, value, Mistake::shape_constant,
                      [&] { number = parse_constant(text(value), problem_); });
    else if (value.kind != Node::integer && value.kind != Node::number) {
      draft_.findings.add(Mistake::shape_number, value,
                          fmt::format("a number is wanted here, found {}", described(value.kind)),
                          "write a number or a constant expression");
      return false;
    }
    numbers.push_back(number);
    return sound;
  }

  Draft& draft_;
  Problem& problem_;
};

}  // namespace

void read_regions(Draft& draft) {
  const Node* regions = draft.tree.at("problem.regions");
  if (regions && !Reader(draft).read(*regions)) return;
  if (const Node* domain = draft.tree.at("problem.domain"))
    reading(draft, *domain, Mistake::domain,
            [&] { declare_domain(text(*domain), draft.run.problem); });
}

}  // namespace pinn::config
