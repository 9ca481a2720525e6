#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "data/geometry/lifted.h"
#include "data/geometry/motion.h"
#include "data/geometry/smooth.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/parse.h"

namespace pinn {
namespace {

using Arguments = std::map<std::string, std::vector<ShapeNumber>>;

/// The same formula, constants being numbers: they are those of the shape whatever they become.
ExpressionPtr nameless(const ExpressionPtr& e) {
  if (e->kind == Expression::Kind::number) return make_number(e->number);
  if (!is_pointwise(*e)) return e;
  std::vector<ExpressionPtr> inputs;
  for (const ExpressionPtr& input : e->inputs) inputs.push_back(nameless(input));
  return with_inputs(*e, std::move(inputs));
}

/// Numbers at a place, each made ready once.
class Numbers {
 public:
  explicit Numbers(const Arguments& arguments) {
    for (const auto& [name, numbers] : arguments)
      for (const ShapeNumber& number : numbers) {
        all_[name].push_back({number.value, {}});
        if (!number.formula) continue;
        all_[name].back().formula = std::make_shared<const Evaluator>(*number.formula);
        const Dependence on = dependence(*number.formula);
        for (int c = 0; c < max_coordinates; ++c)
          if (on.coordinates[std::size_t(c)]) depends_.insert(c);
      }
  }

  std::vector<int> depends() const { return {depends_.begin(), depends_.end()}; }

  std::map<std::string, std::vector<double>> at(std::span<const double> x) const {
    std::map<std::string, std::vector<double>> values;
    for (const auto& [name, numbers] : all_)
      for (const Number& number : numbers)
        values[name].push_back(number.formula ? (*number.formula)({.coordinates = x})
                                              : number.value);
    return values;
  }

