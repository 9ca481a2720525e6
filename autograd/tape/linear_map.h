#pragma once
#include <functional>

#include "autograd/tape/formula.h"

namespace pinn {

/// A linear map of one tensor: its derivative is another linear map, given as a function.
class LinearMapNode : public Node {
 public:
  using Adjoint = std::function<Tensor(const Tensor&)>;
  LinearMapNode(const char* name, Adjoint adjoint) : name_(name), adjoint_(std::move(adjoint)) {}
  const char* name() const override { return name_; }
  Gradients apply(const Gradients& grads) override {
    if (!grads[0].defined() || !wanted(0)) return {};
    note_formula(*this, 0);
    return {adjoint_(grads[0])};
  }

 private:
  const char* name_;
  Adjoint adjoint_;
};

/// Records y as a linear map of x.
template <class Adjoint>
Tensor recorded(Tensor y, const Tensor& x, const char* name, Adjoint&& adjoint) {
  if (needs_recording({&x}))
    record(make_node<LinearMapNode>(name, std::forward<Adjoint>(adjoint)), {&x}, y);
  return y;
}

}  // namespace pinn
