#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "configs/draft.h"
#include "data/files/table.h"
#include "solvers/problem/parse.h"
#include "solvers/problem/tables.h"
#include "solvers/problem/values.h"

namespace pinn::config {
namespace {

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

ReferenceQuantity* compared(Draft& draft, const std::string& name) {
  auto& all = draft.run.reference.quantities;
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const auto& q) { return q.name == name; });
  return at == all.end() ? nullptr : &*at;
}

void read_exact(Draft& draft, const Node& table, Warnings& warnings) {
  for (const Entry& e : entries_of(draft, table)) {
    ReferenceQuantity quantity{.name = e.key, .expression = quantity_named(draft, e), .exact = {}};
    if (!quantity.expression) continue;
    reading(draft, e.value, Mistake::exact, [&] {
      const Scope scope{draft.run.problem, Scope::Use::formula};
      quantity.exact = parse_expression(text(e.value), scope, warnings);
      require_known(text(e.value), *quantity.exact, *interior(scope.problem), scope.problem);
    });
    draft.run.reference.quantities.push_back(std::move(quantity));
  }
}

/// The columns of a reference file, by the names of the problem.
class FileColumns {
 public:
  FileColumns(Draft& draft, const Node& file, const Node* renamed)
      : draft_(draft), file_(file), renamed_(renamed) {
    path_ = resolved_file(draft, file);
  }

  void read(Warnings& warnings) {
    if (path_.empty()) return;
    if (!reading(draft_, file_, Mistake::reference_file, [&] { present_ = table_names(path_); }))
      return;
    const bool named = name_coordinates() && name_quantities();
    if (named) reading(draft_, file_, Mistake::reference_columns, [&] { read_values(warnings); });
  }

 private:
  bool has(const std::string& column) const {
    return std::find(present_.begin(), present_.end(), column) != present_.end();
  }

  /// Column of a name, as `columns` says; the name itself where it says nothing.
  std::string column_of(const std::string& name) const {
    const Node* column = renamed_ ? renamed_->find(name) : nullptr;
    return column ? column->text : name;
  }

  bool name_coordinates() {
    bool complete = true;
    for (const Coordinate& c : draft_.run.problem.coordinates) {
      columns_.coordinates.push_back(column_of(c.name));
      columns_.lower.push_back(c.lower);
      columns_.upper.push_back(c.upper);
      const std::string& column = columns_.coordinates.back();
      if (has(column) || column != c.name) continue;
      complete = false;
      draft_.findings.add(Mistake::reference_coordinate, file_,
                          fmt::format("the reference has no column {}", pinn::quoted(c.name)),
                          "write columns = { " + c.name +
                              " = \"...\" } below it, with one of: " + pinn::listed(present_));
    }
    return complete;
  }

  /// Those that `columns` names, and all others that the file names as the problem does.
  bool name_quantities() {
    const std::size_t before = draft_.findings.all.size();
    for (const Entry& e : renamed_ ? renamed_->entries : std::vector<Entry>())
      if (!is_coordinate(e.key)) add(e.key, e.value.text, quantity_named(draft_, e));
    for (const std::string& column : present_)
      if (!is_used(column) && !compared(draft_, column) && !is_coordinate(column))
        reading(draft_, file_, Mistake::reference_quantity, [&] {
          add(column, column,
              parse_quantity({column, {path_, 0, 0, {}}, true}, draft_.run.problem));
        });
    sort_quantities(draft_);
    if (draft_.findings.all.size() > before) return false;
    if (!draft_.run.reference.quantities.empty()) return true;
    draft_.findings.add(
        Mistake::reference_without_field, file_,
        "the reference has no column with the name of a field, a define or a derivative of one",
        "write columns = { NAME = \"...\" } below it, with one of: " + pinn::listed(present_));
    return false;
  }

  bool is_coordinate(const std::string& name) const {
    const auto& all = draft_.run.problem.coordinates;
    return std::any_of(all.begin(), all.end(), [&](const auto& c) { return c.name == name; });
  }

  bool is_used(const std::string& column) const {
    const auto& of = columns_.coordinates;
    return std::find(of.begin(), of.end(), column) != of.end() ||
           std::any_of(column_at_.begin(), column_at_.end(),
                       [&](const auto& at) { return at.second == column; });
  }

  void add(const std::string& name, const std::string& column, ExpressionPtr expression) {
    if (!expression) return;
    draft_.run.reference.quantities.push_back({name, std::move(expression), {}});
    column_at_[name] = column;
  }

  void read_values(Warnings& warnings) {
    for (const ReferenceQuantity& q : draft_.run.reference.quantities)
      columns_.values.push_back(column_at_.at(q.name));
    Solution solution = read_solution(path_, columns_);
    const std::string where = to_string(place(file_));
    if (solution.count == 0)
      throw ConfigError({fmt::format("all {} points of the reference lie outside of the domain",
                                     solution.outside),
                         where, "compare on the problem's own intervals, in its own units",
                         excerpt(place(file_), file_.width)});
    if (solution.outside > 0)
      warnings.push_back({fmt::format("{} of {} points of the reference lie outside of the domain "
                                      "and are left out",
                                      solution.outside, solution.outside + solution.count),
                          where, "see that intervals and units are those of the file"});
    for (const std::string& column : solution.guessed)
      warnings.push_back(
          {fmt::format(
               "nothing but lengths says which dimension of {} is which coordinate, and two "
               "are equal: they are taken in the order of the problem",
               pinn::quoted(column)),
           where,
           "attach scales, or give the file the attribute order = \"" +
               fmt::format("{}", fmt::join(columns_.coordinates, " ")) +
               "\", its coordinates in the order of the dimensions"});
    draft_.run.reference.solution = std::move(solution);
  }

