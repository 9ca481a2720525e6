#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/trace.h"

namespace pinn::primitive {
Tensor jet(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h) {
  if (any_traced({&h}))
    return append(Primitive::jet, {&h}, h.shape(), h.dtype(),
                  {.function = id, .derivative = k, .parameter = parameter, .table = table});
  const Tensor data = contiguous_data(h);
  Tensor y = allocate(h.shape(), h.dtype(), h.device());
  kernels::jet(id, parameter, k, *table, data, y);
  return y;
}

Tensor jet_pullback(int id, double parameter, int k, const JetTablePtr& table, const Tensor& h,
                    const Tensor& ybar) {
  if (any_batched({&ybar})) return batch::jet_pullback(id, parameter, k, table, h, ybar);
  if (any_traced({&h, &ybar}))
    return append(Primitive::jet_pullback, {&h, &ybar}, h.shape(), h.dtype(),
                  {.function = id, .derivative = k, .parameter = parameter, .table = table});
  const Tensor g = contiguous_data(ybar), data = contiguous_data(h);
  Tensor out = allocate(h.shape(), h.dtype(), kernels::common_device("jet", {&h, &ybar}));
  kernels::jet_pullback(id, parameter, k, *table, data, g, out);
  return out;
}

Tensor jet_mul(const JetTablePtr& table, bool transposed, const Tensor& a, const Tensor& b) {
  if (any_batched({&a, &b})) return batch::jet_mul(table, transposed, a, b);
  const Shape shape = broadcast(a.shape(), b.shape());
  if (any_traced({&a, &b}))
    return append(transposed ? Primitive::jet_mul_transposed : Primitive::jet_mul, {&a, &b}, shape,
                  a.dtype(), {.table = table});
  const Tensor left = contiguous_data(a), right = contiguous_data(b);
  Tensor y = allocate(shape, a.dtype(), kernels::common_device("jet_mul", {&a, &b}));
  kernels::jet_mul(*table, transposed, left, right, y);
  return y;
}

}  // namespace pinn::primitive