 private:
  struct Number {
    double value;
    std::shared_ptr<const Evaluator> formula;
  };
  std::map<std::string, std::vector<Number>> all_;
  std::set<int> depends_;
};

/// Numbers as they bind in any formula, or as `bare` has them.
std::map<std::string, std::vector<std::string>> texts_of(const Arguments& arguments,
                                                         const Problem& problem,
                                                         bool bare = false) {
  std::map<std::string, std::vector<std::string>> texts;
  const Scope scope{problem, Scope::Use::formula};
  for (const auto& [name, numbers] : arguments)
    for (const ShapeNumber& number : numbers)
      texts[name].push_back(number.formula
                                ? fmt::format("({})", print(*nameless(number.formula), scope))
                            : bare ? fmt::format("{:.17g}", number.value)
                                   : fmt::format("({:.17g})", number.value));
  return texts;
}

std::vector<Interval> ranges(const Problem& problem) {
  std::vector<Interval> all;
  for (const Coordinate& c : problem.coordinates) all.push_back({c.lower, c.upper});
  return all;
}

/// A report, and the values of the coordinates at which it came up.
ConfigError when(const ConfigError& error, const std::vector<int>& depends,
                 std::span<const double> x, const Problem& problem) {
  std::string place;
  for (const int c : depends)
    place += fmt::format("{}{} = {:.6g}", place.empty() ? "" : ", ",
                         problem.coordinates[std::size_t(c)].name, x[std::size_t(c)]);
  Report report = error.report;
  report.what = fmt::format("at {}: {}", place, report.what);
  return ConfigError(report);
}

/// The shape that `at` gives at every value of the coordinates, or the one that it gives.
Body body_of(const Body::At& at, const std::vector<int>& depends, const Problem& problem) {
  std::vector<double> lower;
  for (const Coordinate& c : problem.coordinates) lower.push_back(c.lower);
  if (depends.empty()) return at(lower);
  Body body;
  try {
    body = Body(at, depends, lower);
  } catch (const ConfigError& error) {
    throw when(error, depends, lower, problem);
  }
  require_everywhere(body, problem, [](const SpatialShape&) {});
  return body;
}

int dimension(const Problem& problem) { return int(space_coordinates(problem).size()); }

std::vector<Interval> ranges_in_space(const Problem& problem) {
  std::vector<Interval> box;
  for (const int c : space_coordinates(problem)) box.push_back(ranges(problem)[std::size_t(c)]);
  return box;
}

/// An interval of one coordinate that is none of space: all of space then, and nothing else.
NamedRegion time_region(const std::string& name, const ShapeText& shape, const Problem& problem) {
  if (shape.kind != "interval" || shape.over.size() != 1)
    throw ConfigError({"over time and parameters there are intervals only, each of one coordinate",
                       "over", "write { interval = { range = [0, 0.5] }, over = [\"t\"] }"});
  const Numbers numbers(shape.arguments);
  if (!numbers.depends().empty())
    throw ConfigError({"an interval of time has fixed ends", "range", "write two numbers"});
  const auto range = numbers.at({}).at("range");
  make_shape({"interval", {{"range", range}}}, 1);  // which refuses what is none
  return {name,
          body_of(
              [range, c = std::size_t(shape.over[0]),
               box = ranges_in_space(problem)](std::span<const double> x) {
                const bool holds = x[c] >= range[0] && x[c] <= range[1];
                return make_where([holds](std::span<const double>) { return holds; }, box);
              },
              shape.over, problem),
          nullptr, NamedRegion::Slab{shape.over[0], {range[0], range[1]}}};
}

}  // namespace

void require_everywhere(const Body& body, const Problem& problem,
                        const std::function<void(const SpatialShape&)>& check) {
  for (const std::vector<double>& x : body.places(ranges(problem))) try {
      check(*body.at(x));
    } catch (const ConfigError& error) {
      if (!body.moves()) throw;
      throw when(error, body.depends(), x, problem);
    }
}

ShapeNumber parse_shape_number(const Text& text, const Problem& problem) {
  const auto is_coordinate = [&](const Token& word) {
    return word.kind == Token::Kind::name &&
           meaning({problem}, word.text).kind == Meaning::Kind::coordinate;
  };
  if (std::ranges::none_of(tokens(text), is_coordinate)) return {parse_constant(text, problem)};
  Warnings ignored;
  const ExpressionPtr formula = parse_expression(text, {problem, Scope::Use::formula}, ignored);
  const Dependence on = dependence(*formula);
  for (const int c : space_coordinates(problem))
    if (on.on(c))
      throw ConfigError(
          report(text,
                 fmt::format("a number of a shape does not change with the place, here with {}",
                             problem.coordinates[std::size_t(c)].name),
                 "it may change with time and parameters; `implicit` makes a shape of a formula"));
  return {0, formula};
}

NamedRegion make_region(const std::string& name, const ShapeText& shape, const Problem& problem) {
  const Numbers numbers(shape.arguments);
  const std::vector<int> space = space_coordinates(problem);
  std::vector<int> over;  // among those of space
  for (const int c : shape.over) {
    const auto at = std::ranges::find(space, c);
    if (at == space.end()) return time_region(name, shape, problem);
    over.push_back(int(at - space.begin()));
  }
  if (over.empty())
    for (int k = 0; k < int(space.size()); ++k) over.push_back(k);
  NamedRegion region{
      name,
      body_of(
          [kind = shape.kind, numbers, over, d = int(space.size())](std::span<const double> x) {
            return make_lifted(make_shape({kind, numbers.at(x)}, int(over.size())), over, d);
          },
          numbers.depends(), problem)};
  // Formula of the coordinates that the shape speaks of, out of all in space.
  const auto lifted = [kind = shape.kind, texts = texts_of(shape.arguments, problem, true),
                       over](auto spell) -> SpelledDistance {
    return [=](const std::vector<std::string>& x) {
      std::vector<std::string> own;
      for (const int k : over) own.push_back(x[std::size_t(k)]);
      return spell(kind, texts, own);
    };
  };
  const SpelledDistance smooth = lifted(smooth_function);
  if (!smooth(std::vector<std::string>(space.size(), "x")).empty()) region.smooth = smooth;
  const auto kind = std::ranges::find(shape_kinds(), shape.kind, &ShapeKind::name);
  if (kind->spelled != DistanceKind::none) region.distance = lifted(spelled_distance);
  return region;
}

void move_region(NamedRegion& region, const ShapeText& motion, const Problem& problem) {
  const Numbers numbers(motion.arguments);
  const int d = dimension(problem);
  std::vector<int> depends = numbers.depends();
  const bool is_fixed = depends.empty();
  for (const int c : region.shape.depends())
    if (std::ranges::find(depends, c) == depends.end()) depends.push_back(c);
  std::ranges::sort(depends);
  region.shape = body_of(
      [kind = motion.kind, numbers, d, body = region.shape](std::span<const double> x) {
        return moved(body.at(x), motion_of({{kind, numbers.at(x)}}, d));
      },
      std::move(depends), problem);
  for (SpelledDistance* function : {&region.distance, &region.smooth}) {
    if (!*function) continue;
    if (is_fixed) {
      const std::vector<double> nowhere;
      *function = [motion = motion_of({{motion.kind, numbers.at(nowhere)}}, d),
                   before = *function](const std::vector<std::string>& x) {
        return fmt::format("{:.17g}*({})", motion.scale, before(spelled_before(motion, x)));
      };
    } else {
      *function = [kind = motion.kind, texts = texts_of(motion.arguments, problem),
                   before = *function](const std::vector<std::string>& x) {
        const SpelledMotion back = spelled_before(kind, texts, x);
        return fmt::format("({})*({})", back.factor, before(back.coordinates));
      };
    }
  }
}

void repeat_region(NamedRegion& region, const ShapeText& motion, const Problem& problem) {
  for (const auto& [name, numbers] : motion.arguments)
    if (std::ranges::any_of(numbers, [](const ShapeNumber& n) { return n.formula != nullptr; }))
      throw ConfigError({"copies stand at fixed distances", name,
                         "write a shape for each copy that moves by itself"});
  const auto arguments = Numbers(motion.arguments).at({});
  const int count = int(arguments.at("repeat").at(0)), d = dimension(problem);
  const auto given = arguments.find("by");
  const std::vector<double> by = given == arguments.end() ? std::vector<double>() : given->second;
  if (int(by.size()) != d)
    throw ConfigError({fmt::format("'by' of 'repeat' has {} numbers", by.size()), "by",
                       fmt::format("give one number per coordinate, {}", d)});
  region.shape = body_of([count, by, body = region.shape](
                             std::span<const double> x) { return repeated(body.at(x), count, by); },
                         region.shape.depends(), problem);
  for (SpelledDistance* function : {&region.distance, &region.smooth})
    if (*function)
      *function = [count, by, of_one = *function](const std::vector<std::string>& x) {
        std::string all = of_one(x);
        for (int k = 1; k < count; ++k) {
          std::vector<std::string> of_copy;
          for (std::size_t c = 0; c < x.size(); ++c)
            of_copy.push_back(fmt::format("({}-({:.17g}))", x[c], k * by[c]));
          all = fmt::format("min({}, {})", all, of_one(of_copy));
        }
        return all;
      };
}

}  // namespace pinn
