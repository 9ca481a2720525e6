#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "data/geometry/cut.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

std::vector<Interval> box_of(const Problem& problem) {
  std::vector<Interval> box;
  for (const int c : space_coordinates(problem)) {
    const Coordinate& x = problem.coordinates[std::size_t(c)];
    box.push_back({x.lower, x.upper});
  }
  return box;
}

/// Distance to two regions joined by +, * or -: min, max, or max with the second one negated.
SpelledDistance joined(std::string_view sign, const SpelledDistance& a, const SpelledDistance& b) {
  if (!a || !b) return nullptr;
  return [sign = std::string(sign), a, b](const std::vector<std::string>& x) {
    return fmt::format("{}({}, {}({}))", sign == "+" ? "min" : "max", a(x), sign == "-" ? "-" : "",
                       b(x));
  };
}

/// That of a region of the table, or of one between two values of a coordinate.
SpelledDistance spelled(const NamedRegion& region, const Problem& problem) {
  if (!region.slab) return region.distance;
  const std::string& t = problem.coordinates[std::size_t(region.slab->coordinate)].name;
  const Interval& along = region.slab->interval;
  const std::string text =
      fmt::format("max({:.17g} - {}, {} - ({:.17g}))", along.lower, t, t, along.upper);
  return [text](const std::vector<std::string>&) { return text; };
}

int precedence(std::string_view sign) {
  return sign == "*" ? 2 : sign == "+" || sign == "-" ? 1 : 0;
}

/// Reads formulas of regions, each once, in whatever order they refer to one another.
class ShapeReader {
 public:
  ShapeReader(const std::vector<RegionDefinition>& definitions, const Problem& problem)
      : definitions_(definitions), problem_(problem) {
    for (const RegionDefinition& d : definitions) names_.push_back(d.name.value);
    for (const NamedRegion& r : problem.regions) names_.push_back(r.name);
  }

  /// Without a shape when there is no such region.
  NamedRegion named(const std::string& name) {
    if (name == "box" && std::ranges::find(names_, name) == names_.end())
      return box_region(problem_);
    for (const NamedRegion& r : problem_.regions)
      if (r.name == name) return r;
    NamedRegion& region = read_[name];
    if (region.shape) return region;
    for (const RegionDefinition& d : definitions_)
      if (d.name.value == name) region = d.made.shape ? d.made : formula(d);
    return region;
  }

  /// Two stacks, of shapes and of signs that wait for their right side.
  /// Takes the last two shapes together by the last sign.
  void combine(std::vector<NamedRegion>& shapes, std::vector<Token>& signs) {
    const std::string_view sign = signs.back().text;
    signs.pop_back();
    const NamedRegion right = shapes.back();
    shapes.pop_back();
    NamedRegion& left = shapes.back();
    left.shape = sign == "+"   ? united(left.shape, right.shape)
                 : sign == "-" ? subtracted(left.shape, right.shape)
                               : intersected(left.shape, right.shape);
    left.distance = joined(sign, spelled(left, problem_), spelled(right, problem_));
    left.smooth = joined(sign, left.smooth, right.smooth);
    left.slab.reset();
  }

  NamedRegion formula(const Text& text) {
    const std::vector<Token> words = tokens(text);
    Mistakes mistakes(text);
    std::vector<NamedRegion> shapes;
    std::vector<Token> signs;
    bool wants_name = true;
    for (const Token& word : words) {
      if (wants_name && word.text == "(") {
        signs.push_back(word);
        continue;
      }
      if (wants_name) {
        shapes.push_back(word.kind == Token::Kind::name ? at(word, mistakes) : NamedRegion());
        if (!shapes.back().shape)
          mistakes.fail(word.span, "the name of a region is missing here",
                        "write for example box - hole");
        wants_name = false;
        continue;
      }
      const bool ends = word.kind == Token::Kind::end;
      if (!ends && word.text != ")" && precedence(word.text) == 0)
        mistakes.fail(word.span, fmt::format("{} is no sign between regions", quoted(word.text)),
                      "+ is their union, - their difference, * their intersection");
      while (!signs.empty() && signs.back().text != "(" &&
             precedence(signs.back().text) >= precedence(word.text))
        combine(shapes, signs);
      if (ends) break;
      if (word.text == ")") {
        if (signs.empty()) mistakes.fail(word.span, "a parenthesis too many", "leave it out");
        signs.pop_back();
        continue;
      }
      signs.push_back(word);
      wants_name = true;
    }
    if (!signs.empty())
      mistakes.fail(signs.back().span, "this parenthesis is not closed", "close it with ')'");
    return shapes[0];
  }

 private:
  NamedRegion formula(const RegionDefinition& definition) {
    const std::string& name = definition.name.value;
    if (const auto at = failed_.find(name); at != failed_.end()) throw ConfigError(at->second);
    if (!open_.insert(name).second) {
      const Span all{0, name.size()};
      throw ConfigError(report(definition.name, all,
                               fmt::format("the region {} is made of itself", quoted(name)),
                               "break the circle"));
    }
    try {
      NamedRegion region = formula(definition.formula);
      region.name = name;
      if (definition.then) definition.then(region);
      open_.erase(name);
      return region;
    } catch (const ConfigError& error) {
      failed_[name] = error.report;
      throw;
    }
  }

