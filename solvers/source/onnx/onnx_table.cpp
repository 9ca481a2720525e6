#include "solvers/source/onnx/onnx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "autograd/core/error.h"
#include "autograd/onnx/numbers.h"
#include "data/tables/shares.h"

namespace pinn {
namespace {

using onnx::Nodes, onnx::Num;

/// The number of the cell that holds u: that of the last knot up to u, but for that at the end.
Num cell_of(const std::vector<double>& knots, const Num& u, Nodes& nodes) {
  const std::size_t most = knots.size() - 2;
  std::vector<double> padded(std::size_t(1) << std::bit_width(most), INFINITY);
  std::copy_n(knots.begin(), most + 1, padded.begin());
  Num cell(0);
  for (std::size_t step = padded.size() / 2; step > 0; step /= 2) {
    const Num next = cell + Num(double(step));
    cell = select(nodes.looked_up(padded, next) <= u, next, cell);
  }
  return cell;
}

/// Cell and shares along one input.
struct Along {
  Num cell;
  Shares<Num> shares;
};

Along along(const TableAxis& axis, const TableOptions& options, int order, Num u, Nodes& nodes) {
  const Num low(axis.lower()), high(axis.upper()), period(axis.upper() - axis.lower());
  if (options.outside == Outside::periodic) u = u - period * floor((u - low) / period);
  u = select(u < low, low, select(high < u, high, u));
  std::vector<double> lengths;
  for (std::size_t k = 0; k + 1 < axis.size(); ++k)
    lengths.push_back(axis.knots()[k + 1] - axis.knots()[k]);
  const Num cell = cell_of(axis.knots(), u, nodes);
  const Num h = nodes.looked_up(lengths, cell), s = (u - nodes.looked_up(axis.knots(), cell)) / h;
  return {cell, shares_of(options.interpolation, s, h, order)};
}

/// Sum over the corners of the cell, and in each of a cubic over the slopes by every set of inputs.
Num corners(const TableGrid& grid, const std::vector<Along>& inputs, Nodes& nodes) {
  const bool cubic = grid.options.interpolation == Interpolation::cubic;
  const std::size_t sets = cubic ? std::size_t(1) << inputs.size() : 1;
  Num first(0), sum(0);
  std::vector<std::size_t> step(inputs.size(), sets);
  for (std::size_t i = inputs.size(); i-- > 0;) {
    if (i + 1 < inputs.size()) step[i] = step[i + 1] * grid.axes[i + 1].size();
    first = first + inputs[i].cell * Num(double(step[i]));
  }
  for (std::size_t corner = 0; corner < std::size_t(1) << inputs.size(); ++corner)
    for (std::size_t set = 0; set < sets; ++set) {
      Num weight(1);
      std::size_t place = set;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::size_t end = corner >> i & 1;
        weight = weight * inputs[i].shares[end][cubic ? set >> i & 1 : 0];
        place += end * step[i];
      }
      if (weight.is(0)) continue;
      sum = sum + weight * nodes.looked_up(grid.values, first + Num(double(place)));
    }
  return sum;
}

}  // namespace

Num onnx_table(const PointFunction& table, const MultiIndex& order, const std::vector<Num>& x,
               Nodes& nodes) {
  const auto* const has = dynamic_cast<const HasGrid*>(&table);
  constexpr std::size_t whole = std::size_t(1) << 24;  // so many numbers of float32 are
  const bool single = nodes.element() == onnx::Element::float32;
  if (!has || (single && has->grid().values.size() > whole))
    throw ConfigError(
        {fmt::format("not yet: the table '{}' as ONNX", table.name()),
         has ? "it is too large for float32" : "its points fill no grid",
         has ? "export it in float64, or leave the fields that need it out of --fields"
             : "put it on a grid, or leave the fields that need it out of --fields"});
  const TableGrid grid = has->grid();
  std::vector<Along> inputs;
  for (std::size_t i = 0; i < x.size(); ++i)
    inputs.push_back(along(grid.axes[i], grid.options, order[i], x[i], nodes));
  Num y = corners(grid, inputs, nodes);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Num least(grid.axes[i].lower() - grid.axes[i].slack()),
        most(grid.axes[i].upper() + grid.axes[i].slack());
    if (order[i] > 0 && grid.options.outside != Outside::periodic)
      y = select(x[i] < least, Num(0), select(most < x[i], Num(0), y));
    y = select(x[i] - x[i] == Num(0), y, Num(NAN));
  }
  return y;
}

}  // namespace pinn
