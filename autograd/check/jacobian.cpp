#include "autograd/check/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/core/error.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/modes.h"

namespace pinn {
namespace {

/// A tensor of that shape with one element other than 0.
Tensor unit(const Tensor& like, std::size_t i, double one = 1) {
  std::vector<double> e(std::size_t(like.numel()), 0);
  e[i] = one;
  return from_values(e, like.shape(), like.dtype(), like.device());
}

Columns zero_columns(const Tensor& x, const Tensor& y) {
  return Columns(std::size_t(x.numel()), std::vector<double>(std::size_t(y.numel()), 0));
}

/// Row i of the Jacobian is `row`.
void set_row(Columns& columns, std::size_t i, std::span<const double> row) {
  for (std::size_t j = 0; j < row.size(); ++j) columns[j][i] = row[j];
}

}  // namespace

std::vector<double> moved(const JacobianTask& task, std::span<const double> u, const Tensor& like) {
  const NoGrad no_history;
  struct Moved {
    Moved(const Tensor& input, std::span<const double> u) : x(input), before(input.clone()) {
      copy_in_place(x, before + from_values(u, x.shape(), x.dtype(), x.device()));
    }
    ~Moved() { copy_in_place(x, before); }
    Tensor x, before;
  } const for_now(task.x(), u);
  const Tensor y = task.f(task.inputs);
  if (!(y.shape() == like.shape()) || y.dtype() != like.dtype())
    throw EngineError({"gradcheck: the shape of the output depends on the values of the inputs",
                       describe(y) + " instead of " + describe(like),
                       "check a function of fixed shape"});
  return y.values();
}

double difference_step(double step, double x) {
  return step != 0 ? step
                   : std::cbrt(std::numeric_limits<double>::epsilon()) * std::max(1., std::fabs(x));
}

// (f(x + h e_j) - f(x - h e_j)) / 2h
Columns by_differences(const JacobianTask& task, double step) {
  const Tensor y = task.f(task.inputs);
  const std::vector<double> x = task.x().values();
  Columns columns;
  std::vector<double> e(x.size(), 0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double h = difference_step(step, x[j]);
    e[j] = h;
    std::vector<double> column = moved(task, e, y);
    e[j] = -h;
    const std::vector<double> below = moved(task, e, y);
    e[j] = 0;
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = (column[i] - below[i]) / (2 * h);
    columns.push_back(std::move(column));
  }
  return columns;
}

Columns by_reverse(const JacobianTask& task, double one) {
  const Tensor &x = task.x(), y = task.f(task.inputs);
  Columns columns = zero_columns(x, y);
  if (!y.requires_grad()) return columns;
  for (std::size_t i = 0; i < std::size_t(y.numel()); ++i) {
    const Tensor g =
        grad({y}, {x}, {unit(y, i, one)}, {.retain_graph = true, .materialize = true})[0];
    if (!(g.shape() == x.shape()) || g.dtype() != x.dtype())
      throw EngineError({"gradcheck: a gradient has not the shape and dtype of its input",
                         describe(g) + " for " + describe(x), "let the formula return them"});
    set_row(columns, i, g.values());
  }
  return columns;
}

Columns by_batched_reverse(const JacobianTask& task) {
  const Tensor &x = task.x(), y = task.f(task.inputs);
  Columns columns = zero_columns(x, y);
  const std::size_t n = std::size_t(y.numel()), width = std::size_t(x.numel());
  if (!y.requires_grad() || n == 0) return columns;
  std::vector<Tensor> seeds;
  for (std::size_t i = 0; i < n; ++i) seeds.push_back(unit(y, i));
  const std::vector<double> rows =
      grad({y}, {x}, {stack(seeds, 0)}, {.materialize = true, .batched = true})[0].values();
  for (std::size_t i = 0; i < n; ++i) set_row(columns, i, {rows.data() + i * width, width});
  return columns;
}

Columns by_forward(const JacobianTask& task) {
  Columns columns;
  for (std::size_t j = 0; j < std::size_t(task.x().numel()); ++j) {
    std::vector<Tensor> tangents(task.inputs.size());
    tangents[task.input] = unit(task.x(), j);
    const Jvp y = jvp(task.f, task.inputs, tangents);
    columns.push_back(y.tangent.defined() ? y.tangent.values()
                                          : std::vector<double>(std::size_t(y.value.numel()), 0));
  }
  return columns;
}

}  // namespace pinn
