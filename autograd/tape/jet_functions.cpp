#include "autograd/tape/jet_functions.h"

#include "autograd/core/error.h"
#include "autograd/cpu/jet.h"
#include "autograd/tape/body.h"
#include "autograd/tape/formula.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/saved.h"

namespace pinn {
namespace {

void must_be_jet(const JetTablePtr& table, const Tensor& h, const char* op) {
  if (h.rank() != 3 || h.shape()[1] != table->size() || !is_floating(h.dtype()))
    throw ShapeError({std::string(op) + ": a jet here is [points, " +
                          std::to_string(table->size()) + " channels, features]",
                      describe(h), "use one table for all jets of a formula"});
}

/// Shape of an op on two jets, features broadcast.
Shape common_shape(const JetTablePtr& table, const Tensor& a, const Tensor& b, const char* op) {
  must_be_jet(table, a, op);
  must_be_jet(table, b, op);
  if (a.dtype() != b.dtype() || a.shape()[0] != b.shape()[0])
    throw ShapeError({std::string(op) + ": the jets differ in points or dtype",
                      describe(a) + " and " + describe(b), "cast or expand one of them"});
  return broadcast(a.shape(), b.shape());
}

/// y = f^(k)(h); backward is one op as well.
class JetNode : public Node {
 public:
  JetNode(int id, double parameter, int k, JetTablePtr table, const Tensor& h)
      : id_(id), k_(k), parameter_(parameter), table_(std::move(table)), h_(h) {}
  const char* name() const override { return "jet"; }
  Gradients apply(const Gradients& grads) override {
    if (!grads[0].defined() || !wanted(0)) return {};
    note_formula(*this, 0);
    const Tensor h = h_.unpack(*this);
    if (recording())
      return {jet_mul_transposed(table_, grads[0], jet(id_, parameter_, k_ + 1, table_, h))};
    const Tensor g = contiguous_data(grads[0]), data = contiguous_data(h);
    Tensor out = allocate(h.shape(), h.dtype());
    cpu::jet_pullback(id_, parameter_, k_, *table_, h.dtype(), std::size_t(h.shape()[0]),
                      std::size_t(h.shape()[2]), data.raw(), g.raw(), out.raw());
    return {out};
  }
  void release() override { h_.drop(); }

 private:
  int id_, k_;
  double parameter_;
  JetTablePtr table_;
  Saved h_;
};

/// Both bilinear ops: their gradients are each other.
class JetProductNode : public Node {
 public:
  JetProductNode(JetTablePtr table, bool transposed, const Tensor& a, const Tensor& b)
      : table_(std::move(table)),
        transposed_(transposed),
        a_shape_(a.shape()),
        b_shape_(b.shape()) {
    if (b.requires_grad()) a_ = Saved(a);
    if (a.requires_grad()) b_ = Saved(b);
  }
  const char* name() const override { return transposed_ ? "jet_mul_transposed" : "jet_mul"; }
  Gradients apply(const Gradients& grads) override {
    Gradients out(2);
    const Tensor& y = grads[0];
    if (!y.defined()) return out;
    if (wanted(0)) {
      note_formula(*this, 0);
      const Tensor b = b_.unpack(*this);
      out[0] =
          sum_to(transposed_ ? jet_mul(table_, y, b) : jet_mul_transposed(table_, y, b), a_shape_);
    }
    if (wanted(1)) {
      note_formula(*this, 1);
      const Tensor a = a_.unpack(*this);
      out[1] =
          sum_to(transposed_ ? jet_mul_transposed(table_, a, y) : jet_mul_transposed(table_, y, a),
                 b_shape_);
    }
    return out;
  }
  void release() override {
    a_.drop();
    b_.drop();
  }

 private:
  JetTablePtr table_;
  bool transposed_;
  Shape a_shape_, b_shape_;
  Saved a_, b_;
};

using ProductKernel = void (*)(const JetTable&, DType, std::size_t, std::size_t, const void*,
                               std::size_t, const void*, void*);

Tensor product(ProductKernel kernel, bool transposed, const JetTablePtr& table, const Tensor& a,
               const Tensor& b) {
  const Shape shape = common_shape(table, a, b, transposed ? "jet_mul_transposed" : "jet_mul");
  const Tensor left = contiguous_data(a), right = contiguous_data(b);
  Tensor y = allocate(shape, a.dtype());
  kernel(*table, a.dtype(), std::size_t(shape[0]), std::size_t(a.shape()[2]), left.raw(),
         std::size_t(b.shape()[2]), right.raw(), y.raw());
  if (needs_recording({&a, &b})) {
    auto node = make_node<JetProductNode>(table, transposed, a, b);
    node->set_edges({edge_of(a), edge_of(b)});
    set_history(y, node);
  }
  return y;
}

}  // namespace

Tensor jet(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h) {
  must_be_jet(table, h, "jet");
  const Tensor data = contiguous_data(h);
  Tensor y = allocate(h.shape(), h.dtype());
  cpu::jet(id, parameter, k, *table, h.dtype(), std::size_t(h.shape()[0]),
           std::size_t(h.shape()[2]), data.raw(), y.raw());
  if (needs_recording({&h})) {
    auto node = make_node<JetNode>(id, parameter, k, table, h);
    node->set_edges({edge_of(h)});
    set_history(y, node);
  }
  return y;
}

Tensor jet_mul(const JetTablePtr& table, const Tensor& a, const Tensor& b) {
  return product(cpu::jet_mul, false, table, a, b);
}

Tensor jet_mul_transposed(const JetTablePtr& table, const Tensor& g, const Tensor& b) {
  return product(cpu::jet_mul_transposed, true, table, g, b);
}

}  // namespace pinn
