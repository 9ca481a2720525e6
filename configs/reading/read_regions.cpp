#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "configs/draft.h"
#include "data/files/table.h"
#include "data/geometry/implicit.h"
#include "data/geometry/mesh.h"
#include "solvers/problem/parse.h"

namespace pinn::config {
namespace {

class RegionReader {
 public:
  RegionReader(Draft& draft) : draft_(draft), problem_(draft.run.problem) {}

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
      return all.push_back({key_text(region), text(what->value), {}, then});
    const std::optional<std::vector<int>> over = over_of(region.value.find("over"), what->key);
    if (!over) return;
    NamedRegion one{region.key, {}};
    body(region, *what, *over, one);
    if (!one.shape) return;
    then(one);
    all.push_back({key_text(region), {}, one});
  }

  /// The body that a table speaks of, by its first key; none where that was a mistake.
  void body(const Entry& region, const Entry& what, const std::vector<int>& over,
            NamedRegion& one) {
    if (what.key == "mesh")
      one.shape = mesh(region.value);
    else if (what.key == "where")
      reading(draft_, what.value, Mistake::where,
              [&] { one = where_region(region.key, text(what.value), problem_); });
    else if (what.key == "implicit")
      implicit(what.value, one);
    else if (what.key == "cloud")
      one.shape = cloud(what.value);
    else
      shape(what, over, one);
  }

  /// The coordinates that a shape speaks of; none: all of space. Nothing, with a report, when it
  /// cannot be so.
  std::optional<std::vector<int>> over_of(const Node* names, const std::string& shape) {
    std::vector<int> over;
    if (!names) return over;
    for (const Node& name : names->items) {
      const int c = coordinate_named(draft_, name);
      if (c < 0) return {};
      over.push_back(c);
    }
    const bool fits =
        std::ranges::find(shape_kinds(), shape, &ShapeKind::name) != shape_kinds().end();
    const bool twice =
        std::ranges::any_of(over, [&](int c) { return std::ranges::count(over, c) > 1; });
    if (fits && !twice) return over;
    draft_.findings.add(
        Mistake::shape_over, *names,
        fits ? "a shape speaks of each coordinate once"
             : fmt::format("'over' means nothing beside '{}'", shape),
        fits ? "name each coordinate once" : "leave it out; it is for the shapes of the table");
    return {};
  }

  void implicit(const Node& table, NamedRegion& one) {
    std::vector<ShapeNumber> lower, upper;
    const Node* formula = table.at("formula");
    const Node *from = table.at("lower"), *to = table.at("upper");
    if (!formula || !from || !to) return;  // what is missing has been reported
    if (!numbers_of(*from, lower) || !numbers_of(*to, upper)) return;
    const auto values = [](const std::vector<ShapeNumber>& numbers) {
      std::vector<double> all;
      for (const ShapeNumber& n : numbers) all.push_back(n.formula ? NAN : n.value);
      return all;
    };
    try {
      one = implicit_region(one.name, text(*formula), values(lower), values(upper), problem_);
    } catch (const ConfigError& error) {
      draft_.findings.add(Mistake::implicit, *formula, error, &table);
    }
  }

  Body cloud(const Node& table) {
    const Node *file = table.at("file"), *components = table.at("normals");
    if (!file || !components) return {};  // likewise
    const std::string path = resolved_file(draft_, *file);
    std::vector<std::string> coordinates, normals;
    for (const int c : space_coordinates(problem_))
      coordinates.push_back(problem_.coordinates[std::size_t(c)].name);
    for (const Node& name : components->items) normals.push_back(name.text);
    Body points;
    if (!path.empty()) try {
        points = make_cloud(read_cloud(path, coordinates, normals));
      } catch (const ConfigError& error) {
        draft_.findings.add(Mistake::cloud, *file, error, &table);
      }
    return points;
  }

  /// The corners of a polygon in a file: the columns of the coordinates, or the first two.
  bool corners_of_file(const Node& file, std::vector<int> over, std::vector<ShapeNumber>& corners) {
    const std::string path = resolved_file(draft_, file);
    if (path.empty()) return false;
    return reading(draft_, file, Mistake::corners_file, [&] {
      std::vector<std::string> names = table_names(path), wanted;
      if (over.empty()) over = space_coordinates(problem_);
      for (const int c : over) wanted.push_back(problem_.coordinates[std::size_t(c)].name);
      const bool named = std::ranges::all_of(wanted, [&](const std::string& name) {
        return std::ranges::find(names, name) != names.end();
      });
      if (!named) names.resize(std::min(names.size(), wanted.size()));
      const Table table = read_table(path, named ? wanted : names);
      for (std::size_t row = 0; row < table.rows; ++row)
        for (const std::vector<double>& column : table.columns) corners.push_back({column[row]});
    });
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
  void shape(const Entry& kind, const std::vector<int>& over, NamedRegion& one) {
    ShapeText shape{kind.key, {}, over};
    bool sound = true;
    if (kind.value.kind == Node::array) sound = numbers_of(kind.value, shape.arguments["corners"]);
    if (kind.value.kind == Node::string)
      sound = corners_of_file(kind.value, over, shape.arguments["corners"]);
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
  if (regions && !RegionReader(draft).read(*regions)) return;
  if (const Node* domain = draft.tree.at("problem.domain"))
    reading(draft, *domain, Mistake::domain,
            [&] { declare_domain(text(*domain), draft.run.problem); });
  if (const Node* patches = draft.tree.at("problem.patches"))
    for (const Entry& e : patches->entries)
      if (e.value.sound) draft.run.problem.patches.push_back({e.key, text(e.value)});
}

void check_patches(Draft& draft) {
  if (const Node* patches = draft.tree.at("problem.patches"))
    for (const Entry& e : patches->entries)
      if (e.value.sound)
        reading(draft, e.value, Mistake::patches,
                [&] { parse_region({text(e.value)}, draft.run.problem); });
}

}  // namespace pinn::config
