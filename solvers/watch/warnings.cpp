#include "solvers/watch/warnings.h"

#include <algorithm>
#include <charconv>

#include "autograd/compile.h"
#include "solvers/problem/checks.h"
#include "solvers/records/logs/json_text.h"
#include "solvers/state/choices.h"

namespace pinn {
namespace {

void append(Warnings& to, const Warnings& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Rounding meets the residual itself where derivatives are taken by backward passes.
Warnings rounded_residuals(const Run& run) {
  if (!run.memory.rounds()) return {};
  std::string ignored;
  const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  const std::vector<Derivatives> ways = choose_derivatives(run, model, ignored);
  if (!std::count(ways.begin(), ways.end(), Derivatives::reverse)) return {};
  return {{"derivatives taken by nested reverse mode have the errors of " + run.memory.kind +
               ", and with them the residuals and the loss",
           "[memory] saved = \"" + run.memory.kind + "\"",
           "set run.derivatives = \"taylor\": then rounding touches the gradient alone"}};
}

Warnings inexact_products(const Run& run, bool eager) {
  const ProductsChoice products =
      choose_products(run, device_of(run).device, eager, multiplies_tiles());
  return products.refusal ? Warnings{*products.refusal} : Warnings{};
}

}  // namespace

Warnings warnings_of(const Run& run, bool eager) {
  Warnings all = run.warnings;
  append(all, rounded_residuals(run));
  append(all, inexact_products(run, eager));
  append(all, uncovered_faces(run.problem));
  append(all, uncovered_boundary(run.problem));
  append(all, regions_beyond(run.problem));
  append(all, missing_velocities(run.problem));
  append(all, open_constants(run.problem));
  append(all, half_held_faces(run.problem));
  append(all, open_seams(run.problem));
  append(all, negative_powers(run.problem));
  append(all, jumping_coefficients(run.problem));
  append(all, crowded_planes(run.problem));
  append(all, contradictions(run.problem));
  append(all, contradictory_conditions(run.problem));
  append(all, times_in_space(run.problem));
  append(all, rough_activations(run));
  append(all, points_outside(run));
  append(all, unseen_sources(run));
  return all;
}

std::string warnings_text(const Warnings& warnings) {
  std::string text;
  for (const Report& r : warnings) text += warning_text(r) + "\n";
  return text;
}

namespace {

/// Takes ":NUMBER" off the end of a text; 0 where there is none.
std::int64_t number_at_end(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  std::int64_t number = 0;
  if (colon == text.npos) return 0;
  const auto [end, error] = std::from_chars(text.data() + colon + 1, text.end(), number);
  if (error != std::errc() || end != text.end() || number <= 0) return 0;
  text = text.substr(0, colon);
  return number;
}

}  // namespace

void add_reports(JsonObject& json, std::string_view name, const std::vector<Report>& reports) {
  std::vector<JsonObject> list;
  for (const Report& r : reports) {
    JsonObject& one = list.emplace_back();
    one.add("what", std::string_view(r.what))
        .add("where", std::string_view(r.where))
        .add("fix", std::string_view(r.fix))
        .add("excerpt", std::string_view(r.excerpt));
    std::string_view file = r.where;
    const std::int64_t column = number_at_end(file), line = number_at_end(file);
    if (line > 0) one.add("file", file).add("line", line).add("column", column);
  }
  json.add(name, list);
}

Warnings warnings_in(std::string_view status) {
  Warnings all;
  each_json_value(json_entry(status, "warnings"), [&](std::string_view warning) {
    const auto text = [&](const char* name) { return json_text(json_entry(warning, name)); };
    all.push_back({text("what"), text("where"), text("fix"), text("excerpt")});
    return true;
  });
  return all;
}

}  // namespace pinn
