#include "autograd/taylor/jet.h"

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/node.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/rules.h"

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
class JetNode : public SideNode {
 public:
  JetNode(int id, double parameter, int k, JetTablePtr table)
      : id_(id), k_(k), parameter_(parameter), table_(std::move(table)) {}
  const char* name() const override { return "jet"; }
  const char* slot_name(int) const override { return "h"; }
  bool will_read(int) const override { return wanted(0); }

 private:
  Tensor side(int, const Tensor& g) override {
    const Tensor h = unpack(0);
    if (!recording() && !any_tangent({&h, &g}))
      return primitive::jet_pullback(id_, parameter_, k_, table_, h, g);
    return jet_mul_transposed(table_, g, jet(id_, parameter_, k_ + 1, table_, h));
  }
  int id_, k_;
  double parameter_;
  JetTablePtr table_;
};

const char* name_of_product(bool transposed) {
  return transposed ? "jet_mul_transposed" : "jet_mul";
}

Tensor product(const JetTablePtr& table, bool transposed, const Tensor& a, const Tensor& b);

/// Both bilinear ops: their gradients are each other.
class JetProductNode : public BilinearNode {
 public:
  JetProductNode(JetTablePtr table, bool transposed)
      : table_(std::move(table)), transposed_(transposed) {}
  const char* name() const override { return name_of_product(transposed_); }
  const char* slot_name(int i) const override { return i == 0 ? "a" : "b"; }

 private:
  Tensor side(int i, const Tensor& y) override {
    const Tensor other = unpack(1 - i);
    const Tensor g = i == 0        ? product(table_, !transposed_, y, other)
                     : transposed_ ? product(table_, true, other, y)
                                   : product(table_, true, y, other);
    return sum_to(g, input_metadata(i).shape);
  }
  JetTablePtr table_;
  bool transposed_;
};

Tensor product(const JetTablePtr& table, bool transposed, const Tensor& a, const Tensor& b) {
  must_fit(table, a, b, name_of_product(transposed));
  Tensor y = primitive::jet_mul(table, transposed, a, b);
  if (needs_recording({&a, &b})) {
    auto* node = record(make_node<JetProductNode>(table, transposed), {&a, &b}, y);
    node->keep(a, b);
  }
  carry_tangent(y, {&a, &b}, [&] {
    const auto times = [&](const Tensor& x, const Tensor& w) {
      return product(table, transposed, x, w);
    };
    return bilinear_tangent(times, a, b);
  });
  return y;
}

/// f^(k)(h) where the slope says which points count: all channels are masked by it. What is left of
/// such a function is constant, and its derivatives are zeros that hang on h.
template <class Op> Tensor masked_jet(double parameter, int k, const Tensor& h) {
  const Tensor value = slice(h, 1, 0, 1), fixed = value.detach();
  if (k == 0 && Op::selects) return masked(h, slope_of<Op, Tensor>(fixed, fixed, parameter));
  if (k > 1 || (k == 1 && !Op::selects)) return masked(h, 0.0);
  const Tensor constant =
      k == 0 ? apply<Op>(value, parameter) : slope_of<Op, Tensor>(value, value, parameter);
  return embed(constant, h.shape(), 1, 0);
}

}  // namespace

Tensor jet(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h) {
  must_be_jet(table, h, "jet");
  if (visit_unary(id, [&]<class Op>() { return masks<Op>(parameter); }))
    return visit_unary(id, [&]<class Op>() { return masked_jet<Op>(parameter, k, h); });
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
  return product(table, false, a, b);
}

Tensor jet_mul_transposed(const JetTablePtr& table, const Tensor& g, const Tensor& b) {
  return product(table, true, g, b);
}

}  // namespace pinn
