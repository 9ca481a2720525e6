#include "solvers/residual/evaluate/tensor_evaluator.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/tape/lookup.h"
#include "autograd/tape/modes.h"
#include "data/tables/table_function.h"
#include "solvers/problem/parse.h"

namespace pinn {

TensorEvaluator::TensorEvaluator(const Model& model, Block& block,
                                 const std::vector<Tensor>& parameters)
    : model_(model), block_(block), parameters_(parameters) {}

Tensor TensorEvaluator::unknown(int i) const {
  const std::size_t first = parameters_.size() - model_.problem().unknowns.size();
  const Unknown& u = model_.problem().unknowns[std::size_t(i)];
  return reshape(unknown_value(u, parameters_[first + std::size_t(i)]), {});
}

Tensor TensorEvaluator::value(const ExpressionPtr& e) {
  const auto known = [this](const Expression& node) {
    return values_.count(&node) > 0 || block_.kept.count({&node, nullptr}) > 0;
  };
  visit_postorder(e, known, [this](const Expression& node) {
    const Tensor t = value_of(node);
    // In reverse mode what depends on coordinates has a history, and is not kept either.
    if (block_.may_keep(node, nullptr) && !t.requires_grad())
      block_.kept[{&node, nullptr}] = t;
    else
      values_[&node] = t;
  });
  const auto found = values_.find(e.get());
  return found != values_.end() ? found->second : block_.kept.at({e.get(), nullptr});
}

Tensor TensorEvaluator::varying(const Expression& e) const {
  if (!e.varies || !block_.constants.defined()) return {};
  const int k = model_.constants().find(e);
  if (k < 0)
    throw InternalError({"a compiled step would keep a constant that varies as it is", e.name, ""});
  return select(block_.constants, 0, k);
}

Tensor TensorEvaluator::value_of(const Expression& e) {
  using Kind = Expression::Kind;
  if (const Tensor constant = varying(e); constant.defined()) return constant;
  switch (e.kind) {
    case Kind::number:
      return Tensor(e.number);
    case Kind::coordinate:
      return coordinate(e.index);
    case Kind::unknown:
      return unknown(e.index);
    case Kind::column:
      return select(block_.columns, 1, e.index);
    case Kind::normal:
      return select(block_.normals, 1, e.index);
    case Kind::before:
      return before(e.index);
    case Kind::raw_output:
      return raw_output();
    case Kind::elsewhere:
      return at_points(elsewhere(e));
    case Kind::field: {
      // A field node inside a tree that others own: give derivative() a handle of its own.
      return derivative(std::make_shared<const Expression>(e), {});
    }
    case Kind::derivative: {
      const AnomalyLabel label([&] { return "column " + print(e, Scope{model_.problem()}); });
      return derivative(e.inputs[0], e.order);
    }
    default:
      return call(e);
  }
}

Tensor TensorEvaluator::at_points(const Tensor& t) const {
  const Tensor value = t.is_number() ? full({}, t.item(), dtype(), block_.x.device()) : t;
  return expand(value, {block_.points()});
}

std::vector<Tensor> TensorEvaluator::places(const Expression& e) {
  std::vector<Tensor> all;
  std::size_t next = 1;
  for (int c = 0; c < int(block_.x.shape()[1]); ++c) {
    all.push_back(e.order[std::size_t(c)] > 0 ? value(e.inputs[next++]) : coordinate(c));
    Tensor& x = all.back();
    // A place that is one number is a row all the same, or a program would have no points there.
    if (!x.is_number() && x.rank() > 0) continue;
    const Tensor zero = full({}, 0, dtype(), block_.x.device());
    x = max(min(select(block_.x.detach(), 1, c), zero), zero) + x;
  }
  return all;
}

Block TensorEvaluator::block_at(const std::vector<Tensor>& coordinates) const {
  Block block;
  block.x = stack(coordinates, 1);
  block.fixed = block_.fixed;
  block.constants = block_.constants;
  block.layers_per_checkpoint = block_.layers_per_checkpoint;
  return block;
}

namespace {

Tensor looked_up(const Expression& e, const std::vector<Tensor>& arguments) {
  if (!std::ranges::all_of(arguments, &Tensor::is_number))
    return lookup(e.table, e.order, arguments);
  std::vector<double> numbers;
  for (const Tensor& t : arguments) numbers.push_back(t.item());
  return Tensor((*e.table)(numbers, e.order));
}

}  // namespace

Tensor TensorEvaluator::call(const Expression& e) {
  std::vector<Tensor> arguments;
  for (const ExpressionPtr& input : e.inputs) {
    const auto found = values_.find(input.get());
    arguments.push_back(found != values_.end() ? found->second
                                               : block_.kept.at({input.get(), nullptr}));
  }
  if (e.kind == Expression::Kind::lookup) return looked_up(e, arguments);
  if (e.name == "where") return where(arguments[0], arguments[1], arguments[2]);
  if (e.name == "pow" && e.inputs[1]->kind == Expression::Kind::number)
    return power(arguments[0], e.inputs[1]->number);
  if (arguments.size() == 1 && find_unary(e.name) >= 0)
    return apply_unary(find_unary(e.name), arguments[0]);
  if (arguments.size() == 2 && find_binary(e.name) >= 0)
    return apply_binary(find_binary(e.name), arguments[0], arguments[1]);
  throw InternalError({"a formula calls the unknown op '" + e.name + "'", "", ""});
}

}  // namespace pinn
