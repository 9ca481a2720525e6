#pragma once
#include "autograd/tape/formula.h"
#include "autograd/tape/tangent.h"

namespace pinn {

/// A linear map of one tensor: its gradient is the adjoint map, given as a function.
template <class Adjoint> class LinearMapNode : public Node {
 public:
  LinearMapNode(const char* name, const Adjoint& adjoint) : name_(name), adjoint_(adjoint) {}
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

/// map(x), recorded: `map` is linear and runs without history, `adjoint` is made of recorded
/// functions. A tangent goes through the map as the value does.
template <class Map, class Adjoint>
Tensor linear_map(const char* name, const Tensor& x, const Map& map, const Adjoint& adjoint) {
  Tensor y = map(x);
  if (needs_recording({&x})) record(make_node<LinearMapNode<Adjoint>>(name, adjoint), {&x}, y);
  carry_tangent(y, {&x}, [&] { return linear_map(name, tangent_of(x), map, adjoint); });
  return y;
}

}  // namespace pinn
