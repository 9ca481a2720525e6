#include "autograd/cpu/product.h"

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/formula.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/saved.h"

namespace pinn {
namespace {

/// A 2-D tensor as an operand of a product; copied only when neither axis is dense.
cpu::Matrix matrix(Tensor& t) {
  const auto dense = [&](int inner, int outer) {
    return (t.strides()[inner] == 1 || t.shape()[inner] == 1) &&
           (t.strides()[outer] >= t.shape()[inner] || t.shape()[outer] == 1);
  };
  if (!dense(1, 0) && !dense(0, 1)) t = contiguous_data(t);
  if (dense(1, 0)) return {t.raw(), std::max(t.strides()[0], t.shape()[1]), 1};
  return {t.raw(), 1, std::max(t.strides()[1], t.shape()[0])};
}

/// The elements of x [m, k] w [k, n], into a tensor of `shape`.
Tensor product_data(Tensor x, Tensor w, const Shape& shape) {
  Tensor y = allocate(shape, x.dtype());
  const std::int64_t m = x.shape()[0], k = x.shape()[1], n = w.shape()[1];
  const cpu::Matrix a = matrix(x), b = matrix(w);
  cpu::product(x.dtype(), m, n, k, a, b, y.raw());
  ++stats().products;
  if (stats().recording) stats().product_log.push_back({m, n, k, 1});
  return y;
}

/// x [..., k] as rows [m, k].
Tensor rows(const Tensor& x) {
  return x.rank() == 2 ? x : reshape(x, {-1, x.shape()[x.rank() - 1]});
}

void must_fit(const Tensor& x, const Tensor& w, const char* op) {
  if (x.rank() < 2 || w.rank() != 2 || x.shape()[x.rank() - 1] != w.shape()[0])
    throw ShapeError({std::string(op) + ": x [..., k] needs w [k, n]",
                      "x " + to_string(x.shape()) + ", w " + to_string(w.shape()),
                      "give w one row per column of x"});
  if (x.dtype() != w.dtype() || !is_floating(x.dtype()))
    throw EngineError({std::string(op) + ": the tensors have different or integer dtypes",
                       describe(x) + " and " + describe(w), "cast() one of them"});
}

/// y = x w; backward dx = g w^T and dw = x^T g (Giles 2008, Collected matrix derivative results).
class MatmulNode : public Node {
 public:
  MatmulNode(const Tensor& x, const Tensor& w) {
    if (w.requires_grad()) x_ = Saved(x);
    if (x.requires_grad()) w_ = Saved(w);
  }
  const char* name() const override { return "matmul"; }
  Gradients apply(const Gradients& grads) override {
    Gradients out(2);
    if (!grads[0].defined()) return out;
    if (wanted(0)) {
      note_formula(*this, 0);
      out[0] = matmul(grads[0], transpose(w_.unpack(*this)));
    }
    if (wanted(1)) {
      note_formula(*this, 1);
      out[1] = matmul(transpose(x_.unpack(*this)), grads[0]);
    }
    return out;
  }
  void release() override {
    x_.drop();
    w_.drop();
  }

 private:
  Saved x_, w_;
};

/// y = x w, plus b in channel 0; the bias gets the sum of channel 0 over the points.
class LinearNode : public Node {
 public:
  LinearNode(const Tensor& x, const Tensor& w) {
    if (w.requires_grad()) x_ = Saved(x);
    if (x.requires_grad()) w_ = Saved(w);
  }
  const char* name() const override { return "linear"; }
  Gradients apply(const Gradients& grads) override {
    Gradients out(3);
    const Tensor& g = grads[0];
    if (!g.defined()) return out;
    if (wanted(0)) {
      note_formula(*this, 0);
      out[0] = matmul(g, transpose(w_.unpack(*this)));
    }
    if (wanted(1)) {
      note_formula(*this, 1);
      out[1] = matmul(transpose(rows(x_.unpack(*this))), rows(g));
    }
    if (wanted(2)) {
      note_formula(*this, 2);
      out[2] = sum(select(g, 1, 0), {0});
    }
    return out;
  }
  void release() override {
    x_.drop();
    w_.drop();
  }

 private:
  Saved x_, w_;
};

/// Adds b to channel 0 of y [points, channels, out].
void add_bias(Tensor& y, const Tensor& b) {
  visit_floating(y.dtype(), [&](auto t) {
    using T = decltype(t);
    const Tensor bias = contiguous_data(b);
    const T* from = static_cast<const T*>(bias.raw());
    T* to = static_cast<T*>(y.raw());
    const std::int64_t points = y.shape()[0], step = y.strides()[0], n = y.shape()[2];
    for (std::int64_t p = 0; p < points; ++p)
      for (std::int64_t j = 0; j < n; ++j) to[p * step + j] += from[j];
  });
}

}  // namespace

Tensor matmul(const Tensor& x, const Tensor& w) {
  must_fit(x, w, "matmul");
  Shape shape = x.shape();
  shape[x.rank() - 1] = w.shape()[1];
  if (x.rank() > 2) return reshape(matmul(rows(x), w), shape);
  Tensor y = product_data(x.detach(), w.detach(), shape);
  if (needs_recording({&x, &w})) {
    auto node = make_node<MatmulNode>(x, w);
    node->set_edges({edge_of(x), edge_of(w)});
    set_history(y, node);
  }
  return y;
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  must_fit(x, w, "linear");
  if (x.rank() != 3 || !(b.shape() == Shape{w.shape()[1]}) || b.dtype() != w.dtype())
    throw ShapeError({"linear: x [points, channels, in], w [in, out], b [out]",
                      "x " + describe(x) + ", w " + describe(w) + ", b " + describe(b),
                      "give one bias per column of w"});
  Tensor y = product_data(rows(x.detach()), w.detach(), {x.shape()[0], x.shape()[1], w.shape()[1]});
  add_bias(y, b);
  if (needs_recording({&x, &w, &b})) {
    auto node = make_node<LinearNode>(x, w);
    node->set_edges({edge_of(x), edge_of(w), edge_of(b)});
    set_history(y, node);
  }
  return y;
}

}  // namespace pinn
