#include "autograd/core/error.h"
#include "autograd/cpu/elementwise.h"
#include "autograd/tape/body.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/linear_map.h"

namespace pinn {

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (!broadcasts_to(shape, x.shape()))
    throw ShapeError({"sum_to needs a shape that broadcasts to the tensor's",
                      describe(x) + " to " + to_string(shape), "give axes of size 1 or equal"});
  Tensor y = zeros(shape, x.dtype());
  Sizes strides{};
  const int shift = x.rank() - shape.rank();
  for (int i = 0; i < shape.rank(); ++i)
    if (shape[i] == x.shape()[i + shift]) strides[i + shift] = y.strides()[i];
  cpu::sum(x.dtype(), x.shape(), {x.raw(), x.strides()}, y.raw(), strides);
  return recorded(y, x, "sum", [from = x.shape()](const Tensor& g) { return expand(g, from); });
}

Tensor sum(const Tensor& x) { return sum_to(x, {}); }

Tensor sum(const Tensor& x, std::initializer_list<int> axes, bool keep) {
  Shape kept = x.shape();
  for (const int a : axes) kept[normalized_axis(a, x.rank())] = 1;
  const Tensor y = sum_to(x, kept);
  if (keep) return y;
  Shape dropped;
  for (int i = 0; i < x.rank(); ++i) {
    bool reduced = false;
    for (const int a : axes) reduced |= normalized_axis(a, x.rank()) == i;
    if (!reduced) dropped = dropped.inserted(dropped.rank(), x.shape()[i]);
  }
  return reshape(y, dropped);
}

Tensor mean(const Tensor& x) { return sum(x) * (1.0 / double(x.numel())); }

Tensor mean(const Tensor& x, std::initializer_list<int> axes, bool keep) {
  double n = 1;
  for (const int a : axes) n *= double(x.size(a));
  return sum(x, axes, keep) * (1.0 / n);
}

}  // namespace pinn
