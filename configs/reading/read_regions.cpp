#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "configs/draft.h"
#include "data/geometry/mesh.h"
#include "data/geometry/motion.h"
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
      else
        table(e, all);
    }
    return all.size() == regions.entries.size() &&
           reading(draft_, regions, Mistake::regions, [&] { declare_regions(all, problem_); });
  }

 private:
  /// A shape, a mesh or a formula, moved or not.
  void table(const Entry& region, std::vector<RegionDefinition>& all) {
    const Entry* what = nullptr;
    const Node* transform = nullptr;
    int shapes = 0;
    for (const Entry& e : region.value.entries) {
      if (!e.value.sound) return;
      if (e.key == "transform")
        transform = &e.value;
      else if (e.key != "scale") {
        what = &e;
        ++shapes;
      }
    }
    if (shapes != 1)
      return draft_.findings.add(
          Mistake::shape_count, region,
          fmt::format("the region {} is {} shapes", pinn::quoted(region.key), shapes),
          "write one; for several give each a name, and join the names: \"a + b\"");
    if (region.value.find("scale") && what->key != "mesh")
      return draft_.findings.add(Mistake::shape_scale, *region.value.find("scale"),
                                 "'scale' beside a shape is for meshes",
                                 "write transform = [{ scale = 2 }]");
    const std::optional<Motions> motions = motions_of(transform);
    if (!motions) return;
    const auto then = [motions](NamedRegion& one) {
      for (const auto& motion : *motions) motion(one);
    };
    if (what->key == "region")
      return all.push_back({key_text(region), text(what->value), nullptr, nullptr, then});
    NamedRegion one{region.key, nullptr};
    if (what->key == "mesh")
      one.shape = mesh(region.value);
    else
      shape(*what, one);
    if (!one.shape) return;
    then(one);
    all.push_back({key_text(region), {}, one.shape, one.distance});
  }

  using Motion = std::function<void(NamedRegion&)>;
  using Motions = std::vector<Motion>;

  /// Nothing, with a report, when one of them cannot be.
  std::optional<Motions> motions_of(const Node* transform) {
    Motions motions;
    if (!transform) return motions;
    for (const Node& term : transform->items)
      if (auto motion = motion_of(term)) motions.push_back(std::move(motion));
    if (motions.size() != transform->items.size()) return {};
    return motions;
  }

  Motion motion_of(const Node& term) {
    const int d = int(space_coordinates(problem_).size());
    std::string kind;
    MotionNumbers numbers;
    std::vector<double> by;
    for (const Entry& e : term.entries) {
      const bool beside = e.key == "axis" || e.key == "about" || e.key == "by";
      if (!beside && !kind.empty()) kind += " and ";
      if (!beside) kind += e.key;
      const std::string name = e.key == "move"     ? "by"
                               : e.key == "rotate" ? "angle"
                               : e.key == "scale"  ? "factor"
                               : e.key == "mirror" ? "coordinate"
                                                   : e.key;
      if (!e.value.sound || !(e.key == "mirror" ? mirrored(e.value, numbers.arguments[name])
                                                : numbers_of(e.value, numbers.arguments[name])))
        return nullptr;
    }
    numbers.kind = kind;
    try {
      if (kind == "repeat") {
        const int count = int(numbers.arguments["repeat"].at(0));
        by = numbers.arguments["by"];
        if (by.size() != std::size_t(d))
          throw ConfigError({fmt::format("'by' of 'repeat' has {} numbers", by.size()), "by",
                             fmt::format("give one number per coordinate, {}", d)});
        return [count, by](NamedRegion& one) { repeat(one, count, by); };
      }
      const pinn::Motion motion = pinn::motion_of({numbers}, d);
      return [motion](NamedRegion& one) { move(one, motion); };
    } catch (const ConfigError& error) {
      const Node* at = term.find(error.report.where);
      draft_.findings.add(Mistake::transform, at ? *at : term, error.report.what, error.report.fix);
      return nullptr;
    }
  }

  static void move(NamedRegion& one, const pinn::Motion& motion) {
    one.shape = moved(std::move(one.shape), motion);
    if (!one.distance) return;
    one.distance = [motion, before = one.distance](const std::vector<std::string>& x) {
      return fmt::format("{:.17g}*({})", motion.scale, before(spelled_before(motion, x)));
    };
  }

  static void repeat(NamedRegion& one, int count, const std::vector<double>& by) {
    one.shape = repeated(one.shape, count, by);
    if (!one.distance) return;
    one.distance = [count, by, of_one = one.distance](std::vector<std::string> x) {
      std::string all = of_one(x);
      for (int k = 1; k < count; ++k) {
        for (std::size_t c = 0; c < x.size(); ++c)
          x[c] = fmt::format("({}-({:.17g}))", x[c], by[c]);
        all = fmt::format("min({}, {})", all, of_one(x));
      }
      return all;
    };
  }

  bool mirrored(const Node& name, std::vector<double>& number) {
    const int c = coordinate_named(draft_, name);
    const std::vector<int> space = space_coordinates(problem_);
    const auto at = std::ranges::find(space, c);
    if (c >= 0 && at == space.end())
      draft_.findings.add(Mistake::mirror, name,
                          fmt::format("{} is no coordinate of space", pinn::quoted(name.text)),
                          "a shape lies in space");
    number = {double(at - space.begin())};
    return at != space.end();
  }

  ShapePtr mesh(const Node& region) {
    const Node& file = *region.find("mesh");
    std::vector<double> scale{1};
    if (const Node* by = region.find("scale")) {
      scale.clear();
      if (!numbers_of(*by, scale)) return nullptr;
    }
    if (space_coordinates(problem_).size() != 3) {
      draft_.findings.add(Mistake::mesh_space, file,
                          "a mesh is a surface in space of three coordinates",
                          "give the problem three coordinates in space");
      return nullptr;
    }
    const std::string path = resolved_file(draft_, file);
    ShapePtr body;
    if (!path.empty())
      reading(draft_, file, Mistake::mesh, [&] { body = make_mesh(read_mesh(path, scale[0])); });
    return body;
  }

  /// Mistakes of an argument stand at the argument.
  void shape(const Entry& kind, NamedRegion& one) {
    ShapeNumbers numbers{kind.key, {}};
    bool sound = true;
    if (kind.value.kind == Node::array)
      sound = numbers_of(kind.value, numbers.arguments["corners"]);
    for (const Entry& argument : kind.value.entries)
      sound = argument.value.sound && numbers_of(argument.value, numbers.arguments[argument.key]) &&
              sound;
    if (!sound) return;
    try {
      one.shape = make_shape(numbers, int(space_coordinates(problem_).size()));
      one.distance = spelled(numbers);
    } catch (const ConfigError& error) {
      const Node* at = kind.value.find(error.report.where);
      draft_.findings.add(Mistake::shape, at ? *at : kind.value, error.report.what,
                          error.report.fix);
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
