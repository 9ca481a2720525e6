#include <fmt/format.h>

#include <algorithm>

#include "configs/parts.h"
#include "solvers/problem/build.h"
#include "solvers/problem/parse.h"

namespace pinn::config {
namespace {

ReferenceQuantity* compared(Draft& draft, const std::string& name) {
  auto& all = draft.run.reference.quantities;
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const auto& q) { return q.name == name; });
  return at == all.end() ? nullptr : &*at;
}

void read_exact(Draft& draft, const Node& table, Warnings& warnings) {
  for (const Entry& e : table.entries) {
    if (!e.value.sound) continue;
    ReferenceQuantity quantity{.name = e.key, .expression = quantity_named(draft, e), .exact = {}};
    if (!quantity.expression) continue;
    reading(draft, e.value, Mistake::exact, [&] {
      const Scope scope{draft.run.problem, Scope::Use::formula};
      quantity.exact = parse_expression(text(e.value), scope, warnings);
    });
    draft.run.reference.quantities.push_back(std::move(quantity));
  }
}

/// Fields first, in their order; then what else there is, as written.
void sort_quantities(Draft& draft) {
  const auto rank = [&](const ReferenceQuantity& q) {
    const bool is_field = q.expression->kind == Expression::Kind::field;
    return is_field ? std::size_t(q.expression->index) : draft.run.problem.fields.size();
  };
  auto& all = draft.run.reference.quantities;
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

void read_gauge(Draft& draft, const Node& gauge) {
  std::vector<bool>& averaged = draft.run.reference.gauge;
  const Node* mean = gauge.kind == Node::table ? gauge.at("mean") : nullptr;
  averaged.assign(draft.run.problem.coordinates.size(), !mean);
  if (!mean) return;
  for (const Node& name : mean->items)
    if (const int i = coordinate_named(draft, name); i >= 0) averaged[std::size_t(i)] = true;
}

void read_errors(Draft& draft, const Node& errors) {
  for (const Entry& e : errors.entries) {
    if (!e.value.sound || !quantity_named(draft, e)) continue;
    if (ReferenceQuantity* quantity = compared(draft, e.key))
      quantity->error = e.value.real;
    else
      draft.findings.add(Mistake::error_without_reference, e,
                         fmt::format("an error of {} is promised, but there is no reference for it",
                                     pinn::quoted(e.key)),
                         "add a formula or a column of that name");
  }
}

}  // namespace

void read_reference(Draft& draft, const Node& reference, Warnings& warnings) {
  const Node* file = reference.at("file");
  const Node* exact = reference.at("exact");
  const Node* gauge = reference.at("gauge");
  const Node* error = reference.at("error");
  if (file && exact)
    draft.findings.add(Mistake::file_and_exact, *file, "reference has both 'file' and 'exact'",
                       "leave one of them out");
  for (const char* key : {"gauge", "error"})
    if (const Node* needs = reference.at(key); needs && !file && !exact)
      draft.findings.add(Mistake::nothing_to_compare, *needs,
                         fmt::format("reference has '{}' but nothing to compare with", key),
                         "add 'file' or 'exact'");
  if (file) draft.run.reference.file = resolved_file(draft, *file);
  for (std::size_t i = 0; file && i < draft.run.problem.fields.size(); ++i)
    draft.run.reference.quantities.push_back(
        {.name = draft.run.problem.fields[i].name,
         .expression = make_leaf(Expression::Kind::field, int(i)),
         .exact = {}});
  if (exact) read_exact(draft, *exact, warnings);
  sort_quantities(draft);
  if (gauge) read_gauge(draft, *gauge);
  if (const Node* strict = reference.at("strict")) draft.run.reference.strict = strict->truth;
  if (error && (file || exact)) read_errors(draft, *error);
}

}  // namespace pinn::config
