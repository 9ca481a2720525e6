#include "data/tables/table_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"
#include "data/files/table.h"
#include "data/tables/scattered_table.h"

namespace pinn {
namespace {

constexpr double most_numbers = 1e8;

/// Knots per input, and values in the order of the inputs.
struct Grid {
  std::vector<std::vector<double>> knots;
  std::vector<double> values;
};

std::vector<std::size_t> sizes(const std::vector<std::vector<double>>& knots) {
  std::vector<std::size_t> all;
  for (const auto& axis : knots) all.push_back(axis.size());
  return all;
}

/// "y = 0.5, x = 1": the place of a value, by its number in row-major order.
std::string place_of(const std::vector<std::vector<double>>& knots,
                     const std::vector<std::string>& names, std::size_t at) {
  std::string text;
  for (std::size_t k = knots.size(); k-- > 0; at /= knots[k].size())
    text = fmt::format("{} = {:.6g}{}{}", names[k], knots[k][at % knots[k].size()],
                       text.empty() ? "" : ", ", text);
  return text;
}

/// Dimensions in another order: dimension k of the result is dimension from[k].
std::vector<double> permuted(const std::vector<double>& values,
                             const std::vector<std::size_t>& shape,
                             const std::vector<std::size_t>& from) {
  const std::size_t d = shape.size();
  std::vector<std::size_t> step(d, 1), at(d, 0);
  for (std::size_t k = d - 1; k-- > 0;) step[k] = step[k + 1] * shape[k + 1];
  std::vector<double> result;
  result.reserve(values.size());
  for (std::size_t n = 0; n < values.size(); ++n) {
    std::size_t place = 0;
    for (std::size_t k = 0; k < d; ++k) place += at[k] * step[from[k]];
    result.push_back(values[place]);
    for (std::size_t k = d; k-- > 0;) {
      if (++at[k] < shape[from[k]]) break;
      at[k] = 0;
    }
  }
  return result;
}

/// Axes that run downwards, upwards.
void turn_around(Grid& grid) {
  for (std::size_t k = 0; k < grid.knots.size(); ++k) {
    std::vector<double>& knots = grid.knots[k];
    if (knots.size() < 2 || knots.front() < knots.back()) continue;
    std::reverse(knots.begin(), knots.end());
    std::size_t step = 1;
    for (std::size_t j = k + 1; j < grid.knots.size(); ++j) step *= grid.knots[j].size();
    for (std::size_t first = 0; first < grid.values.size(); ++first) {
      const std::size_t i = first / step % knots.size();
      if (i < knots.size() - 1 - i)
        std::swap(grid.values[first], grid.values[first + (knots.size() - 1 - 2 * i) * step]);
    }
  }
}

/// An array of an HDF5 file, with its axes.
class GriddedArray {
 public:
  explicit GriddedArray(const TableSource& source) : source_(source), file_(source.path) {}

  Grid read() {
    std::vector<std::vector<double>> axes;
    for (const int input : source_.axes) {
      names_.push_back(source_.columns[std::size_t(input)]);
      axes.push_back(axis(names_.back()));
    }
    const Array<double> array = file_.read<double>(source_.value);
    require_shape(array.shape, axes);
    require_scales();
    for (std::size_t i = 0; i < array.values.size(); ++i)
      if (!std::isfinite(array.values[i]))
        throw ConfigError({fmt::format("'{}' is {} at {}", source_.value, array.values[i],
                                       place_of(axes, names_, i)),
                           where(), "fill the gap: a table must be known everywhere"});
    Grid grid;
    std::vector<std::size_t> from(axes.size());
    for (std::size_t k = 0; k < axes.size(); ++k) from[std::size_t(source_.axes[k])] = k;
    for (const std::size_t k : from) grid.knots.push_back(axes[k]);
    grid.values = permuted(array.values, array.shape, from);
    return grid;
  }

 private:
  std::string where() const { return source_.path + ":" + source_.value; }

  std::vector<double> axis(const std::string& name) {
    const Array<double> array = file_.read<double>(name);
    if (array.shape.size() != 1)
      throw ConfigError({fmt::format("the axis '{}' has {} dimensions", name, array.shape.size()),
                         source_.path, "an axis is a list of places"});
    for (std::size_t i = 0; i < array.values.size(); ++i)
      if (!std::isfinite(array.values[i]))
        throw ConfigError(
            {fmt::format("number {} of the axis '{}' is {}", i + 1, name, array.values[i]),
             source_.path, "give every place"});
    return array.values;
  }

  void require_shape(const std::vector<std::size_t>& shape,
                     const std::vector<std::vector<double>>& axes) const {
    const std::vector<std::size_t> wanted = sizes(axes);
    if (shape == wanted) return;
    std::vector<std::size_t> order(axes.size());
    std::iota(order.begin(), order.end(), 0);
    std::string fix = "give it one dimension for each axis, as long as that";
    do {
      bool fits = shape.size() == order.size();
      std::string names;
      for (std::size_t k = 0; fits && k < order.size(); ++k) {
        fits = shape[k] == wanted[order[k]];
        names += fmt::format("{}\"{}\"", k == 0 ? "" : ", ", names_[order[k]]);
      }
      if (!fits) continue;
      fix = fmt::format("write axes = [{}], in the order of its dimensions", names);
      break;
    } while (std::next_permutation(order.begin(), order.end()));
    std::string lengths;
    for (std::size_t k = 0; k < axes.size(); ++k)
      lengths += fmt::format("{}{} {}", k == 0 ? "" : ", ", names_[k], axes[k].size());
    throw ConfigError({fmt::format("'{}' is an array of [{}], but its axes are {} long",
                                   source_.value, fmt::join(shape, ", "), lengths),
                       where(), fix});
  }

