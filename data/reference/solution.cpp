#include "data/reference/solution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"
#include "data/files/table.h"

namespace pinn {
namespace {

constexpr double beyond = 1e-9;  ///< rounding of a place outside, as a share of the domain's length

/// The names in the attribute `order` of the file, where it has one.
std::vector<std::string> order_of(const H5Reader& file) {
  std::vector<std::string> names;
  if (!file.has_attribute("/", "order")) return names;
  std::istringstream order(file.text_attribute("/", "order"));
  for (std::string name; order >> name;) names.push_back(name);
  return names;
}

/// Position of each name in a list; empty where one of them has none.
std::vector<std::size_t> positions(const std::vector<std::string>& names,
                                   const std::vector<std::string>& list) {
  std::vector<std::size_t> found;
  for (const std::string& name : names) {
    const auto at = std::find(list.begin(), list.end(), name);
    if (at == list.end()) return {};
    found.push_back(std::size_t(at - list.begin()));
  }
  return found;
}

/// Index of value n of an array, from 0: "[1, 3]".
std::string index_text(std::ptrdiff_t n, const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> index(shape.size());
  std::size_t rest = std::size_t(n);
  for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
    index[axis] = rest % shape[axis];
  return fmt::format("[{}]", fmt::join(index, ", "));
}

/// Reads the arrays of one HDF5 file.
class Arrays {
 public:
  Arrays(const std::string& path, const SolutionColumns& columns)
      : path_(path), columns_(columns), file_(path) {
    for (const std::string& name : columns.coordinates) axes_.push_back(read(name));
  }

  Solution solution() {
    Solution s;
    for (const std::string& name : columns_.values) {
      const Array<double> array = read(name);
      const bool of_points = is_column(array);
      if (s.count > 0 && of_points != of_points_)
        refuse(name, array, "some arrays have a value per point, others one per node of a grid");
      of_points_ = of_points;
      s.count = array.values.size();
      s.values.push_back(of_points ? array.values : sorted(name, array, s));
    }
    s.x = of_points_ ? columns() : nodes();
    return s;
  }

 private:
  Array<double> read(const std::string& name) const {
    if (!file_.has(name))
      throw ConfigError({fmt::format("there is no array '{}'", name), path_,
                         fmt::format("name one of: {}", fmt::join(file_.names("/"), ", "))});
    Array<double> array = file_.read<double>(name);
    const auto bad = std::find_if(array.values.begin(), array.values.end(),
                                  [](double v) { return !std::isfinite(v); });
    if (bad != array.values.end())
      throw ConfigError({fmt::format("the value at {} of the array is {}, which is not finite",
                                     index_text(bad - array.values.begin(), array.shape), *bad),
                         path_ + ":" + name,
                         "leave such points out: give columns, a value per point"});
    if (array.values.empty())
      throw ConfigError({"the array holds no values", path_ + ":" + name, "fill it"});
    return array;
  }

  [[noreturn]] void refuse(const std::string& name, const Array<double>& array,
                           const std::string& why) const {
    std::string axes;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      axes += fmt::format("{}'{}' is [{}]", i > 0 ? ", " : "", columns_.coordinates[i],
                          fmt::join(axes_[i].shape, ", "));
    throw ConfigError(
        {fmt::format("{}: '{}' is [{}], {}", why, name, fmt::join(array.shape, ", "), axes), path_,
         "write columns of one length, or an axis per coordinate and values with a dimension for "
         "each"});
  }

  bool is_column(const Array<double>& array) const {
    return std::all_of(axes_.begin(), axes_.end(),
                       [&](const Array<double>& axis) { return axis.shape == array.shape; });
  }

  /// True if the dimensions of an array are the coordinates in this order.
  bool fits(const Array<double>& array, const std::vector<std::size_t>& order) const {
    if (order.size() != axes_.size() || array.shape.size() != order.size()) return false;
    for (std::size_t k = 0; k < order.size(); ++k)
      if (axes_[order[k]].shape != std::vector<std::size_t>{array.shape[k]}) return false;
    return true;
  }

