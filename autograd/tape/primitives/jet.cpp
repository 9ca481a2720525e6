#include "autograd/tape/batch.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/tensor/body.h"
#include "autograd/tape/trace.h"

namespace pinn::primitive {
namespace {

using JetProduct = void (*)(const JetTable&, const Tensor&, const Tensor&, const Tensor&);

Tensor jet_product(Primitive op, JetProduct kernel, const JetTablePtr& table, const Tensor& a,
                   const Tensor& b) {
  if (any_batched({&a, &b}))
    return batch::jet_product(op == Primitive::jet_mul_transposed, table, a, b);
  const Shape shape = broadcast(a.shape(), b.shape());
  if (any_traced({&a, &b})) {
    Value v = traced(op, {&a, &b}, shape, a.dtype());
    v.table = table;
    return append(v);
  }
  const Tensor left = contiguous_data(a), right = contiguous_data(b);
  Tensor y = allocate(shape, a.dtype(), kernels::common_device("jet_mul", {&a, &b}));
  kernel(*table, left, right, y);
  return y;
}

Value traced_jet(Primitive op, std::initializer_list<const Tensor*> inputs, int id,
                 double parameter, int k, const JetTablePtr& table, const Tensor& h) {
  Value v = traced(op, inputs, h.shape(), h.dtype());
  v.id = id;
  v.parameter = parameter;
  v.k = k;
  v.table = table;
  return v;
}

}  // namespace

Tensor jet(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h) {
  if (any_traced({&h})) return append(traced_jet(Primitive::jet, {&h}, id, parameter, k, table, h));
  const Tensor data = contiguous_data(h);
  Tensor y = allocate(h.shape(), h.dtype(), h.device());
  kernels::jet(id, parameter, k, *table, data, y);
  return y;
}

Tensor jet_pullback(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h,
                    const Tensor& ybar) {
  if (any_batched({&ybar})) return batch::jet_pullback(id, parameter, k, table, h, ybar);
  if (any_traced({&h, &ybar}))
    return append(traced_jet(Primitive::jet_pullback, {&h, &ybar}, id, parameter, k, table, h));
  const Tensor g = contiguous_data(ybar), data = contiguous_data(h);
  Tensor out = allocate(h.shape(), h.dtype(), kernels::common_device("jet", {&h, &ybar}));
  kernels::jet_pullback(id, parameter, k, *table, data, g, out);
  return out;
}

Tensor jet_mul(const JetTablePtr& table, const Tensor& a, const Tensor& b) {
  return jet_product(Primitive::jet_mul, kernels::jet_mul, table, a, b);
}

Tensor jet_mul_transposed(const JetTablePtr& table, const Tensor& g, const Tensor& b) {
  return jet_product(Primitive::jet_mul_transposed, kernels::jet_mul_transposed, table, g, b);
}

}  // namespace pinn::primitive
