#include "autograd/tape/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "autograd/core/error.h"
#include "autograd/core/random.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node.h"

#include <fmt/format.h>

namespace pinn {
namespace {

using Matrix = std::vector<std::vector<double>>;  // [outputs][inputs]

/// f at inputs whose tensor x is moved by h u; x is as before afterwards.
std::vector<double> moved(const TensorFunction& f, const std::vector<Tensor>& inputs,
                          const Tensor& x, std::span<const double> u, double h, std::int64_t size) {
  struct Restored {
    explicit Restored(std::span<double> x) : elements(x), before(x.begin(), x.end()) {}
    ~Restored() { std::copy(before.begin(), before.end(), elements.begin()); }
    std::span<double> elements;
    std::vector<double> before;
  } const now(x.data<double>());
  for (std::size_t i = 0; i < u.size(); ++i) now.elements[i] += h * u[i];
  const NoGrad no_history;
  const Tensor y = f(inputs);
  if (y.numel() != size)
    throw EngineError({"gradcheck: the shape of the output depends on the values of the inputs",
                       describe(y) + " instead of " + std::to_string(size) + " elements",
                       "check a function of fixed shape"});
  return y.values();
}

/// Column by column: (f(x + h e_j) - f(x - h e_j)) / 2h.
Matrix numerical(const TensorFunction& f, const std::vector<Tensor>& inputs, const Tensor& x,
                 double h, std::int64_t outputs) {
  Matrix columns;
  std::vector<double> e(std::size_t(x.numel()), 0);
  for (double& one : e) {
    one = 1;
    std::vector<double> column = moved(f, inputs, x, e, h, outputs);
    const std::vector<double> below = moved(f, inputs, x, e, -h, outputs);
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = (column[i] - below[i]) / (2 * h);
    columns.push_back(std::move(column));
    one = 0;
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
      if (fits || (error <= worst && !where.empty())) continue;  // NaN does not fit
      worst = error;
      where = fmt::format(
          "output element {}, input {} element {}: numerical {:.10g}, analytical {:.10g}", i, input,
          j, expected[j][i], found[j][i]);
    }
  if (where.empty()) return {};
  return fmt::format("{}\nnumerical Jacobian (a line per input element):{}\nanalytical:{}", where,
                     printed(expected), printed(found));
}

/// Passes undefined gradients to every node behind y: they are zero and must stay undefined.
std::string undefined_failure(const Tensor& y) {
  std::vector<Node*> left{y.node().get()};
  std::set<Node*> seen;
  while (!left.empty()) {
    Node* const node = left.back();
    left.pop_back();
    if (!node || !seen.insert(node).second) continue;
    for (const Edge& e : node->edges()) left.push_back(e.node.get());
    try {
      for (const Tensor& g : node->apply(Gradients(node->outputs().size())))
        if (g.defined())
          return fmt::format("node '{}' makes a gradient of undefined ones", node->name());
    } catch (const std::exception& e) {
      return fmt::format("node '{}' fails on undefined gradients: {}", node->name(), e.what());
    }
  }
  return {};
}

std::vector<double> random_direction(std::int64_t size, std::uint64_t stream) {
  const Random random{.seed = 7, .stream = stream};
  std::vector<double> u(static_cast<std::size_t>(size));
  double norm = 0;
  for (std::size_t i = 0; i < u.size(); ++i) norm += std::pow(u[i] = random.normal(i), 2);
  for (double& v : u) v /= std::sqrt(norm);
  return u;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double sum_of_sizes(const std::vector<double>& a) {
  return std::accumulate(a.begin(), a.end(), 0.0,
                         [](double sum, double v) { return sum + std::fabs(v); });
}

/// v^T J u by differences and by one backward pass, for each input.
std::string fast_failure(const TensorFunction& f, const std::vector<Tensor>& inputs,
                         const std::vector<std::size_t>& checked, const GradcheckOptions& options) {
  const Tensor y = f(inputs);
  const std::vector<double> v = random_direction(y.numel(), 1);
  std::vector<Tensor> variables;
  for (const std::size_t k : checked) variables.push_back(inputs[k]);
  std::vector<Tensor> gradients(variables.size(), Tensor());
  if (y.requires_grad())
    gradients = grad({y}, variables, {from_values(v, y.shape(), y.dtype())}, {.materialize = true});
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const Tensor& x = variables[i];
    const std::vector<double> u = random_direction(x.numel(), 2 + i);
    const double expected = (dot(v, moved(f, inputs, x, u, options.step, y.numel())) -
                             dot(v, moved(f, inputs, x, u, -options.step, y.numel()))) /
                            (2 * options.step);
    const double found = gradients[i].defined() ? dot(gradients[i].values(), u) : 0;
    const double allowed = options.absolute * sum_of_sizes(u) * sum_of_sizes(v) +
                           options.relative * std::fabs(expected);
    if (!(std::fabs(expected - found) <= allowed))
      return fmt::format("input {}, in a random direction: numerical {:.10g}, analytical {:.10g}",
                         checked[i], expected, found);
  }
  return {};
}

/// Every element of the Jacobian by input k, and the laws of the seed.
std::string full_failure(const TensorFunction& f, const std::vector<Tensor>& inputs, std::size_t k,
                         const GradcheckOptions& options) {
  const Tensor& x = inputs[k];
  const Tensor y = f(inputs);
  const Matrix found = analytical(f, inputs, x, 1);
  std::string text = compared(numerical(f, inputs, x, options.step, y.numel()), found, options, k);
  if (text.empty() && analytical(f, inputs, x, 1) != found)
    text = fmt::format("two backward passes gave different bits for input {}", k);
  if (!text.empty()) return text;
  for (const auto& column : analytical(f, inputs, x, 0))
    for (const double v : column)
      if (v != 0) return fmt::format("a zero seed gave the gradient {} for input {}", v, k);
  return undefined_failure(y);
}

}  // namespace

std::string gradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                      const GradcheckOptions& options) {
  std::vector<std::size_t> checked;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!inputs[k].requires_grad()) continue;
    if (inputs[k].dtype() != DType::float64)
      throw EngineError({"gradcheck needs float64 inputs", describe(inputs[k]), "cast() them"});
    checked.push_back(k);
  }
  std::string text;
  if (options.fast) {
    text = fast_failure(f, inputs, checked, options);
    if (text.empty()) return {};
  }
  for (const std::size_t k : checked)
    if (const std::string details = full_failure(f, inputs, k, options); !details.empty())
      return details;
  return text;
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
