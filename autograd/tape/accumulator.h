#pragma once
#include "autograd/tape/node.h"

namespace pinn {

/// The sink of a leaf: adds arriving gradients into leaf.grad(). The leaf owns it, and it refers to
/// its leaf weakly: once all handles of a leaf are gone nobody could read its gradient.
class Accumulator : public Node {
 public:
  explicit Accumulator(const Tensor& leaf) : leaf_(leaf.shared_body()) { add_output(leaf); }
  const char* name() const override { return "accumulator"; }
  Gradients apply(const Gradients& grads) override;
  bool is_accumulator() const override { return true; }

 private:
  std::weak_ptr<TensorBody> leaf_;
};

/// The accumulator of a leaf, made when it is first asked for.
const NodePtr& accumulator_of(const Tensor& leaf);

/// t.grad() += g. The grad tensor stays the same object and memory unless the pass records. The
/// first gradient is taken over if nobody else can see it, else copied.
void accumulate(const Tensor& t, const Tensor& g);

}  // namespace pinn
