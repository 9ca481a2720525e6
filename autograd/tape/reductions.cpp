#include "autograd/core/error.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/linear_map.h"
#include "autograd/tape/primitives.h"
#include "autograd/tape/trace.h"

namespace pinn {
namespace {

void must_have_known_size(const Tensor& x) {
  if (x.rank() > 0 && x.shape()[0] == any_points)
    throw EngineError({"mean: the number of points of a traced tensor is not known", describe(x),
                       "sum() it and multiply with an input"});
}

}  // namespace

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (!broadcasts_to(shape, x.shape()))
    throw ShapeError({"sum_to needs a shape that broadcasts to the tensor's",
                      describe(x) + " to " + to_string(shape), "give axes of size 1 or equal"});
  return linear_map(
      "sum", x, [shape](const Tensor& t) { return primitive::sum_to(t, shape); },
      [from = x.shape()](const Tensor& g) { return expand(g, from); });
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

Tensor mean(const Tensor& x) {
  must_have_known_size(x);
  return sum(x) * (1.0 / double(x.numel()));
}

Tensor mean(const Tensor& x, std::initializer_list<int> axes, bool keep) {
  double n = 1;
  for (const int a : axes) {
    if (x.size(a) == any_points) must_have_known_size(x);
    n *= double(x.size(a));
  }
  return sum(x, axes, keep) * (1.0 / n);
}

}  // namespace pinn