  Draft& draft_;
  const Node& file_;
  const Node* renamed_;
  std::string path_;
  std::vector<std::string> present_;  ///< in the file
  SolutionColumns columns_;
  std::map<std::string, std::string> column_at_;  ///< of quantities
};

void read_gauge(Draft& draft, const Node& gauge) {
  std::vector<bool>& averaged = draft.run.reference.gauge;
  const Node* mean = gauge.kind == Node::table ? gauge.at("mean") : nullptr;
  averaged.assign(draft.run.problem.coordinates.size(), !mean);
  if (!mean) return;
  for (const Node& name : mean->items)
    if (const int i = coordinate_named(draft, name); i >= 0) averaged[std::size_t(i)] = true;
}

bool is_value(const Draft& draft, const std::string& name) {
  return std::ranges::any_of(draft.run.output.values,
                             [&](const OutputValue& value) { return value.name == name; });
}

/// Asks for the value of an unknown by its own name, as if it stood in [output.values].
void ask_for_unknown(Draft& draft, const Entry& e) {
  const Problem& problem = draft.run.problem;
  if (is_value(draft, e.key) ||
      std::ranges::none_of(problem.unknowns, [&](const Unknown& u) { return u.name == e.key; }))
    return;
  Warnings none;
  draft.run.output.values.push_back(
      {.name = e.key,
       .formula = parse_value(key_text(e), {problem, Scope::Use::residual}, none),
       .region = nullptr,
       .text = e.key,
       .on = {}});
}

/// Reads the expected values of the numbers of [output.values], and of unknowns.
void read_reference_values(Draft& draft, const Node& table) {
  for (const Entry& e : entries_of(draft, table)) {
    if (!e.value.sound) continue;
    ask_for_unknown(draft, e);
    if (!is_value(draft, e.key)) {
      const Node* asked = draft.tree.at("output.values");
      if (asked && asked->find(e.key)) continue;  // what is wrong with it was said there
      std::vector<std::string> known;
      for (const Entry& value : asked ? asked->entries : std::vector<Entry>())
        known.push_back(value.key);
      draft.findings.add(
          Mistake::reference_value, e,
          fmt::format("{} is no unknown and no value of [output.values]", pinn::quoted(e.key)),
          suggestion(e.key, known));
      continue;
    }
    ReferenceValue known{.name = e.key, .value = e.value.real};
    if (e.value.kind == Node::string)
      reading(draft, e.value, Mistake::reference_value_constant,
              [&] { known.value = parse_constant(text(e.value), draft.run.problem); });
    draft.run.reference.values.push_back(std::move(known));
  }
}

/// Place of the promised error of a name; null where nothing is known to compare with.
double* promise_of(Draft& draft, const std::string& name) {
  if (ReferenceQuantity* quantity = compared(draft, name)) return &quantity->error;
  for (ReferenceValue& value : draft.run.reference.values)
    if (value.name == name) return &value.error;
  return nullptr;
}

void read_errors(Draft& draft, const Node& errors) {
  for (const Entry& e : entries_of(draft, errors)) {
    if (!is_value(draft, e.key) && !quantity_named(draft, e)) continue;
    if (double* promise = promise_of(draft, e.key))
      *promise = e.value.real;
    else
      draft.findings.add(Mistake::error_without_reference, e,
                         fmt::format("an error of {} is promised, but there is no reference for it",
                                     pinn::quoted(e.key)),
                         is_value(draft, e.key) ? "add it to [reference.values]"
                                                : "add a formula or a column of that name");
  }
}

}  // namespace

void read_reference(Draft& draft, const Node& reference, Warnings& warnings) {
  const Node* file = reference.at("file");
  const Node* exact = reference.at("exact");
  const Node* gauge = reference.at("gauge");
  const Node* error = reference.at("error");
  const Node* columns = reference.at("columns");
  const Node* values = reference.at("values");
  if (file && exact)
    draft.findings.add(Mistake::file_and_exact, *file, "reference has both 'file' and 'exact'",
                       "leave one of them out");
  for (const char* key : {"gauge", "error", "columns"})
    if (const Node* needs = reference.at(key);
        needs && !file && !(exact && needs != columns) && !(values && needs == error))
      draft.findings.add(Mistake::nothing_to_compare, *needs,
                         fmt::format("reference has '{}' but nothing to compare with", key),
                         needs == columns ? "add 'file'"
                         : needs == error ? "add 'file', 'exact' or 'values'"
                                          : "add 'file' or 'exact'");
  if (file && !exact) FileColumns(draft, *file, columns).read(warnings);
  if (exact) read_exact(draft, *exact, warnings);
  sort_quantities(draft);
  if (gauge) read_gauge(draft, *gauge);
  if (const Node* strict = reference.at("strict")) draft.run.reference.strict = strict->truth;
  if (values) read_reference_values(draft, *values);
  const bool known = file && !exact ? draft.run.reference.solution.has_value() : exact || values;
  if (error && known) read_errors(draft, *error);
}

}  // namespace pinn::config
