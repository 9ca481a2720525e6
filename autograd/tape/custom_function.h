#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autograd/tape/node.h"

namespace pinn {

class CustomNode;
struct CustomFunction;
using CustomFunctionPtr = std::shared_ptr<const CustomFunction>;

/// One use of a CustomFunction: what its functions know and keep.
class CustomCall {
 public:
  /// In forward: keeps an input, an output or anything between for the backward function. Hooks on
  /// saved tensors see it, and a change in place is noticed.
  void save(const Tensor& t);
  /// In forward: this output has no gradient. Outputs of integers have none anyway.
  void not_differentiable(int output);
  /// In forward: input i was changed in place, and is one of the outputs. Its history goes on from
  /// the function, as after any change in place.
  void mark_dirty(int input);

  /// In backward: tensor i of those that were saved, in order.
  Tensor saved(int i) const;
  /// In backward: whether the running pass wants the gradient of input i, or of any input from
  /// `first` up to but without `last`. What is not wanted need not be computed: leave it undefined.
  bool wanted(int i) const;
  bool wanted(int first, int last) const;

 private:
  friend std::vector<Tensor> call(const CustomFunctionPtr&, const std::vector<Tensor>&);
  friend class CustomNode;
  /// Errors: EngineError in backward, where `what` comes too late.
  void must_be_forward(const char* what) const;
  /// The recorded node. Errors: EngineError in forward, where `what` comes too early.
  CustomNode& node(const char* what) const;
  CustomNode* node_ = nullptr;
  std::vector<Tensor> to_save_;
  std::vector<int> not_differentiable_, dirty_;
};

/// An op whose derivative is written by hand: a formula that is more exact or cheaper than the one
/// its parts would give.
struct CustomFunction {
  std::string name;  ///< for messages
  /// Outputs from inputs; nothing in it is recorded.
  std::function<std::vector<Tensor>(CustomCall&, const std::vector<Tensor>& inputs)> forward;
  /// The gradient of each input from that of each output. Written in functions of tensors it can be
  /// differentiated again.
  std::function<Gradients(CustomCall&, const Gradients&)> backward;
  /// The tangent of each output from inputs, outputs and the inputs' tangents, some of which may be
  /// undefined. Without it forward mode refuses the function.
  std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs,
                                    const std::vector<Tensor>& outputs,
                                    const std::vector<Tensor>& tangents)>
      tangent = nullptr;
  /// backward sees zeros where no gradient arrived, else undefined tensors. Where none arrived at
  /// all it is not called.
  bool materialize = true;
};

/// The outputs of the function, recorded as one node. An input that forward returns as it is comes
/// back as another tensor, with that node; one that is marked as dirty comes back itself. Errors:
/// EngineError for a tangent without a rule, and where forward changed an input in place without
/// marking it; whatever forward throws, and then nothing was recorded.
std::vector<Tensor> call(const CustomFunctionPtr& function, const std::vector<Tensor>& inputs);

}  // namespace pinn
