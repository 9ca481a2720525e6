#include "autograd/tape/gradcheck.h"

#include <cmath>

#include "autograd/core/error.h"
#include "autograd/core/random.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"

#include <fmt/format.h>

namespace pinn {
namespace {

using Matrix = std::vector<std::vector<double>>;  // [outputs][inputs]

/// Column by column: (f(x + h e_j) - f(x - h e_j)) / 2h.
Matrix numerical(const TensorFunction& f, const std::vector<Tensor>& inputs, Tensor x, double h) {
  const NoGrad no_history;
  const std::span<double> elements = x.data<double>();
  Matrix columns;
  for (double& element : elements) {
    const double kept = element;
    element = kept + h;
    const std::vector<double> above = f(inputs).values();
    element = kept - h;
    const std::vector<double> below = f(inputs).values();
    element = kept;
    std::vector<double>& column = columns.emplace_back();
    for (std::size_t i = 0; i < above.size(); ++i)
      column.push_back((above[i] - below[i]) / (2 * h));
  }
  return columns;
}

/// Row by row with one-hot seeds, stored by columns as above; `scale` 0 seeds zeros.
Matrix analytical(const TensorFunction& f, const std::vector<Tensor>& inputs, const Tensor& x,
                  double scale) {
  const Tensor y = f(inputs);
  Matrix columns(std::size_t(x.numel()), std::vector<double>(std::size_t(y.numel()), 0));
  if (!y.requires_grad()) return columns;
  for (std::int64_t i = 0; i < y.numel(); ++i) {
    Tensor seed = zeros(y.shape(), y.dtype());
    seed.data<double>()[std::size_t(i)] = scale;
    const Tensor g = grad({y}, {x}, {seed}, {.retain_graph = true, .materialize = true})[0];
    const std::vector<double> row = g.values();
    for (std::size_t j = 0; j < row.size(); ++j) columns[j][std::size_t(i)] = row[j];
  }
  return columns;
}

std::string printed(const Matrix& columns) {
  std::string text;
  for (const auto& column : columns) {
    text += "\n   ";
    for (const double v : column) text += fmt::format(" {:.6g}", v);
  }
  return text;
}

std::string compared(const Matrix& expected, const Matrix& found, const GradcheckOptions& options,
                     std::size_t input) {
  double worst = 0;
  std::string where;
  for (std::size_t j = 0; j < expected.size(); ++j)
    for (std::size_t i = 0; i < expected[j].size(); ++i) {
      const double error = std::fabs(expected[j][i] - found[j][i]);
      const bool fits = error <= options.absolute + options.relative * std::fabs(expected[j][i]);
      if (fits || (error <= worst && !where.empty())) continue;
      worst = error;
      where = fmt::format(
          "output element {}, input {} element {}: numerical {:.10g}, analytical {:.10g}", i, input,
          j, expected[j][i], found[j][i]);
    }
  if (where.empty()) return {};
  return fmt::format("{}\nnumerical Jacobian (a line per input element):{}\nanalytical:{}", where,
                     printed(expected), printed(found));
}

}  // namespace

std::string gradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                      const GradcheckOptions& options) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Tensor& x = inputs[k];
    if (!x.requires_grad()) continue;
    if (x.dtype() != DType::float64)
      throw EngineError({"gradcheck needs float64 inputs", describe(x), "cast() them"});
    const Matrix found = analytical(f, inputs, x, 1);
    if (const std::string text = compared(numerical(f, inputs, x, options.step), found, options, k);
        !text.empty())
      return text;
    if (analytical(f, inputs, x, 1) != found)
      return fmt::format("two backward passes gave different bits for input {}", k);
    for (const auto& column : analytical(f, inputs, x, 0))
      for (const double v : column)
        if (v != 0) return fmt::format("a zero seed gave the gradient {} for input {}", v, k);
  }
  return {};
}

std::string gradgradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  const Tensor y = f(inputs);
  Tensor v = zeros(y.shape());
  const Random random{.seed = 7, .stream = 7};
  for (std::size_t i = 0; i < v.data<double>().size(); ++i) v.data<double>()[i] = random.normal(i);
  v.set_requires_grad();
  std::vector<Tensor> all = inputs;
  all.push_back(v);
  std::string text;
  for (std::size_t k = 0; k < inputs.size() && text.empty(); ++k) {
    if (!inputs[k].requires_grad()) continue;
    const TensorFunction product = [&f, k](const std::vector<Tensor>& xs) {
      const std::vector<Tensor> arguments(xs.begin(), xs.end() - 1);
      const EnableGrad record;
      return grad({f(arguments)}, {arguments[k]}, {xs.back()},
                  {.create_graph = true, .materialize = true})[0];
    };
    text = gradcheck(product, all, options);
    if (!text.empty()) text = fmt::format("second derivative, through input {}: {}", k, text);
  }
  return text;
}

}  // namespace pinn