  void require_scales() const {
    const std::vector<std::string> scales = file_.scales(source_.value);
    for (std::size_t k = 0; k < std::min(scales.size(), names_.size()); ++k) {
      const bool another = std::ranges::find(names_, scales[k]) != names_.end();
      if (another && scales[k] != names_[k])
        throw ConfigError({fmt::format("the scale of dimension {} of '{}' is '{}', and `axes` says "
                                       "'{}'",
                                       k + 1, source_.value, scales[k], names_[k]),
                           where(), "write axes in the order of the dimensions"});
    }
  }

  const TableSource& source_;
  const H5Reader file_;
  std::vector<std::string> names_;  ///< of the axes, in the order of the dimensions
};

/// Rows, one per point.
struct Points {
  std::vector<double> x;  ///< [count, inputs]
  std::vector<double> values;
};

std::string row_text(const TableOptions& options, const Points& points, std::size_t p) {
  std::string text;
  const std::size_t d = options.inputs.size();
  for (std::size_t i = 0; i < d; ++i)
    text +=
        fmt::format("{}{} = {:.6g}", i == 0 ? "" : ", ", options.inputs[i], points.x[p * d + i]);
  return text;
}

/// In ascending order, input by input.
Points sorted(const TableSource& source, const TableOptions& options, const Points& points) {
  const std::size_t d = options.inputs.size(), n = points.values.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto row = [&](std::size_t p) { return std::span(points.x).subspan(p * d, d); };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(row(a), row(b));
  });
  Points all;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t p = order[k];
    if (k > 0 && std::ranges::equal(row(p), row(order[k - 1])))
      throw ConfigError(
          {fmt::format("the table '{}' has two points at {}: rows {} and {}", options.name,
                       row_text(options, points, p), order[k - 1] + 1, p + 1),
           source.path, "remove one of them, or write their mean"});
    all.x.insert(all.x.end(), row(p).begin(), row(p).end());
    all.values.push_back(points.values[p]);
  }
  return all;
}

/// Points that are sorted as a grid, where they fill one; else no knots.
Grid grid_of(const Points& points, std::size_t d) {
  Grid grid;
  std::size_t count = 1;
  for (std::size_t i = 0; i < d; ++i) {
    std::vector<double> knots;
    for (std::size_t p = 0; p < points.values.size(); ++p) knots.push_back(points.x[p * d + i]);
    std::ranges::sort(knots);
    knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
    count *= knots.size();
    if (count > points.values.size()) return {};
    grid.knots.push_back(std::move(knots));
  }
  if (count != points.values.size()) return {};
  grid.values = points.values;  // none is there twice: each place is
  return grid;
}

Points read_points(const TableSource& source) {
  std::vector<std::string> names = source.columns;
  names.push_back(source.value);
  const Table table = read_table(source.path, names);
  Points points;
  for (std::size_t row = 0; row < table.rows; ++row) {
    for (std::size_t i = 0; i + 1 < names.size(); ++i) points.x.push_back(table.columns[i][row]);
    points.values.push_back(table.columns.back()[row]);
  }
  return points;
}

TablePtr of_grid(const TableSource& source, const TableOptions& options, Grid grid) {
  const bool cubic = options.interpolation == Interpolation::cubic;
  const double kept = double(grid.values.size()) * (cubic ? std::exp2(grid.knots.size()) : 1);
  if (kept > most_numbers)
    throw ConfigError({fmt::format("the table '{}' would keep {:.3g} numbers", options.name, kept),
                       source.path,
                       fmt::format("write a coarser one: at most {:.0e}", most_numbers)});
  turn_around(grid);
  return grid_table(options, std::move(grid.knots), std::move(grid.values));
}

TablePtr of_points(const TableSource& source, const TableOptions& options) {
  const Points points = sorted(source, options, read_points(source));
  Grid grid = grid_of(points, options.inputs.size());
  if (!grid.knots.empty()) return of_grid(source, options, std::move(grid));
  if (!source.axes.empty())
    throw ConfigError({fmt::format("the points of the table '{}' do not fill a grid", options.name),
                       source.path, "give one row for every place of the grid"});
  if (options.outside == Outside::periodic)
    throw ConfigError(
        {"not yet: a period of points that fill no grid", source.path, "put them on a grid first"});
  if (options.interpolation == Interpolation::cubic)
    return polyharmonic_table(options, points.x, points.values);
  if (options.interpolation == Interpolation::linear)
    return planes_table(options, points.x, points.values);
  return nearest_table(options, points.x, points.values);
}

}  // namespace

TablePtr read_table_function(const TableSource& source, const TableOptions& options) {
  try {
    if (!is_hdf5(source.path) || source.axes.empty()) return of_points(source, options);
    return of_grid(source, options, GriddedArray(source).read());
  } catch (const FileError& error) {
    throw ConfigError(error.report);  // a data file is part of the user's input
  } catch (const ConfigError& error) {
    if (error.reports.size() != 1 || !error.report.where.empty()) throw;
    Report report = error.report;
    report.where = source.path;
    throw ConfigError(report);
  }
}

}  // namespace pinn