  /// Which coordinate each dimension of an array is.
  std::vector<std::size_t> order(const std::string& name, const Array<double>& array,
                                 Solution& s) const {
    for (const auto& names : {order_of(file_), file_.scales(name)})
      if (const auto said = positions(names, columns_.coordinates); fits(array, said)) return said;
    std::vector<std::size_t> trial(axes_.size()), first;
    std::iota(trial.begin(), trial.end(), 0);
    do {
      if (!fits(array, trial)) continue;
      if (!first.empty()) s.guessed.push_back(name);
      if (!first.empty()) break;
      first = trial;
    } while (std::next_permutation(trial.begin(), trial.end()));
    if (first.empty()) refuse(name, array, "the dimensions of an array do not fit the coordinates");
    return first;
  }

  /// The values with the dimensions in the order of the coordinates.
  std::vector<double> sorted(const std::string& name, const Array<double>& array,
                             Solution& s) const {
    const std::vector<std::size_t> dimension_is = order(name, array, s);
    std::vector<std::size_t> stride(axes_.size());  // in the array, per coordinate
    std::size_t step = 1;
    for (std::size_t k = array.shape.size(); k-- > 0; step *= array.shape[k])
      stride[dimension_is[k]] = step;
    std::vector<double> values(array.values.size());
    for (std::size_t n = 0; n < values.size(); ++n) {
      std::size_t rest = n, from = 0;
      for (std::size_t i = axes_.size(); i-- > 0;) {
        const std::size_t size = axes_[i].values.size();
        from += rest % size * stride[i];
        rest /= size;
      }
      values[n] = array.values[from];
    }
    return values;
  }

  std::vector<double> columns() const {
    std::vector<double> x;
    for (std::size_t n = 0; n < axes_.front().values.size(); ++n)
      for (const Array<double>& column : axes_) x.push_back(column.values[n]);
    return x;
  }

  std::vector<double> nodes() const {
    std::size_t count = 1, stride = 1;
    for (const Array<double>& axis : axes_) count *= axis.values.size();
    std::vector<double> x(count * axes_.size());
    for (std::size_t i = axes_.size(); i-- > 0;) {
      const std::vector<double>& axis = axes_[i].values;
      for (std::size_t n = 0; n < count; ++n)
        x[n * axes_.size() + i] = axis[n / stride % axis.size()];
      stride *= axis.size();
    }
    return x;
  }

  const std::string path_;
  const SolutionColumns& columns_;
  const H5Reader file_;
  std::vector<Array<double>> axes_;  ///< of the coordinates
  bool of_points_ = false;           ///< the arrays are columns
};

Solution from_table(const std::string& path, const SolutionColumns& columns) {
  std::vector<std::string> names = columns.coordinates;
  names.insert(names.end(), columns.values.begin(), columns.values.end());
  Table table = read_table(path, names);
  Solution s{.count = table.rows, .x = {}, .values = {}, .guessed = {}};
  const std::size_t d = columns.coordinates.size();
  for (std::size_t n = 0; n < s.count; ++n)
    for (std::size_t i = 0; i < d; ++i) s.x.push_back(table.columns[i][n]);
  s.values.assign(std::make_move_iterator(table.columns.begin() + std::ptrdiff_t(d)),
                  std::make_move_iterator(table.columns.end()));
  return s;
}

void leave_out_what_lies_outside(Solution& s, const SolutionColumns& columns) {
  const std::size_t d = columns.coordinates.size();
  std::size_t kept = 0;
  for (std::size_t n = 0; n < s.count; ++n) {
    bool inside = true;
    for (std::size_t i = 0; i < d; ++i) {
      const double slack = beyond * (columns.upper[i] - columns.lower[i]), at = s.x[n * d + i];
      inside = inside && at >= columns.lower[i] - slack && at <= columns.upper[i] + slack;
    }
    if (!inside) continue;
    std::copy_n(s.x.begin() + std::ptrdiff_t(n * d), d, s.x.begin() + std::ptrdiff_t(kept * d));
    for (std::vector<double>& values : s.values) values[kept] = values[n];
    ++kept;
  }
  s.outside = s.count - kept;
  s.count = kept;
  s.x.resize(kept * d);
  for (std::vector<double>& values : s.values) values.resize(kept);
}

}  // namespace

Solution read_solution(const std::string& path, const SolutionColumns& columns) {
  try {
    Solution s = is_hdf5(path) ? Arrays(path, columns).solution() : from_table(path, columns);
    leave_out_what_lies_outside(s, columns);
    return s;
  } catch (const FileError& error) {
    throw ConfigError(error.report);  // a reference is part of the user's input
  }
}

}  // namespace pinn
