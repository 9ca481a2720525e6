#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "configs/draft.h"
#include "data/files/table.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/pieces.h"

namespace pinn::config {
namespace {

/// A local name with the column it stands for, or a number that is the same in all rows.
struct Column {
  std::string local, name;
  double number = 0;
};
using Columns = std::vector<Column>;

Column column(const std::string& local, const Node& value) {
  return {local, value.kind == Node::string ? value.text : "", value.real};
}

/// The columns of the coordinates, in their order; empty with a report when one is missing.
Columns coordinate_columns(Draft& draft, const Node& columns) {
  Columns all;
  bool complete = true;
  for (const Coordinate& c : draft.run.problem.coordinates) {
    const Node* column = columns.find(c.name);
    complete = complete && column;
    if (column)
      all.push_back(pinn::config::column(c.name, *column));
    else
      draft.findings.add(Mistake::column_missing, columns,
                         fmt::format("no column is given for the coordinate '{}'", c.name),
                         fmt::format("add {} = \"...\", the name of its column", c.name));
  }
  return complete ? all : Columns();
}

/// The other columns; nothing with a report when a name is taken.
bool local_columns(Draft& draft, const Node& columns, Columns& all) {
  const auto& coordinates = draft.run.problem.coordinates;
  std::vector<Declared> names = draft.names;
  for (const Entry& e : columns.entries) {
    if (std::any_of(coordinates.begin(), coordinates.end(),
                    [&](const Coordinate& c) { return c.name == e.key; }))
      continue;
    all.push_back(column(e.key, e.value));
    names.push_back({key_text(e), "column"});
  }
  return reading(draft, columns, Mistake::column_names, [&] { check_names(names); });
}

/// [rows, columns]
std::vector<double> rows(const Table& table, const std::vector<std::size_t>& kept,
                         const Columns& columns) {
  std::vector<double> values;
  for (const std::size_t row : kept)
    for (const Column& c : columns)
      values.push_back(c.name.empty() ? c.number : table.column(c.name)[row]);
  return values;
}

/// The rows whose columns all hold a number.
std::vector<std::size_t> whole_rows(const Table& table, const Columns& columns) {
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < table.rows; ++row)
    if (std::ranges::none_of(columns, [&](const Column& c) {
          return !c.name.empty() && std::isnan(table.column(c.name)[row]);
        }))
      kept.push_back(row);
  return kept;
}

/// Which columns a formula uses.
std::vector<bool> columns_of(const ExpressionPtr& formula, std::size_t width) {
  std::vector<bool> uses(width, false);
  if (!formula) return uses;
  for (const Expression* e : in_order(*formula))
    if (e->kind == Expression::Kind::column) uses[std::size_t(e->index)] = true;
  return uses;
}

/// A residual whose square is Huber's loss of e, with that width w (Annals of Mathematical
/// Statistics 35 (1964) 73): e itself up to w, beyond it the root of w (2 |e| - w) with the sign of
/// e. Where it changes over, the slope is the same.
ExpressionPtr root_of_huber(const ExpressionPtr& e, double width) {
  const auto call = [](const char* op, const ExpressionPtr& a, const ExpressionPtr& b) {
    return make_call(op, {a, b});
  };
  const ExpressionPtr w = make_number(width), size = call("max", make_call("abs", {e}), w);
  const ExpressionPtr within = call("max", call("min", e, w), make_number(-width));
  const ExpressionPtr beyond =
      call("sub", call("mul", make_number(2 / width), size), make_number(1));
  return call("mul", within, make_call("sqrt", {beyond}));
}

constexpr const char* sigma_column = " sigma";  ///< no name that a formula could use

}  // namespace

namespace {

/// Rows of a file; the error of a cell that holds no number says how to leave the row out.
Table read_rows(const std::string& path, const std::vector<std::string>& columns, bool skips) try {
  return read_table(path, columns, skips);
} catch (const ConfigError& error) {
  const auto says = [&](const char* what) {
    return error.report.what.find(what) != std::string::npos;
  };
  if (skips || !(says("is not a number") || says("is empty here"))) throw;
  Report report = error.report;
  report.fix += "; missing = \"skip\" leaves empty cells, nan and NA out";
  throw ConfigError(report);
}

}  // namespace

namespace {

/// The last column is the noise of each row.
void require_sigmas(const DataSet& data, const std::vector<std::size_t>& rows,
                    const std::string& path) {
  for (std::size_t n = 0; n < data.count; ++n) {
    const double sigma = data.values[(n + 1) * data.columns.size() - 1];
    if (!(sigma > 0))
      throw ConfigError(
          {fmt::format("the sigma of row {} is {}, which is not above 0", rows[n] + 1, sigma), path,
           "give each row its noise, or leave the row out"});
  }
}

}  // namespace

