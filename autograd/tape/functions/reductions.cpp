#include <array>

#include "autograd/core/error.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/rules.h"
#include "autograd/tape/trace.h"

namespace pinn {
namespace {

void must_have_known_size(const Tensor& x) {
  if (x.rank() > 0 && x.shape()[0] == any_points)
    throw EngineError({"mean: the number of points of a traced tensor is not known", describe(x),
                       "sum() it and multiply with an input"});
}

/// Which axes are named, from either end; naming one twice says no more than once.
std::array<bool, max_rank> named(std::initializer_list<int> axes, int rank) {
  std::array<bool, max_rank> is_named{};
  for (const int a : axes) is_named[normalized_axis(a, rank)] = true;
  return is_named;
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

// A sum is a tensor of its own, also where there is nothing to add up.
Tensor sum(const Tensor& x) { return x.rank() == 0 ? x.clone() : sum_to(x, {}); }

Tensor sum(const Tensor& x, std::initializer_list<int> axes, bool keep) {
  const std::array<bool, max_rank> summed = named(axes, x.rank());
  Shape kept = x.shape(), dropped;
  for (int i = 0; i < x.rank(); ++i) {
    if (summed[i]) kept[i] = 1;
    if (!summed[i]) dropped = dropped.inserted(dropped.rank(), x.shape()[i]);
  }
  const Tensor y = kept == x.shape() ? x.clone() : sum_to(x, kept);
  return keep ? y : reshape(y, dropped);
}

Tensor mean(const Tensor& x) {
  must_have_known_size(x);
  return sum(x) * (1.0 / double(x.numel()));
}

Tensor mean(const Tensor& x, std::initializer_list<int> axes, bool keep) {
  const std::array<bool, max_rank> summed = named(axes, x.rank());
  double n = 1;
  for (int i = 0; i < x.rank(); ++i) {
    if (summed[i] && x.shape()[i] == any_points) must_have_known_size(x);
    if (summed[i]) n *= double(x.shape()[i]);
  }
  return sum(x, axes, keep) * (1.0 / n);
}

}  // namespace pinn
