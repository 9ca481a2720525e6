#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/node.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/rules.h"

namespace pinn {
namespace {

/// True if x [..., n, k] and w [..., k, m] have equal leading axes.
bool pair_up(const Tensor& x, const Tensor& w) {
  bool equal = x.rank() == w.rank();
  for (int i = 0; equal && i + 2 < x.rank(); ++i) equal = x.shape()[i] == w.shape()[i];
  return equal;
}

void must_fit(const Tensor& x, const Tensor& w, const char* op) {
  const bool plain = x.rank() >= 2 && w.rank() == 2;
  if (!(plain || (w.rank() > 2 && pair_up(x, w))) ||
      x.shape()[x.rank() - 1] != w.shape()[w.rank() - 2])
    throw ShapeError({std::string(op) + ": x [..., k] needs w [k, n], or x [b, n, k] w [b, k, m]",
                      "x " + to_string(x.shape()) + ", w " + to_string(w.shape()),
                      "give w one row per column of x, and expand() a missing leading axis"});
  must_have_one_dtype(op, x, w);
  must_be_floating(x, op);
}

/// y = x w; backward dx = g w^T and dw = x^T g (Giles 2008, Collected matrix derivative results),
/// summed over the leading axes that w has not; as a layer, the bias gets the sum of channel 0 over
/// the points.
class MatmulNode : public BilinearNode {
 public:
  explicit MatmulNode(const char* name) : name_(name) {}
  const char* name() const override { return name_; }

 private:
  Tensor side(int i, const Tensor& g) override {
    if (i == 0) return matmul(g, transpose(unpack(1)));
    if (i == 1 && input_metadata(1).shape.rank() > 2) return matmul(transpose(unpack(0)), g);
    if (i == 1) return contract(unpack(0), g);
    return sum(select(g, 1, 0), {0});
  }
  const char* name_;
};

/// y = x^T w over all leading axes; backward dx = w g^T and dw = x g.
class ContractNode : public BilinearNode {
 public:
  const char* name() const override { return "contract"; }

 private:
  Tensor side(int i, const Tensor& g) override {
    return i == 0 ? matmul(unpack(1), transpose(g)) : matmul(unpack(0), g);
  }
};

/// b [out] as channel 0 of a jet of this shape, zeros in the others: the adjoint of a bias's sum.
Tensor in_channel_0(const Tensor& b, const Shape& shape) {
  if (!b.defined()) return {};
  const Tensor one = embed(reshape(b, {1, 1, shape[2]}), {1, shape[1], shape[2]}, 1, 0);
  return expand(one, shape);
}

/// x [n] as one row.
Tensor as_row(const Tensor& x) { return reshape(x, {1, x.shape()[0]}); }

}  // namespace

Tensor matmul(const Tensor& x, const Tensor& w) {
  if (x.rank() == 1 && w.rank() == 2 && x.shape()[0] == w.shape()[0])
    return select(matmul(as_row(x), w), 0, 0);
  must_fit(x, w, "matmul");
  Tensor y = primitive::matmul(x, w);
  if (needs_recording({&x, &w})) {
    auto* node = record(make_node<MatmulNode>("matmul"), {&x, &w}, y);
    node->keep(x, w);
  }
  carry_tangent(y, {&x, &w}, [&] { return bilinear_tangent(matmul, x, w); });
  return y;
}

Tensor contract(const Tensor& x, const Tensor& g) {
  if (x.rank() == 1 && g.rank() == 1) return contract(as_row(x), as_row(g));
  bool fits = x.rank() >= 2 && x.rank() == g.rank();
  for (int i = 0; fits && i + 1 < x.rank(); ++i) fits = x.shape()[i] == g.shape()[i];
  if (!fits)
    throw ShapeError({"contract: x [..., k] and g [..., n] need equal leading axes",
                      describe(x) + " and " + describe(g), "reshape one of them"});
  must_have_one_dtype("contract", x, g);
  must_be_floating(x, "contract");
  Tensor y = primitive::contract(x, g);
  if (needs_recording({&x, &g})) {
    auto* node = record(make_node<ContractNode>(), {&x, &g}, y);
    node->keep(x, g);
  }
  carry_tangent(y, {&x, &g}, [&] { return bilinear_tangent(contract, x, g); });
  return y;
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  must_fit(x, w, "linear");
  must_have_one_dtype("linear", w, b);
  if (x.rank() != 3 || w.rank() != 2 || !(b.shape() == Shape{w.shape()[1]}))
    throw ShapeError({"linear: x [points, channels, in], w [in, out], b [out]",
                      "x " + describe(x) + ", w " + describe(w) + ", b " + describe(b),
                      "give one bias per column of w"});
  Tensor y = primitive::linear(x, w, b);
  if (needs_recording({&x, &w, &b})) {
    auto* node = record(make_node<MatmulNode>("linear"), {&x, &w, &b}, y);
    node->keep(x, w);
  }
  carry_tangent(y, {&x, &w, &b}, [&] {
    return sum_of_defined(bilinear_tangent(matmul, x, w), in_channel_0(tangent_of(b), y.shape()));
  });
  return y;
}

}  // namespace pinn