bool read_data(Draft& draft, const Node& node, Requirement& requirement) {
  const Node* file = node.at("file");
  const Node* columns = node.at("columns");
  if (!file || !columns) return false;
  const Columns coordinates = coordinate_columns(draft, *columns);
  Columns locals;
  const bool named = local_columns(draft, *columns, locals) && !coordinates.empty();
  const std::string path = resolved_file(draft, *file);
  if (path.empty() || !named) return false;
  const Node* sigma = node.at("sigma");
  const bool by_column = sigma && sigma->kind == Node::string;
  if (by_column) locals.push_back({sigma_column, sigma->text});
  const Node* missing = node.at("missing");
  const bool skips = missing && missing->text == "skip";
  std::vector<std::string> wanted;
  for (const Columns& columns_of : {coordinates, locals})
    for (const Column& c : columns_of)
      if (!c.name.empty()) wanted.push_back(c.name);
  return reading(draft, *file, Mistake::data_file, [&] {
    const Table table = read_rows(path, wanted, skips);
    Columns needed = coordinates;
    if (by_column) needed.push_back(locals.back());
    const std::vector<std::size_t> kept = whole_rows(table, needed);
    DataSet data;
    data.file = file->text;
    data.count = kept.size();
    data.missing = table.rows - kept.size();
    data.rows = rows(table, kept, coordinates);
    data.values = rows(table, kept, locals);
    for (const Column& c : locals) data.columns.push_back(c.local);
    if (sigma && !by_column) data.sigma = sigma->real;
    data.sigma_by_row = by_column;
    if (by_column) require_sigmas(data, kept, path);
    requirement.data = std::move(data);
  });
}

namespace {

/// Makes something else of every residual.
template <class Make> void change_residuals(Requirement& requirement, const Make& make) {
  for (Residual& r : requirement.residuals)
    if (r.expression) r.expression = in_each_region(r.expression, make);
}

/// A value that counts for nothing must be a number still, and one that the residual can take.
void fill_holes(DataSet& data) {
  const std::size_t width = data.columns.size();
  for (std::size_t c = 0; c < width; ++c) {
    const auto value = [&](std::size_t n) -> double& { return data.values[n * width + c]; };
    std::size_t n = 0;
    while (n < data.count && std::isnan(value(n))) ++n;
    const double known = n < data.count ? value(n) : 1;
    for (n = 0; n < data.count; ++n)
      if (std::isnan(value(n))) value(n) = known;
  }
}

/// Gives rows without all values of a residual the weight 0 there, and others as much more.
void weigh_by_holes(Draft& draft, const Node& node, Requirement& requirement) {
  DataSet& data = *requirement.data;
  const std::size_t width = data.columns.size(), residuals = requirement.residuals.size();
  const auto gone = [&](std::size_t n, std::size_t c) {
    return std::isnan(data.values[n * width + c]);
  };
  data.weights.assign(data.count * residuals, 1);
  for (std::size_t r = 0; r < residuals; ++r) {
    const std::vector<bool> asks = columns_of(requirement.residuals[r].expression, width);
    std::size_t there = 0;
    const auto weight = [&](std::size_t n) -> double& { return data.weights[n * residuals + r]; };
    for (std::size_t n = 0; n < data.count; ++n) {
      for (std::size_t c = 0; c < width; ++c)
        if (asks[c] && gone(n, c)) weight(n) = 0;
      there += weight(n) > 0;
    }
    if (there == 0)
      draft.findings.add(
          Mistake::no_value_there, node,
          fmt::format("no row has all values of '{}'", requirement.residuals[r].text.value),
          "use columns that have values in the same rows");
    for (std::size_t n = 0; n < data.count; ++n)
      weight(n) *= double(data.count) / double(std::max<std::size_t>(there, 1));
  }
}

}  // namespace

void settle_data(Draft& draft, const Node& node, Requirement& requirement) {
  DataSet& data = *requirement.data;
  const std::size_t width = data.columns.size();
  if (width > 0 && data.columns.back() == sigma_column)
    change_residuals(requirement, [&](const ExpressionPtr& e) {
      return make_call("div", {e, make_leaf(Expression::Kind::column, int(width) - 1)});
    });
  if (const Node* loss = node.at("loss.width"))
    change_residuals(requirement, [&](const ExpressionPtr& e) {
      return root_of_huber(e, loss->real * data.sigma);
    });
  const std::size_t holes = std::size_t(
      std::ranges::count_if(data.values, [](double value) { return std::isnan(value); }));
  if (holes == 0) return;
  data.missing += holes;
  weigh_by_holes(draft, node, requirement);
  fill_holes(data);
}

}  // namespace pinn::config
