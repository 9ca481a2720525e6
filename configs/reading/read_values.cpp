#include <fmt/format.h>

#include <algorithm>

#include "configs/draft.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/pieces.h"
#include "solvers/problem/tables.h"
#include "solvers/problem/values.h"

namespace pinn::config {
namespace {

class ValueReader {
 public:
  ValueReader(Draft& draft, Warnings& warnings) : draft_(draft), warnings_(warnings) {}

  void read(const Entry& e) {
    const Node* value = e.value.sound ? e.value.at("value") : nullptr;
    if (!value) return;
    OutputValue to{.name = e.key, .formula = {}, .region = nullptr, .text = value->text, .on = {}};
    if (!is_free(e)) return;
    const Node* on = e.value.at("on");
    if (!read_region(e, on, to)) return;
    Scope inside{draft_.run.problem, Scope::Use::residual};
    inside.has_normal = to.region->has_normal();
    if (!find_sides(*value, on, *to.region, inside)) return;
    if (!reading(draft_, *value, Mistake::value, [&] {
          to.formula = parse_value(text(*value), inside, warnings_);
          for (const Functional& functional : to.formula.functionals) {
            require_known(functional, text(*value), *to.region);
            require_measure(functional, text(*value), *to.region);
          }
        }))
      return;
    if (!to.formula.has_region()) {
      to.region = nullptr;
      if (on)
        draft_.findings.add(
            Mistake::value_nowhere, *on,
            fmt::format("nothing of {} is taken over a region", pinn::quoted(e.key)),
            "leave 'on' out, or write integral, mean, max or min");
    }
    draft_.run.output.values.push_back(std::move(to));
  }

 private:
  /// Names of values are apart from all others: of metrics, promises and files.
  bool is_free(const Entry& e) {
    return reading(draft_, e.value, Mistake::value_name, [&] {
      std::vector<Declared> names = draft_.names;
      names.push_back({key_text(e), "value"});
      check_names(names);
      if (parse_quantity(key_text(e), draft_.run.problem))
        throw ConfigError(report(key_text(e), {0, e.key.size()},
                                 fmt::format("{} is a derivative already", pinn::quoted(e.key)),
                                 "choose another name"));
    });
  }

  /// Finds what lies on both sides of the region, where names mean something else in every region.
  bool find_sides(const Node& value, const Node* on, const Region& region, Scope& inside) {
    const auto& pieces = draft_.run.problem.pieces;
    const std::vector<int> asked = pieces ? pieces->mentioned(text(value)) : std::vector<int>();
    return asked.empty() || reading(draft_, on ? *on : value, Mistake::value_between, [&] {
             inside.sides = sides_of(region, draft_.run.problem, asked);
           });
  }

  void require_known(const Functional& functional, const Text& text, const Region& region) const {
    const Problem& problem = draft_.run.problem;
    if (functional.point.empty())
      pinn::require_known(text, *functional.of, region, problem);
    else
      pinn::require_known(text, *functional.of, functional.point, problem);
  }

  static void require_measure(const Functional& functional, const Text& text,
                              const Region& region) {
    const bool over_cloud = std::ranges::any_of(region.parts(), [](const Region* part) {
      const Body body = part->surface_of();
      return body && is_cloud(body);
    });
    if (functional.kind == Functional::Kind::integral && over_cloud)
      throw ConfigError(report(text, {0, text.value.size()},
                               "the measure of a cloud of points is not known",
                               "write mean(...): each point counts as the others"));
  }

  bool read_region(const Entry& e, const Node* on, OutputValue& to) {
    if (!on) {
      to.region = interior(draft_.run.problem);
      return !e.value.find("on");
    }
    std::vector<Text> parts;
    if (on->kind == Node::string) parts.push_back(text(*on));
    for (const Node& item : on->items) parts.push_back(text(item));
    for (const Text& part : parts) to.on += (to.on.empty() ? "" : ", ") + part.value;
    return reading(draft_, *on, Mistake::value_region,
                   [&] { to.region = parse_region(parts, draft_.run.problem); });
  }

  Draft& draft_;
  Warnings& warnings_;
};

}  // namespace

void read_values(Draft& draft, const Node& values, Warnings& warnings) {
  ValueReader reader(draft, warnings);
  for (const Entry& e : values.entries) reader.read(e);
}

}  // namespace pinn::config
