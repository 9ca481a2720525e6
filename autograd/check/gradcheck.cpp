#include "autograd/check/gradcheck.h"

#include <cmath>
#include <numeric>
#include <set>

#include "autograd/core/error.h"
#include "autograd/core/random.h"
#include "autograd/tape/engine.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node.h"

#include <fmt/format.h>

namespace pinn {
namespace {

std::string printed(const Columns& columns) {
  std::string text;
  for (const auto& column : columns) {
    text += "\n   ";
    for (const double v : column) text += fmt::format(" {:.6g}", v);
  }
  return text;
}

std::string compared(const Columns& expected, const Columns& found, const GradcheckOptions& options,
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

/// Why a node fails when of its outputs only `defined` (-1: none) has a gradient, or nothing.
std::string undefined_failure(Node& node, int defined) {
  Gradients grads(node.outputs().size());
  if (defined >= 0) {
    const Node::Output& output = node.outputs()[std::size_t(defined)];
    grads[std::size_t(defined)] = ones(output.shape, output.dtype, output.device);
  }
  try {
    for (const Tensor& g : node.apply(grads))
      if (g.defined() && defined < 0)
        return fmt::format("node '{}' makes a gradient of undefined ones", node.name());
  } catch (const std::exception& e) {
    return fmt::format("node '{}' fails on undefined gradients: {}", node.name(), e.what());
  }
  return {};
}

/// Undefined gradients are zero and must stay undefined, at every node behind y; where an op has
/// several outputs, some may have a gradient and others none.
std::string undefined_failure(const Tensor& y) {
  std::vector<Node*> left{y.node().get()};
  std::set<Node*> seen;
  std::string text;
  while (!left.empty() && text.empty()) {
    Node* const node = left.back();
    left.pop_back();
    if (!node || !seen.insert(node).second) continue;
    for (const Edge& e : node->edges()) left.push_back(e.node.get());
    const int several = node->outputs().size() > 1 ? int(node->outputs().size()) : 0;
    for (int i = -1; i < several && text.empty(); ++i) text = undefined_failure(*node, i);
  }
  return text;
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

/// f along u from x, for both signs: v^T (f(x + h u) - f(x - h u)) / 2h.
double directional_difference(const JacobianTask& task, std::vector<double> u,
                              const std::vector<double>& v, double h, const Tensor& y) {
  double sum = 0;
  for (double& one : u) one *= h;
  sum += dot(v, moved(task, u, y));
  for (double& one : u) one = -one;
  return (sum - dot(v, moved(task, u, y))) / (2 * h);
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
    gradients = grad({y}, variables, {from_values(v, y.shape(), y.dtype(), y.device())},
                     {.materialize = true});
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const JacobianTask task{f, inputs, checked[i]};
    const std::vector<double> u = random_direction(task.x().numel(), 2 + i);
    const double h = difference_step(options.step, 1);
    const double expected = directional_difference(task, u, v, h, y);
    const double found = gradients[i].defined() ? dot(gradients[i].values(), u) : 0;
    const double allowed = options.absolute * sum_of_sizes(u) * sum_of_sizes(v) +
                           options.relative * std::fabs(expected);
    if (!(std::fabs(expected - found) <= allowed))
      return fmt::format("input {}, in a random direction: numerical {:.10g}, analytical {:.10g}",
                         checked[i], expected, found);
  }
  return {};
}

/// The laws of the seed, which differences do not see.
std::string seed_failure(const JacobianTask& task, const Columns& rows) {
  if (by_reverse(task) != rows)
    return fmt::format("two backward passes gave different bits for input {}", task.input);
  for (const auto& column : by_reverse(task, 0))
    for (const double v : column)
      if (v != 0)
        return fmt::format("a zero seed gave the gradient {} for input {}", v, task.input);
  return undefined_failure(task.f(task.inputs));
}

/// Every element of the Jacobian by one input, in all ways that are asked for.
std::string full_failure(const JacobianTask& task, const GradcheckOptions& options) {
  const Columns expected = by_differences(task, options.step), rows = by_reverse(task);
  std::string text = compared(expected, rows, options, task.input);
  if (text.empty()) text = seed_failure(task, rows);
  if (!text.empty()) return text;
  if (options.batched) {
    const GradcheckOptions rounding{.absolute = 1e-12, .relative = 1e-12};
    text = compared(rows, by_batched_reverse(task), rounding, task.input);
    if (!text.empty()) return "one batched pass against a pass per row: " + text;
  }
  if (options.forward) {
    text = compared(expected, by_forward(task), options, task.input);
    if (!text.empty()) return "forward mode: " + text;
  }
  return {};
}

Tensor random_variable(const Shape& shape, Device device) {
  const Random random{.seed = 7, .stream = 7};
  std::vector<double> values(std::size_t(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random.normal(i);
  return from_values(values, shape, DType::float64, device).set_requires_grad();
}

std::vector<Tensor> with(std::vector<Tensor> inputs, const Tensor& last) {
  inputs.push_back(last);
  return inputs;
}

std::vector<Tensor> without_last(const std::vector<Tensor>& inputs) {
  return {inputs.begin(), inputs.end() - 1};
}

/// (x, v) -> v^T J_f(x) by input k; `strided`: v is the first column of something.
TensorFunction reverse_product(const TensorFunction& f, std::size_t k, bool strided) {
  return [&f, k, strided](const std::vector<Tensor>& xs) {
    const std::vector<Tensor> x = without_last(xs);
    const Tensor seed = strided ? select(xs.back(), -1, 0) : xs.back();
    const EnableGrad record;
    return grad({f(x)}, {x[k]}, {seed}, {.create_graph = true, .materialize = true})[0];
  };
}

/// (x, u) -> J_f(x) u by input k.
TensorFunction forward_product(const TensorFunction& f, std::size_t k) {
  return [&f, k](const std::vector<Tensor>& xs) {
    std::vector<Tensor> tangents(xs.size() - 1);
    tangents[k] = xs.back();
    const EnableGrad record;
    const Jvp y = jvp(f, without_last(xs), tangents);
    return y.tangent.defined() ? y.tangent
                               : zeros(y.value.shape(), DType::float64, y.value.device());
  };
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
    if (const std::string details = full_failure({f, inputs, k}, options); !details.empty())
      return details;
  return text;
}

std::string gradgradcheck(const TensorFunction& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options) {
  const Tensor y = f(inputs);
  const Shape& shape = y.shape();
  GradcheckOptions fast = options, reverse = options;
  fast.fast = true;
  reverse.forward = false;  // dual levels do not nest
  std::string text;
  for (std::size_t k = 0; k < inputs.size() && text.empty(); ++k) {
    if (!inputs[k].requires_grad()) continue;
    const Tensor v = random_variable(shape, y.device());
    const Tensor u = random_variable(inputs[k].shape(), inputs[k].device());
    text = gradcheck(reverse_product(f, k, false), with(inputs, v), options);
    if (text.empty() && shape.rank() < max_rank) {
      const Tensor wide = random_variable(shape.inserted(shape.rank(), 2), y.device());
      text = gradcheck(reverse_product(f, k, true), with(inputs, wide), fast);
    }
    if (!text.empty()) return fmt::format("second derivative, through input {}: {}", k, text);
    if (!options.forward) continue;
    text = gradcheck(forward_product(f, k), with(inputs, u), reverse);
    if (!text.empty())
      return fmt::format("second derivative, by the tangent of input {}: {}", k, text);
  }
  return {};
}

}  // namespace pinn
