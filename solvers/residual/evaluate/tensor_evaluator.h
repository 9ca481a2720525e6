#pragma once
#include <memory>
#include <unordered_map>

#include "solvers/residual/evaluate/block.h"
#include "solvers/residual/model.h"

namespace pinn {

/// The values of formulas on one block of points, at given parameters; each shared node once.
///
/// Parts that depend on neither fields nor unknowns are computed at the first call and kept in the
/// block. How the fields' derivatives are taken is up to the two makers below; the numbers agree.
class TensorEvaluator {
 public:
  /// parameters: one tensor per block of the model; both outlive the evaluator.
  TensorEvaluator(const Model& model, Block& block, const std::vector<Tensor>& parameters);
  virtual ~TensorEvaluator() = default;

  /// The formula at every point: [points], or [] where it is a number or an unknown.
  Tensor value(const ExpressionPtr& e);
  /// A derivative of a formula, [points].
  virtual Tensor derivative(const ExpressionPtr& e, const MultiIndex& a) = 0;

 protected:
  virtual Tensor coordinate(int i) { return select(block_.x, 1, i); }
  /// The network's own output for the field whose hard constraint is being evaluated.
  virtual Tensor raw_output() = 0;
  /// Field f of the window of time before, at its end.
  virtual Tensor before(int f) = 0;
  /// A formula at other places of the points' own, [points].
  virtual Tensor elsewhere(const Expression& e) = 0;
  /// Coordinates of those places, [points] each; one that is not given is as it is here.
  std::vector<Tensor> places(const Expression& e);
  /// A value at every point: numbers and unknowns are the same at all of them.
  Tensor at_points(const Tensor& t) const;
  /// A block of points whose coordinates [points] are functions of others'.
  Block block_at(const std::vector<Tensor>& coordinates) const;
  /// A number that varies, as the block brings it, []; undefined for any other node.
  Tensor varying(const Expression& e) const;
  /// The value of one node whose inputs have been evaluated.
  Tensor value_of(const Expression& e);
  DType dtype() const { return block_.x.dtype(); }

  const Model& model_;
  Block& block_;
  const std::vector<Tensor>& parameters_;

 private:
  Tensor unknown(int i) const;
  Tensor call(const Expression& e);
  std::unordered_map<const Expression*, Tensor> values_;
};

/// Taylor mode: one pass of the network carries the channels of `table`, which must hold every
/// derivative that the formulas need.
class TaylorFields : public TensorEvaluator {
 public:
  using TensorEvaluator::TensorEvaluator;
  /// A linear form of derivatives of one field, [points], read off whatever channels carry it.
  virtual Tensor form(int field, const Channel& terms) = 0;
};
std::unique_ptr<TaylorFields> taylor_evaluator(const Model& model, Block& block,
                                               const std::vector<Tensor>& parameters,
                                               const JetTablePtr& table);

/// Nested reverse mode: each derivative is a backward pass through the one before.
std::unique_ptr<TensorEvaluator> reverse_evaluator(const Model& model, Block& block,
                                                   const std::vector<Tensor>& parameters);

/// Calls visit(node) for every node of e after its inputs, each once; without recursion. Nodes for
/// which skip(node) holds are left out together with what only they need.
template <class Skip, class Visit>
void visit_postorder(const ExpressionPtr& e, Skip&& skip, Visit&& visit) {
  std::vector<std::pair<const Expression*, std::size_t>> stack;
  if (!skip(*e)) stack.push_back({e.get(), 0});
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    // Formulas under a derivative are not evaluated by themselves, nor those asked for elsewhere.
    const bool closed =
        node->kind == Expression::Kind::derivative || node->kind == Expression::Kind::elsewhere;
    if (closed || next == node->inputs.size()) {
      const Expression* done = node;
      stack.pop_back();
      if (!skip(*done)) visit(*done);
    } else {
      const Expression* input = node->inputs[next++].get();
      if (!skip(*input)) stack.push_back({input, 0});
    }
  }
}

}  // namespace pinn
