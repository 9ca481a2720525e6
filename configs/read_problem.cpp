#include <fmt/format.h>

#include <cmath>

#include "configs/parts.h"
#include "solvers/problem/declare.h"
#include "solvers/problem/parse.h"

namespace pinn::config {
namespace {

class Reader {
 public:
  Reader(Draft& draft, const Node& node)
      : draft_(draft), problem_(draft.run.problem), node_(node) {}

  void read(Warnings& warnings) {
    if (!check_all_names()) return;
    declare("constants", [&](const auto& all) { declare_constants(all, problem_); });
    read_coordinates();
    read_fields();
    read_unknowns();
    declare("define", [&](const auto& all) { declare_defines(all, problem_, warnings); });
    problem_.periodic.assign(problem_.coordinates.size(), false);
    problem_.outputs.assign(problem_.fields.size(), nullptr);
  }

 private:
  /// Names must be known to be good before any formula is read.
  bool check_all_names() {
    std::vector<Declared> names;
    const auto keys = [&](const char* table, const char* kind) {
      if (const Node* node = node_.at(table))
        for (const Entry& e : node->entries) names.push_back({key_text(e), kind});
    };
    keys("coordinates", "coordinate");
    if (const Node* fields = node_.at("fields"))
      for (const Node& item : fields->items) names.push_back({text(item), "field"});
    keys("fields", "field");
    keys("constants", "constant");
    keys("unknowns", "unknown");
    keys("define", "define");
    return reading(draft_, node_, [&] { check_names(names); });
  }

  template <class Declare> void declare(const char* table, Declare declare) {
    const Node* node = node_.at(table);
    if (!node) return;
    std::vector<Definition> all;
    for (const Entry& e : node->entries)
      if (e.value.sound) all.push_back({key_text(e), constant_text(e.value)});
    reading(draft_, *node, [&] { declare(all); });
  }

  static Text constant_text(const Node& value) {
    if (value.kind == Node::string) return text(value);
    return {to_toml(value.real), place(value), false};
  }

  /// A number, or the value of a constant expression; NaN with a report when it has none.
  double constant(const Node& value) {
    double number = value.real;
    if (value.kind == Node::string &&
        !reading(draft_, value, [&] { number = parse_constant(text(value), problem_); }))
      return NAN;
    if (!std::isfinite(number))
      draft_.findings.add(Mistake::not_finite, value, fmt::format("this is {}", number),
                          "write an expression with a finite value");
    return number;
  }

  void read_coordinates() {
    const Node* node = node_.at("coordinates");
    if (!node) return;
    const std::size_t n = node->entries.size();
    if (n < 1 || n > std::size_t(max_coordinates))
      draft_.findings.add(Mistake::wrong_count, *node, fmt::format("there are {} coordinates", n),
                          fmt::format("declare 1 to {}", max_coordinates));
    for (const Entry& e : node->entries)
      if (e.value.sound && problem_.coordinates.size() < std::size_t(max_coordinates))
        problem_.coordinates.push_back(coordinate(e));
  }

  Coordinate coordinate(const Entry& e) {
    Coordinate c;
    c.name = e.key;
    c.role = c.name == "t" ? Role::time : Role::space;
    const Node* range = &e.value;
    if (e.value.kind == Node::table) {
      range = e.value.at("range");
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
    const bool finite = std::isfinite(c.lower) && std::isfinite(c.upper);
    if (finite && !(c.lower < c.upper && std::isfinite(c.upper - c.lower)))
      draft_.findings.add(
          Mistake::bad_interval, range,
          fmt::format("the interval of {} goes from {} to {}", c.name, c.lower, c.upper),
          "write the lower end first, then the upper");
  }

  void read_fields() {
    const Node* node = node_.at("fields");
    if (!node) return;
    for (const Node& item : node->items) problem_.fields.push_back({item.text, "", 1});
    for (const Entry& e : node->entries) {
      Field field{e.key, "", 1};
      if (const Node* unit = e.value.at("unit")) field.unit = unit->text;
      if (const Node* scale = e.value.at("scale")) field.scale = scale->real;
      problem_.fields.push_back(field);
    }
    if (problem_.fields.empty())
      draft_.findings.add(Mistake::wrong_count, *node, "there are no fields",
                          "declare at least one");
  }

  void read_unknowns() {
    const Node* node = node_.at("unknowns");
    if (!node) return;
    for (const Entry& e : node->entries)
      if (e.value.sound) problem_.unknowns.push_back(unknown(e));
  }

  Unknown unknown(const Entry& e) {
    Unknown u;
    u.name = e.key;
    if (e.value.kind != Node::table) {
      u.start = constant(e.value);
      return u;
    }
    if (const Node* start = e.value.at("start")) u.start = constant(*start);
    if (const Node* min = e.value.at("min")) u.min = constant(*min);
    if (const Node* max = e.value.at("max")) u.max = constant(*max);
    if (const Node* scale = e.value.at("scale")) u.log = scale->text == "log";
    if ((u.min && u.start <= *u.min) || (u.max && u.start >= *u.max))
      draft_.findings.add(
          Mistake::bad_interval, e.value,
          fmt::format("the unknown {} starts at {}, not between its bounds", u.name, u.start),
          "start it between min and max, and not at one of them");
    if (u.log && (u.start <= 0 || (u.min && *u.min <= 0)))
      draft_.findings.add(
          Mistake::bad_interval, e.value,
          fmt::format("the unknown {} has scale \"log\" but is not positive", u.name),
          "give it a positive start and bounds, or leave out scale");
    return u;
  }

  Draft& draft_;
  Problem& problem_;
  const Node& node_;
};

}  // namespace

void read_problem(Draft& draft, Warnings& warnings) {
  if (const Node* problem = draft.tree.at("problem")) Reader(draft, *problem).read(warnings);
}

}  // namespace pinn::config
