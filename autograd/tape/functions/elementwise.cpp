#include "autograd/ops/elementwise.h"
#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/rules.h"

namespace pinn {
namespace {

/// Names of the slots of elementwise nodes, by number.
constexpr const char* slot_names[] = {"x", "y", "z"};

/// f'(x) g: the derivative is diagonal, so gradients and tangents are made alike.
Tensor times_slope(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& g) {
  return visit_unary(id, [&]<class Op>() -> Tensor {
    const Tensor none;
    const Tensor &reads_x = Op::uses_x ? x : none, &reads_y = Op::uses_y ? y : none;
    if (!needs_recording({&reads_x, &reads_y, &g}) && !any_tangent({&reads_x, &reads_y, &g}))
      return primitive::unary_pullback(id, parameter, reads_x, reads_y, g);
    if (Op::flat) return zeros_like(g);  // zero, and so is all that follows
    const Tensor slope = slope_of<Op, Tensor>(reads_x, reads_y, parameter);
    return masks<Op>(parameter) ? masked(g, slope) : g * slope;
  });
}

/// f'(x) dx. Roots have infinite slopes at 0: there nothing changes where x does not.
Tensor unary_tangent(int id, double parameter, const Tensor& x, const Tensor& y, const Tensor& dx) {
  return visit_unary(id, [&]<class Op>() -> Tensor {
    if (Op::flat) return {};
    if (!is_root<Op>(parameter)) return times_slope(id, parameter, x, y, dx);
    return masked(times_slope(id, parameter, x, y, ones(dx.shape(), dx.dtype(), dx.device())), dx);
  });
}

/// y = f(x); backward g f'(x).
class UnaryNode : public SideNode {
 public:
  UnaryNode(int id, double parameter) : id_(id), parameter_(parameter) {}
  const char* name() const override { return unary_name(id_).data(); }
  const char* slot_name(int i) const override { return slot_names[i]; }
  void keep(const Tensor& x, const Tensor& y) {
    visit_unary(id_, [&]<class Op>() {
      if (Op::uses_x) save(0, x);
      if (Op::uses_y) save(1, y, true);
    });
  }
  bool will_read(int) const override { return wanted(0); }

 private:
  Tensor side(int, const Tensor& g) override {
    return times_slope(id_, parameter_, unpack(0), unpack(1), g);
  }
  int id_;
  double parameter_;
};

/// g times f_x (input 0) or f_y, for gradients and tangents alike.
template <class Op, int input>
Tensor times_slope(const Tensor& g, const Tensor& x, const Tensor& y, const Tensor& z) {
  if constexpr (Op::linear) {
    const double slope = input == 0 ? Op::slope_x(1., 1., 1.) : Op::slope_y(1., 1., 1.);
    return slope == 1 ? g : -g;
  } else if constexpr (requires { Op::pullback_x(g, x, y, z); }) {
    return input == 0 ? Op::pullback_x(g, x, y, z) : Op::pullback_y(g, x, y, z);
  } else {
    const Tensor slope = input == 0 ? Op::slope_x(x, y, z) : Op::slope_y(x, y, z);
    return Op::masks ? masked(g, slope) : g * slope;
  }
}

/// f_x dx + f_y dy; what is not there costs nothing.
Tensor binary_tangent(int id, const Tensor& x, const Tensor& y, const Tensor& z) {
  return visit_binary(id, [&]<class Op>() -> Tensor {
    if (Op::flat) return {};
    const Tensor dx = tangent_of(x), dy = tangent_of(y);
    if constexpr (std::is_same_v<Op, op::Div>)  // an infinity at y = 0, not the difference of two
      if (dx.defined() && dy.defined()) return (dx - z * dy) / y;
    if constexpr (std::is_same_v<Op, op::Pow>) {
      const Tensor one = ones({}, z.dtype(), z.device());
      return sum_of_defined(dx.defined() ? masked(Op::pullback_x(one, x, y, z), dx) : Tensor(),
                            dy.defined() ? Op::pullback_y(dy, x, y, z) : Tensor());
    }
    return sum_of_defined(dx.defined() ? times_slope<Op, 0>(dx, x, y, z) : Tensor(),
                          dy.defined() ? times_slope<Op, 1>(dy, x, y, z) : Tensor());
  });
}

/// z = f(x, y); backward g f_x and g f_y, summed to the shapes of x and y.
class BinaryNode : public Node {
 public:
  explicit BinaryNode(int id) : id_(id) {}
  const char* name() const override { return binary_name(id_).data(); }
  const char* slot_name(int i) const override { return slot_names[i]; }
  void keep(const Tensor& x, const Tensor& y, const Tensor& z) {
    visit_binary(id_, [&]<class Op>() {
      const bool by_x = x.requires_grad(), by_y = y.requires_grad();
      if ((by_x && Op::dx.x) || (by_y && Op::dy.x)) save(0, x);
      if ((by_x && Op::dx.y) || (by_y && Op::dy.y)) save(1, y);
      if ((by_x && Op::dx.z) || (by_y && Op::dy.z)) save(2, z, true);
    });
  }
  bool will_read(int slot) const override {
    return visit_binary(id_, [&]<class Op>() {
      return (wanted(0) && reads<Op, 0>(slot)) || (wanted(1) && reads<Op, 1>(slot));
    });
  }
  Gradients apply(const Gradients& grads) override {
    Gradients out(2);
    if (!grads[0].defined()) return out;
    visit_binary(id_, [&]<class Op>() {
      Tensor saved[3];
      if (wanted(0)) out[0] = side<Op, 0>(grads[0], saved);
      if (wanted(1)) out[1] = side<Op, 1>(grads[0], saved);
    });
    return out;
  }

