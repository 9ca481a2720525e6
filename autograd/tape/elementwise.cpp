#include "autograd/cpu/elementwise.h"
#include "autograd/core/error.h"
#include "autograd/cpu/unary.h"
#include "autograd/tape/body.h"
#include "autograd/tape/formula.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/saved.h"

namespace pinn {
namespace {

/// y = f(x); backward g f'(x).
class UnaryNode : public Node {
 public:
  UnaryNode(int id, double parameter) : id_(id), parameter_(parameter) {}
  const char* name() const override { return unary_name(id_).data(); }
  void save(const Tensor& x, const Tensor& y) {
    visit_unary(id_, [&]<class Op>() {
      if (Op::uses_x) x_ = Saved(x);
      if (Op::uses_y) y_ = Saved(y, true);
    });
  }
  Gradients apply(const Gradients& grads) override {
    if (!grads[0].defined() || !wanted(0)) return {};
    note_formula(*this, 0);
    const Tensor& g = grads[0];
    const Tensor x = x_.unpack(*this), y = y_.unpack(*this);
    if (!recording() && g.is_contiguous() && (!x.defined() || x.is_contiguous())) {
      Tensor dx = allocate(g.shape(), g.dtype());
      cpu::unary_pullback(id_, parameter_, g.dtype(), x.defined() ? x.raw() : nullptr,
                          y.defined() ? y.raw() : nullptr, g.raw(), dx.raw(),
                          std::size_t(g.numel()));
      return {dx};
    }
    return visit_unary(id_, [&]<class Op>() -> Gradients {
      if (Op::flat) return {zeros(g.shape(), g.dtype())};  // zero, and so is all that follows
      return {g * slope_of<Op, Tensor>(x, y, parameter_)};
    });
  }
  void release() override {
    x_.drop();
    y_.drop();
  }

 private:
  int id_;
  double parameter_;
  Saved x_, y_;
};

/// z = f(x, y); backward g f_x and g f_y, summed to the shapes of x and y.
class BinaryNode : public Node {
 public:
  BinaryNode(int id, const Tensor& x, const Tensor& y)
      : id_(id), x_shape_(x.shape()), y_shape_(y.shape()) {}
  const char* name() const override { return binary_name(id_).data(); }
  void save(const Tensor& x, const Tensor& y, const Tensor& z) {
    visit_binary(id_, [&]<class Op>() {
      const bool by_x = x.requires_grad(), by_y = y.requires_grad();
      if ((by_x && Op::dx.x) || (by_y && Op::dy.x)) x_ = Saved(x);
      if ((by_x && Op::dx.y) || (by_y && Op::dy.y)) y_ = Saved(y);
      if ((by_x && Op::dx.z) || (by_y && Op::dy.z)) z_ = Saved(z, true);
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
  void release() override {
    x_.drop();
    y_.drop();
    z_.drop();
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
      const Tensor x = reads.x ? x_.unpack(*this) : Tensor();
      const Tensor y = reads.y ? y_.unpack(*this) : Tensor();
      const Tensor z = reads.z ? z_.unpack(*this) : Tensor();
      return sum_to(g * (input == 0 ? Op::slope_x(x, y, z) : Op::slope_y(x, y, z)), shape);
    }
  }

  int id_;
  Shape x_shape_, y_shape_;
  Saved x_, y_, z_;
};

/// z = mask ? x : y; each branch's gradient is selected, so that nothing is multiplied by zero.
class WhereNode : public Node {
 public:
  WhereNode(const Tensor& mask, const Tensor& x, const Tensor& y)
      : mask_(mask), x_shape_(x.shape()), y_shape_(y.shape()) {}
  const char* name() const override { return "where"; }
  Gradients apply(const Gradients& grads) override {
    Gradients out(2);
    if (!grads[0].defined()) return out;
    const Tensor zero = zeros({}, grads[0].dtype());
    if (wanted(0)) {
      note_formula(*this, 0);
      out[0] = sum_to(where(mask_.unpack(*this), grads[0], zero), x_shape_);
    }
    if (wanted(1)) {
      note_formula(*this, 1);
      out[1] = sum_to(where(mask_.unpack(*this), zero, grads[0]), y_shape_);
    }
    return out;
  }
  void release() override { mask_.drop(); }

 private:
  Saved mask_;
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

/// x as an operand of a loop over `shape`.
cpu::Operand operand(const Tensor& x, const Shape& shape) {
  cpu::Operand o{x.raw(), {}};
  const int shift = shape.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i)
    if (x.shape()[i] != 1 || shape[i + shift] == 1) o.strides[i + shift] = x.strides()[i];
  return o;
}

}  // namespace

Tensor apply_unary(int id, const Tensor& x, double parameter) {
  must_be_floating(x, unary_name(id).data());
  const Tensor data = contiguous_data(x);
  Tensor y = allocate(x.shape(), x.dtype());
  cpu::unary(id, parameter, x.dtype(), data.raw(), y.raw(), std::size_t(x.numel()));
  y.body()->is_number = x.is_number();
  if (needs_recording({&x})) {
    auto node = make_node<UnaryNode>(id, parameter);
    node->set_edges({edge_of(x)});
    set_history(y, node);
    node->save(x, y);
  }
  return y;
}

Tensor apply_binary(int id, const Tensor& x, const Tensor& y) {
  const char* name = binary_name(id).data();
  const DType dtype = common_dtype(x, y, name);
  must_be_floating(x.is_number() ? y : x, name);
  const Tensor a = cast(x, dtype), b = cast(y, dtype);  // plain numbers give way
  const Shape shape = broadcast(a.shape(), b.shape());
  Tensor z = allocate(shape, dtype);
  cpu::binary(id, dtype, shape, operand(a, shape), operand(b, shape), z.raw());
  z.body()->is_number = x.is_number() && y.is_number();
  const bool flat = visit_binary(id, []<class Op>() { return Op::flat; });
  if (!flat && needs_recording({&a, &b})) {
    auto node = make_node<BinaryNode>(id, a, b);
    node->set_edges({edge_of(a), edge_of(b)});
    set_history(z, node);
    node->save(a, b, z);
  }
  return z;
}

Tensor where(const Tensor& mask, const Tensor& x, const Tensor& y) {
  const DType dtype = common_dtype(x, y, "where");
  must_be_floating(x.is_number() ? y : x, "where");
  const Tensor m = mask.dtype() == dtype ? mask.detach() : cast(mask.detach(), dtype);
  const Tensor a = cast(x, dtype), b = cast(y, dtype);  // plain numbers give way
  const Shape shape = broadcast(m.shape(), broadcast(a.shape(), b.shape()));
  Tensor z = allocate(shape, dtype);
  cpu::where(dtype, shape, operand(m, shape), operand(a, shape), operand(b, shape), z.raw());
  z.body()->is_number = m.is_number() && x.is_number() && y.is_number();
  if (needs_recording({&a, &b})) {
    auto node = make_node<WhereNode>(m, a, b);
    node->set_edges({edge_of(a), edge_of(b)});
    set_history(z, node);
  }
  return z;
}

Tensor cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x;
  Tensor y = allocate(x.shape(), dtype);
  cpu::copy(x.dtype(), dtype, x.shape(), {x.raw(), x.strides()}, y.raw());
  if (is_floating(dtype) && needs_recording({&x})) {
    auto node = make_node<CastNode>(x.dtype());
    node->set_edges({edge_of(x)});
    set_history(y, node);
  }
  return y;
}

}  // namespace pinn
