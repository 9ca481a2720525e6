#include "autograd/taylor/jet.h"

#include "autograd/core/error.h"
#include "autograd/tape/engine/node.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/functions/rules.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/tensor/body.h"

namespace pinn {
namespace {

void must_be_jet(const JetTablePtr& table, const Tensor& h, const char* op) {
  if (h.rank() != 3 || h.shape()[1] != table->size() || !is_floating(h.dtype()))
    throw ShapeError({std::string(op) + ": a jet here is [points, " +
                          std::to_string(table->size()) + " channels, features]",
                      describe(h), "use one table for all jets of a formula"});
}

void must_fit(const JetTablePtr& table, const Tensor& a, const Tensor& b, const char* op) {
  must_be_jet(table, a, op);
  must_be_jet(table, b, op);
  must_have_one_dtype(op, a, b);
  if (a.shape()[0] != b.shape()[0])
    throw ShapeError({std::string(op) + ": the jets differ in points",
                      describe(a) + " and " + describe(b), "expand one of them"});
}

/// y = f^(k)(h); backward is one op as well, and the tangent f^(k+1)(h) times that of h.
class JetNode : public Node {
 public:
  JetNode(int id, double parameter, int k, JetTablePtr table)
      : id_(id), k_(k), parameter_(parameter), table_(std::move(table)) {}
  const char* name() const override { return "jet"; }
  const char* slot_name(int) const override { return "h"; }
  bool will_read(int) const override { return wanted(0); }
  Gradients apply(const Gradients& grads) override {
    if (!grads[0].defined() || !wanted(0)) return {};
    note_formula(*this, 0);
    const Tensor h = unpack(0);
    if (!recording() && !any_tangent({&h, &grads[0]}))
      return {primitive::jet_pullback(id_, parameter_, k_, table_, h, grads[0])};
    return {jet_mul_transposed(table_, grads[0], jet(id_, parameter_, k_ + 1, table_, h))};
  }

 private:
  int id_, k_;
  double parameter_;
  JetTablePtr table_;
};

/// Both bilinear ops: their gradients are each other.
class JetProductNode : public Node {
 public:
  JetProductNode(JetTablePtr table, bool transposed, const Tensor& a, const Tensor& b)
      : table_(std::move(table)),
        transposed_(transposed),
        a_shape_(a.shape()),
        b_shape_(b.shape()) {}
  void keep(const Tensor& a, const Tensor& b) {
    if (b.requires_grad()) save(0, a);
    if (a.requires_grad()) save(1, b);
  }
  const char* name() const override { return transposed_ ? "jet_mul_transposed" : "jet_mul"; }
  const char* slot_name(int i) const override { return i == 0 ? "a" : "b"; }
  bool will_read(int slot) const override { return wanted(1 - slot); }
  Gradients apply(const Gradients& grads) override {
    Gradients out(2);
    const Tensor& y = grads[0];
    if (!y.defined()) return out;
    if (wanted(0)) {
      note_formula(*this, 0);
      const Tensor b = unpack(1);
      out[0] =
          sum_to(transposed_ ? jet_mul(table_, y, b) : jet_mul_transposed(table_, y, b), a_shape_);
    }
    if (wanted(1)) {
      note_formula(*this, 1);
      const Tensor a = unpack(0);
      out[1] =
          sum_to(transposed_ ? jet_mul_transposed(table_, a, y) : jet_mul_transposed(table_, y, a),
                 b_shape_);
    }
    return out;
  }

 private:
  JetTablePtr table_;
  bool transposed_;
  Shape a_shape_, b_shape_;
};

using Product = Tensor (*)(const JetTablePtr&, const Tensor&, const Tensor&);

Tensor product(Product primitive, bool transposed, const JetTablePtr& table, const Tensor& a,
               const Tensor& b) {
  must_fit(table, a, b, transposed ? "jet_mul_transposed" : "jet_mul");
  Tensor y = primitive(table, a, b);
  if (needs_recording({&a, &b})) {
    auto* node = record(make_node<JetProductNode>(table, transposed, a, b), {&a, &b}, y);
    node->keep(a, b);
  }
  carry_tangent(y, {&a, &b}, [&] {
    const Product op = transposed ? jet_mul_transposed : jet_mul;
    const Tensor da = tangent_of(a), db = tangent_of(b);
    return sum_of_defined(da.defined() ? op(table, da, b) : Tensor(),
                          db.defined() ? op(table, a, db) : Tensor());
  });
  return y;
}

}  // namespace

Tensor jet(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h) {
  must_be_jet(table, h, "jet");
  Tensor y = primitive::jet(id, parameter, k, table, h);
  if (needs_recording({&h})) {
    auto* node = record(make_node<JetNode>(id, parameter, k, table), {&h}, y);
    node->save(0, h);
  }
  carry_tangent(y, {&h},
                [&] { return jet_mul(table, jet(id, parameter, k + 1, table, h), tangent_of(h)); });
  return y;
}

Tensor jet_mul(const JetTablePtr& table, const Tensor& a, const Tensor& b) {
  return product(primitive::jet_mul, false, table, a, b);
}

Tensor jet_mul_transposed(const JetTablePtr& table, const Tensor& g, const Tensor& b) {
  return product(primitive::jet_mul_transposed, true, table, g, b);
}

}  // namespace pinn