 private:
  /// True if the gradient of an input reads that slot.
  template <class Op, int input> static constexpr bool reads(int slot) {
    constexpr op::Reads reads = input == 0 ? Op::dx : Op::dy;
    return slot == 0 ? reads.x : slot == 1 ? reads.y : reads.z;
  }

  /// The gradient of an input; what it reads is unpacked once for both.
  template <class Op, int input> Tensor side(const Tensor& g, Tensor (&saved)[3]) {
    note_formula(*this, input);
    const Shape& shape = input_metadata(input).shape;
    if constexpr (Op::linear) return times_slope<Op, input>(sum_to(g, shape), g, g, g);
    for (int i = 0; i < 3; ++i)
      if (reads<Op, input>(i) && !saved[i].defined()) saved[i] = unpack(i);
    return sum_to(times_slope<Op, input>(g, saved[0], saved[1], saved[2]), shape);
  }

  int id_;
};

/// z = mask ? x : y; each branch's gradient is selected, so that nothing is multiplied by zero.
class WhereNode : public Node {
 public:
  const char* name() const override { return "where"; }
  const char* slot_name(int) const override { return "mask"; }
  bool will_read(int) const override { return wanted(0) || wanted(1); }
  Gradients apply(const Gradients& grads) override {
    Gradients out(2);
    if (!grads[0].defined()) return out;
    const Tensor zero = zeros({}, grads[0].dtype(), grads[0].device());
    const Tensor mask = wanted(0) || wanted(1) ? unpack(0) : Tensor();
    if (wanted(0)) {
      note_formula(*this, 0);
      out[0] = sum_to(where(mask, grads[0], zero), input_metadata(0).shape);
    }
    if (wanted(1)) {
      note_formula(*this, 1);
      out[1] = sum_to(where(mask, zero, grads[0]), input_metadata(1).shape);
    }
    return out;
  }
};

Tensor where_tangent(const Tensor& mask, const Tensor& x, const Tensor& y) {
  const Tensor dx = tangent_of(x), dy = tangent_of(y);
  const Tensor zero = zeros({}, x.dtype(), (dx.defined() ? dx : dy).device());
  return where(mask, dx.defined() ? dx : zero, dy.defined() ? dy : zero);
}

/// The dtype of an op on two tensors: plain numbers give way.
DType common_dtype(const Tensor& x, const Tensor& y, const char* op) {
  if (x.is_number()) return y.dtype();
  if (!y.is_number()) must_have_one_dtype(op, x, y);
  return x.dtype();
}

/// x itself, or where it is a plain number, that number in the dtype of the op; one that is
/// differentiated by also goes to the device of the other operand.
struct Fitted {
  Fitted(const Tensor& x, DType dtype, const Tensor& other)
      : made(x.dtype() == dtype ? Tensor() : cast(x, dtype)), tensor(made.defined() ? &made : &x) {
    if (!x.is_number() || other.device().is_cpu()) return;
    if (needs_recording({&x}) || any_tangent({&x})) made = tensor->to(other.device());
    if (made.defined()) tensor = &made;
  }
  Tensor made;
  const Tensor* tensor;
};

}  // namespace

void must_be_floating(const Tensor& x, const char* op) {
  if (!is_floating(x.dtype()))
    throw EngineError({std::string(op) + " works on floating tensors", describe(x),
                       "cast() it to float64 or float32"});
}

Tensor apply_unary(int id, const Tensor& x, double parameter) {
  must_be_floating(x, unary_name(id).data());
  Tensor y = primitive::unary(id, parameter, x);
  y.body()->is_number = x.body()->is_number;
  UnaryNode* node = nullptr;
  if (needs_recording({&x})) node = record(make_node<UnaryNode>(id, parameter), {&x}, y);
  carry_tangent(y, {&x}, [&] { return unary_tangent(id, parameter, x, y, tangent_of(x)); });
  if (node) node->keep(x, y);
  return y;
}

Tensor apply_binary(int id, const Tensor& x, const Tensor& y) {
  const char* name = binary_name(id).data();
  const DType dtype = common_dtype(x, y, name);
  must_be_floating(x.is_number() ? y : x, name);
  const Fitted x_in(x, dtype, y), y_in(y, dtype, x);
  const Tensor &a = *x_in.tensor, &b = *y_in.tensor;
  Tensor z = primitive::binary(id, a, b);
  z.body()->is_number = x.body()->is_number && y.body()->is_number;
  const bool flat = visit_binary(id, []<class Op>() { return Op::flat; });
  BinaryNode* node = nullptr;
  if (!flat && needs_recording({&a, &b})) node = record(make_node<BinaryNode>(id), {&a, &b}, z);
  carry_tangent(z, {&a, &b}, [&] { return binary_tangent(id, a, b, z); });
  if (node) node->keep(a, b, z);
  return z;
}

Tensor where(const Tensor& mask, const Tensor& x, const Tensor& y) {
  const bool of_numbers = x.is_number() && y.is_number() && is_floating(mask.dtype());
  const DType dtype = of_numbers ? mask.dtype() : common_dtype(x, y, "where");
  must_be_floating(x.is_number() ? y : x, "where");
  const Tensor m = mask.dtype() == dtype ? mask.detach() : cast(mask.detach(), dtype);
  const Fitted x_in(x, dtype, y), y_in(y, dtype, x);
  const Tensor &a = *x_in.tensor, &b = *y_in.tensor;
  Tensor z = primitive::ternary(ternary_id<op::Where>, m, a, b);
  z.body()->is_number = m.is_number() && x.is_number() && y.is_number();
  if (needs_recording({&a, &b})) {
    auto* node = record(make_node<WhereNode>(), {&a, &b}, z);
    node->save(0, m);
  }
  carry_tangent(z, {&a, &b}, [&] { return where_tangent(m, a, b); });
  return z;
}

Tensor cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  const auto map = [dtype](const Tensor& t) {
    const Tensor y = primitive::cast(t, dtype);
    y.body()->is_number = t.is_number();
    return y;
  };
  if (!is_floating(dtype)) return map(x);
  return linear_map("cast", x, map, [from = x.dtype()](const Tensor& g) { return cast(g, from); });
}

}  // namespace pinn
