#include <fmt/format.h>

#include <cmath>

#include "configs/draft.h"
#include "configs/reading/pieces.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/parse.h"

namespace pinn::config {
namespace {

class ProblemReader {
 public:
  ProblemReader(Draft& draft, const Node& node)
      : draft_(draft), problem_(draft.run.problem), node_(node), pieces_(draft, node) {}

  /// False when there is no telling what the names of the rest would mean.
  bool read(Warnings& warnings) {
    if (!check_all_names()) return false;
    if (const Node* node = node_.at("constants")) {
      pieces_.add_constants(*node);
      declare(*node, [&] { declare_constants(pieces_.plain_constants(), problem_); });
    }
    read_coordinates();
    if (!coordinates_fit() || !read_fields()) return false;
    read_unknowns();
    if (!read_functions(draft_)) return false;
    read_regions(draft_);
    const Node* defines = node_.at("define");
    if (defines) pieces_.add_defines(*defines);
    if (!pieces_.make(warnings)) return false;
    if (const Node* node = node_.at("constants"); node && problem_.pieces)  // those of side(k, A)
      declare(*node, [&] { declare_constants(pieces_.plain_constants(), problem_); });
    if (defines)
      declare(*defines, [&] { declare_defines(pieces_.plain_defines(), problem_, warnings); });
    problem_.periodic.assign(problem_.coordinates.size(), false);
    problem_.outputs.assign(problem_.fields.size(), nullptr);
    return true;
  }

 private:
  /// Names must be known to be good before any formula is read.
  bool check_all_names() {
    std::vector<Declared>& names = draft_.names;
    const auto declare = [&](Text name, const char* kind) {  // c for c[1:20]
      name.value = base_of(name.value);
      names.push_back({std::move(name), kind});
    };
    const auto keys = [&](const char* table, const char* kind) {
      if (const Node* node = node_.at(table))
        for (const Entry& e : node->entries) declare(key_text(e), kind);
    };
    keys("coordinates", "coordinate");
    if (const Node* fields = node_.at("fields"))
      for (const Node& item : fields->items) declare(text(item), "field");
    keys("fields", "field");
    keys("constants", "constant");
    keys("unknowns", "unknown");
    keys("define", "define");
    keys("functions", "function");
    keys("regions", "region");
    keys("patches", "patch");
    return reading(draft_, node_, Mistake::names, [&] { check_names(names); });
  }

  template <class Act> void declare(const Node& node, const Act& act) {
    reading(draft_, node, Mistake::definitions, act);
  }

  /// A number, or the value of a constant expression; NaN with a report when it has none.
  double constant(const Node& value) {
    double number = value.real;
    if (value.kind == Node::string && !reading(draft_, value, Mistake::constant, [&] {
          number = parse_constant(text(value), problem_);
        }))
      return NAN;
    return number;
  }

  void read_coordinates() {
    const Node* node = node_.at("coordinates");
    if (!node) return;
    for (const Entry& e : node->entries)
      if (e.value.sound)
        for (const Text& name : names_of(draft_, key_text(e), e.value))
          problem_.coordinates.push_back(coordinate(name.value, e));
  }

  /// An end that could not be read has been reported, and is NaN.
  bool coordinates_fit() {
    const Node* node = node_.at("coordinates");
    if (!node) return false;
    for (const Entry& e : node->entries)
      if (!e.value.sound) return false;
    for (const Coordinate& c : problem_.coordinates)
      if (!std::isfinite(c.lower) || !std::isfinite(c.upper)) return false;
    return reading(draft_, *node, Mistake::coordinates,
                   [&] { check_coordinates(problem_.coordinates); });
  }

  Coordinate coordinate(const std::string& name, const Entry& e) {
    Coordinate c;
    c.name = name;
    c.role = c.name == "t" ? Role::time : Role::space;
    const Node* range = &e.value;
    if (e.value.kind == Node::table) {
      range = e.value.at("range");
      c.role_written = e.value.at("role") != nullptr;
      if (const Node* role = e.value.at("role"))
        c.role = role->text == "time"    ? Role::time
                 : role->text == "space" ? Role::space
                                         : Role::parameter;
      if (const Node* unit = e.value.at("unit")) c.unit = unit->text;
    }
    if (range) read_interval(*range, c);
    return c;
  }

  void read_interval(const Node& range, Coordinate& c) {
    c.lower = constant(range.items.at(0));
    c.upper = constant(range.items.at(1));
  }

  bool read_fields() {
    const Node* node = node_.at("fields");
    if (!node) return false;
    for (const Node& item : node->items)
      for (const Text& name : names_of(draft_, text(item), item))
        pieces_.add_field({name.value, "", 1}, nullptr);
    for (const Entry& e : node->entries) {
      Field field{"", "", 1};
      if (const Node* unit = e.value.at("unit")) field.unit = unit->text;
      if (const Node* scale = e.value.at("scale")) field.scale = scale->real;
      for (const Text& name : names_of(draft_, key_text(e), e.value)) {
        field.name = name.value;
        pieces_.add_field(field, &e.value);
      }
    }
    if (problem_.fields.empty())
      draft_.findings.add(Mistake::no_fields, *node, "there are no fields",
                          "write fields = [\"u\"]");
    return !problem_.fields.empty() && pieces_.check_networks(*node);
  }

  void read_unknowns() {
    const Node* node = node_.at("unknowns");
    if (!node) return;
    for (const Entry& e : entries_of(draft_, *node, true))
      problem_.unknowns.push_back(unknown(e.key, e.value));
  }

  Unknown unknown(const std::string& name, const Node& value) {
    Unknown u;
    u.name = name;
    if (value.kind != Node::table) {
      u.start = constant(value);
      return u;
    }
    if (const Node* start = value.at("start")) u.start = constant(*start);
    if (const Node* min = value.at("min")) u.min = constant(*min);
    if (const Node* max = value.at("max")) u.max = constant(*max);
    if (const Node* scale = value.at("scale")) u.log = scale->text == "log";
    return u;
  }

  Draft& draft_;
  Problem& problem_;
  const Node& node_;
  PieceReader pieces_;
};

}  // namespace

bool read_problem(Draft& draft, Warnings& warnings) {
  const Node* problem = draft.tree.at("problem");
  return problem && ProblemReader(draft, *problem).read(warnings);
}

}  // namespace pinn::config