  NamedRegion at(const Token& word, Mistakes& mistakes) {
    const std::string name(word.text);
    if (NamedRegion region = named(name); region.shape) {
      if (is_cloud(region.shape))
        mistakes.fail(word.span,
                      fmt::format("{} is points of a boundary, and no region", quoted(name)),
                      "use them as on = \"boundary(NAME)\"");
      return region;
    }
    const std::string near = nearest(name, names_);
    std::vector<std::string> known = names_;
    known.push_back("box");
    mistakes.fail(word.span, fmt::format("there is no region {}", quoted(name)),
                  (near.empty() ? "" : fmt::format("did you mean {}? ", quoted(near))) +
                      "regions are: " + listed(known));
  }

  const std::vector<RegionDefinition>& definitions_;
  const Problem& problem_;
  std::vector<std::string> names_;
  std::map<std::string, NamedRegion> read_;
  std::set<std::string> open_;
  std::map<std::string, Report> failed_;  ///< that of a circle has all of its members
};

}  // namespace

NamedRegion box_region(const Problem& problem) {
  ShapeText box{"cuboid", {}};
  for (const Interval& i : box_of(problem)) {
    box.arguments["lower"].push_back({i.lower});
    box.arguments["upper"].push_back({i.upper});
  }
  return make_region("box", box, problem);
}

std::string distance_text(const Problem& problem, std::string_view name) {
  std::vector<std::string> x;
  for (const int c : space_coordinates(problem))
    x.push_back(problem.coordinates[std::size_t(c)].name);
  const SpelledDistance distance =
      spelled(ShapeReader({}, problem).named(std::string(name)), problem);
  return distance ? distance(x) : "";
}

namespace {

/// All points of a cloud lie in the box: none is left out untold.
void require_in_box(const NamedRegion& cloud, const Text& name, const Problem& problem) {
  const std::vector<Interval> box = box_of(problem), own = cloud.shape.example().bounds();
  for (std::size_t k = 0; k < box.size(); ++k) {
    const double near = on_surface_share * (box[k].upper - box[k].lower);
    if (own[k].lower >= box[k].lower - near && own[k].upper <= box[k].upper + near) continue;
    const std::string& x = problem.coordinates[std::size_t(space_coordinates(problem)[k])].name;
    throw ConfigError(report(
        name, {0, name.value.size()},
        fmt::format(
            "its points reach from {0} = {1:.6g} to {2:.6g}, and {0} runs from {3:g} to {4:g}", x,
            own[k].lower, own[k].upper, box[k].lower, box[k].upper),
        fmt::format("widen {}, or leave the points beyond it out of the file", x)));
  }
}

}  // namespace

void declare_regions(const std::vector<RegionDefinition>& definitions, Problem& problem) {
  ShapeReader reader(definitions, problem);
  std::vector<NamedRegion> regions;
  std::vector<Report> reports;
  for (const RegionDefinition& d : definitions) try {
      if (d.name.value == "box")
        throw ConfigError(report(d.name, {0, 3}, "'box' is the box of the coordinates",
                                 "give the region another name"));
      regions.push_back(reader.named(d.name.value));
      if (is_cloud(regions.back().shape)) require_in_box(regions.back(), d.name, problem);
    } catch (const ConfigError& error) {  // once, however many regions are made of the wrong one
      const auto same = [&](const Report& r) {
        return r.where == error.report.where && r.what == error.report.what;
      };
      if (std::ranges::none_of(reports, same)) reports.push_back(error.report);
    }
  if (!reports.empty()) throw ConfigError(reports);
  problem.regions = std::move(regions);
}

void declare_domain(const Text& text, Problem& problem) {
  const NamedRegion read = ShapeReader({}, problem).formula(text);
  const Body& domain = read.shape;
  const std::vector<int> space = space_coordinates(problem);
  const std::vector<Interval> box = box_of(problem);
  const auto check = [&](const SpatialShape& shape) {
    if (!shape.has_surface())
      throw ConfigError({"the boundary of a domain made with a condition is not known", "",
                         "make the domain of shapes, or of `implicit`"});
    if (!shape.bounded()) throw ConfigError({"the domain has no end", "", "cut it: \"box * ...\""});
    const std::vector<Interval> bounds = shape.bounds();
    for (std::size_t k = 0; k < box.size(); ++k) {
      const double near = on_surface_share * (box[k].upper - box[k].lower);
      if (bounds[k].lower >= box[k].lower - near && bounds[k].upper <= box[k].upper + near)
        continue;
      const std::string& name = problem.coordinates[std::size_t(space[k])].name;
      throw ConfigError(
          {fmt::format(
               "the domain reaches from {0} = {1:.6g} to {2:.6g}, and {0} runs from {3:g} to {4:g}",
               name, bounds[k].lower, bounds[k].upper, box[k].lower, box[k].upper),
           "", fmt::format("widen {}, or cut the domain: \"box * ({})\"", name, text.value)});
    }
    shape.interior();  // which refuses nothing
  };
  try {
    require_everywhere(domain, problem, check);
  } catch (const ConfigError& error) {
    throw ConfigError(report(text, error.report.what, error.report.fix));
  }
  problem.domain = domain;
  problem.smooth_domain = read.smooth;
}

}  // namespace pinn
