#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/formula.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/primitives.h"

namespace pinn {
namespace {

/// What slots of elementwise nodes hold, by number.
constexpr const char* slot_names[] = {"x", "y", "z"};

/// y = f(x); backward g f'(x).
class UnaryNode : public Node {
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
  Gradients apply(const Gradients& grads) override {
    if (!grads[0].defined() || !wanted(0)) return {};
    note_formula(*this, 0);
    const Tensor& g = grads[0];
    const Tensor x = unpack(0), y = unpack(1);
    if (!recording()) return {primitive::unary_pullback(id_, parameter_, x, y, g)};
    return visit_unary(id_, [&]<class Op>() -> Gradients {
      if (Op::flat) return {zeros(g.shape(), g.dtype())};  // zero, and so is all that follows
      return {g * slope_of<Op, Tensor>(x, y, parameter_)};
    });
  }

 private:
  int id_;
  double parameter_;
};

/// z = f(x, y); backward g f_x and g f_y, summed to the shapes of x and y.
class BinaryNode : public Node {
 public:
  BinaryNode(int id, const Tensor& x, const Tensor& y)
      : id_(id), x_shape_(x.shape()), y_shape_(y.shape()) {}
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
  Gradients apply(const Gradients& grads) override {
    Gradients out(2);
    if (!grads[0].defined()) return out;
    visit_binary(id_, [&]<class Op>() {
      if (wanted(0)) out[0] = side<Op, 0>(grads[0]);
      if (wanted(1)) out[1] = side<Op, 1>(grads[0]);
    });
    return out;
  }

 private:
  template <class Op, int input> Tensor side(const Tensor& g) {
    note_formula(*this, input);
    const Shape& shape = input == 0 ? x_shape_ : y_shape_;
    if constexpr (Op::linear) {
      const double slope = input == 0 ? Op::slope_x(1., 1., 1.) : Op::slope_y(1., 1., 1.);
      const Tensor sum = sum_to(g, shape);
      return slope == 1 ? sum : -sum;
    } else {
      constexpr op::Reads reads = input == 0 ? Op::dx : Op::dy;
      const Tensor x = reads.x ? unpack(0) : Tensor();
      const Tensor y = reads.y ? unpack(1) : Tensor();
      const Tensor z = reads.z ? unpack(2) : Tensor();
      return sum_to(g * (input == 0 ? Op::slope_x(x, y, z) : Op::slope_y(x, y, z)), shape);
    }
  }

  int id_;
  Shape x_shape_, y_shape_;
};

/// z = mask ? x : y; each branch's gradient is selected, so that nothing is multiplied by zero.
class WhereNode : public Node {
 public:
  WhereNode(const Tensor& x, const Tensor& y) : x_shape_(x.shape()), y_shape_(y.shape()) {}
  const char* name() const override { return "where"; }
  const char* slot_name(int) const override { return "mask"; }
  Gradients apply(const Gradients& grads) override {
    Gradients out(2);
    if (!grads[0].defined()) return out;
    const Tensor zero = zeros({}, grads[0].dtype());
    if (wanted(0)) {
      note_formula(*this, 0);
      out[0] = sum_to(where(unpack(0), grads[0], zero), x_shape_);
    }
    if (wanted(1)) {
      note_formula(*this, 1);
      out[1] = sum_to(where(unpack(0), zero, grads[0]), y_shape_);
    }
    return out;
  }

 private:
  Shape x_shape_, y_shape_;
};

class CastNode : public Node {
 public:
  explicit CastNode(DType from) : from_(from) {}
  const char* name() const override { return "cast"; }
  Gradients apply(const Gradients& grads) override {
    if (!grads[0].defined() || !wanted(0)) return {};
    note_formula(*this, 0);
    return {cast(grads[0], from_)};
  }

 private:
  DType from_;
};

/// The dtype of an op on two tensors: plain numbers give way.
DType common_dtype(const Tensor& x, const Tensor& y, const char* op) {
  if (x.is_number()) return y.dtype();
  if (y.is_number() || x.dtype() == y.dtype()) return x.dtype();
  throw EngineError({std::string(op) + ": the tensors have different dtypes",
                     describe(x) + " and " + describe(y), "cast() one of them"});
}

void must_be_floating(const Tensor& x, const char* op) {
  if (!is_floating(x.dtype()))
    throw EngineError({std::string(op) + " works on floating tensors", describe(x),
                       "cast() it to float64 or float32"});
}

}  // namespace

Tensor apply_unary(int id, const Tensor& x, double parameter) {
  must_be_floating(x, unary_name(id).data());
  Tensor y = primitive::unary(id, parameter, x);
  y.body()->is_number = x.is_number();
  if (needs_recording({&x})) {
    auto node = make_node<UnaryNode>(id, parameter);
    record(node, {&x}, y);
    node->keep(x, y);
  }
  return y;
}

Tensor apply_binary(int id, const Tensor& x, const Tensor& y) {
  const char* name = binary_name(id).data();
  const DType dtype = common_dtype(x, y, name);
  must_be_floating(x.is_number() ? y : x, name);
  const Tensor a = cast(x, dtype), b = cast(y, dtype);  // plain numbers give way
  Tensor z = primitive::binary(id, a, b);
  z.body()->is_number = x.is_number() && y.is_number();
  const bool flat = visit_binary(id, []<class Op>() { return Op::flat; });
  if (!flat && needs_recording({&a, &b})) {
    auto node = make_node<BinaryNode>(id, a, b);
    record(node, {&a, &b}, z);
    node->keep(a, b, z);
  }
  return z;
}

Tensor where(const Tensor& mask, const Tensor& x, const Tensor& y) {
  const DType dtype = common_dtype(x, y, "where");
  must_be_floating(x.is_number() ? y : x, "where");
  const Tensor m = mask.dtype() == dtype ? mask.detach() : cast(mask.detach(), dtype);
  const Tensor a = cast(x, dtype), b = cast(y, dtype);  // plain numbers give way
  Tensor z = primitive::where(m, a, b);
  z.body()->is_number = m.is_number() && x.is_number() && y.is_number();
  if (needs_recording({&a, &b})) {
    auto node = make_node<WhereNode>(a, b);
    record(node, {&a, &b}, z);
    node->save(0, m);
  }
  return z;
}

Tensor cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  Tensor y = primitive::cast(x, dtype);
  if (is_floating(dtype) && needs_recording({&x})) record(make_node<CastNode>(x.dtype()), {&x}, y);
  return y;
}

}  // namespace pinn
