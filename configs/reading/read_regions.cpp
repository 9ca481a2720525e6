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
      else if (e.key != "scale" && e.key != "over") {
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
      return all.push_back({key_text(region), text(what->value), {}, nullptr, then});
    NamedRegion one{region.key, {}};
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
    std::string kind;
    ShapeText motion;
    for (const Entry& e : term.entries) {
      const bool beside = e.key == "axis" || e.key == "about" || e.key == "by";
      if (!beside && !kind.empty()) kind += " and ";
      if (!beside) kind += e.key;
      const std::string name = e.key == "move"     ? "by"
                               : e.key == "rotate" ? "angle"
                               : e.key == "scale"  ? "factor"
                               : e.key == "mirror" ? "coordinate"
                                                   : e.key;
      if (!e.value.sound || !(e.key == "mirror" ? mirrored(e.value, motion.arguments[name])
                                                : numbers_of(e.value, motion.arguments[name])))
        return nullptr;
    }
    motion.kind = kind;
    const auto act = [this, motion](NamedRegion& one) {
      if (motion.kind == "repeat")
        repeat_region(one, motion, problem_);
      else
        move_region(one, motion, problem_);
    };
    try {
      NamedRegion any = box_region(problem_);
      act(any);
      return act;
    } catch (const ConfigError& error) {
      const Node* at = term.find(error.report.where);
      draft_.findings.add(Mistake::transform, at ? *at : term, error.report.what, error.report.fix);
      return nullptr;
    }
  }

  bool mirrored(const Node& name, std::vector<ShapeNumber>& number) {
    const int c = coordinate_named(draft_, name);
    const std::vector<int> space = space_coordinates(problem_);
    const auto at = std::ranges::find(space, c);
    if (c >= 0 && at == space.end())
      draft_.findings.add(Mistake::mirror, name,
                          fmt::format("{} is no coordinate of space", pinn::quoted(name.text)),
                          "a shape lies in space");
    number = {{double(at - space.begin())}};
    return at != space.end();
  }

  Body mesh(const Node& region) {
    const Node& file = *region.find("mesh");
    std::vector<ShapeNumber> scale;
    if (const Node* by = region.find("scale"); by && !numbers_of(*by, scale)) return {};
    if (space_coordinates(problem_).size() != 3) {
      draft_.findings.add(Mistake::mesh_space, file,
                          "a mesh is a surface in space of three coordinates",
                          "give the problem three coordinates in space");
      return {};
    }
    const std::string path = resolved_file(draft_, file);
    NamedRegion body;
    if (!path.empty())
      reading(draft_, file, Mistake::mesh, [&] {
        body.shape = make_mesh(read_mesh(path));
        if (!scale.empty()) move_region(body, {"scale", {{"factor", scale}}}, problem_);
      });
    return body.shape;
  }

  /// Mistakes of an argument stand at the argument.
  void shape(const Entry& kind, NamedRegion& one) {
    ShapeText shape{kind.key, {}};
    bool sound = true;
    if (kind.value.kind == Node::array) sound = numbers_of(kind.value, shape.arguments["corners"]);
    for (const Entry& argument : kind.value.entries)
      sound = argument.value.sound && numbers_of(argument.value, shape.arguments[argument.key]) &&
              sound;
    if (!sound) return;
    try {
      one = make_region(one.name, shape, problem_);
    } catch (const ConfigError& error) {
      const Node* at = kind.value.find(error.report.where);
      draft_.findings.add(Mistake::shape, at ? *at : kind.value, error.report.what,
                          error.report.fix);
    }
  }

  /// All numbers of a value, one after the other; false, with a report, where one is none.
  bool numbers_of(const Node& value, std::vector<ShapeNumber>& numbers) {
    bool sound = true;
    for (const Node& item : value.items) sound = numbers_of(item, numbers) && sound;
    if (value.kind == Node::array) return sound;
    ShapeNumber number{value.real};
    if (value.kind == Node::string)
      sound = reading(draft_, value, Mistake::shape_constant,
                      [&] { number = parse_shape_number(text(value), problem_); });
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
