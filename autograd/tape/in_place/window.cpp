#include "autograd/tape/in_place/in_place.h"

#include <algorithm>

#include "autograd/core/error.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/body.h"
#include "autograd/tape/primitives/kernels.h"
#include "autograd/tape/primitives/primitives.h"
#include "autograd/tape/rules.h"
#include "autograd/tape/trace.h"

namespace pinn {
namespace {

/// How many elements of memory a tensor of these strides reaches over.
std::int64_t reach(const Shape& shape, const Sizes& strides) {
  std::int64_t last = 0;
  for (int i = 0; i < shape.rank(); ++i) last += (shape[i] - 1) * strides[std::size_t(i)];
  return shape.numel() == 0 ? 0 : last + 1;
}

/// Memory of its own, laid out as the root's.
Tensor laid_out(const Window& w, const Tensor& like) {
  const Tensor memory = zeros({reach(w.whole, w.whole_strides)}, like.dtype(), like.device());
  return alias(memory, w.whole, w.whole_strides, 0);
}

Tensor part_of(const Tensor& whole, const Window& w) {
  return alias(whole, w.part, w.part_strides, whole.body()->offset + w.offset);
}

void must_be_in_memory(const Tensor& t) {
  if (is_traced(t))
    throw EngineError(
        {"a traced derivative led through a tensor that was changed in place as a "
         "view, or as what has views",
         describe(t), "put the parts together with concat() instead"});
  if (!batch_of(t)) must_keep_rows(0);
}

/// f(t, window), or of a batched t that of its members.
template <class F> Tensor of_members(const Tensor& t, const Window& w, const F& f) {
  must_be_in_memory(t);
  if (!batch_of(t)) return f(t, w);
  const Tensor all = members(t);
  return batched(f(all, w.of_members(all.shape()[0])));
}

Tensor copied(const Tensor& whole, const Window& w) {
  const Tensor copy = laid_out(w, whole);
  kernels::copy_into(whole, copy);
  return copy;
}

Tensor take(const Tensor& whole, const Window& w) {
  return part_of(whole.strides() == w.whole_strides ? whole : copied(whole, w), w);
}

Tensor put(const Tensor& part, const Window& w) {
  Shape single = w.part;
  for (int i = 0; i < single.rank(); ++i)
    if (w.part_strides[std::size_t(i)] == 0) single[i] = 1;
  const Tensor once = single == w.part ? part : primitive::sum_to(part, single);
  const Tensor whole = laid_out(w, part);
  kernels::copy_into(once, alias(whole, single, w.part_strides, w.offset));
  return whole;
}

Tensor clear(const Tensor& whole, const Window& w) {
  const Tensor copy = copied(whole, w);
  const Tensor zero = zeros({}, whole.dtype(), whole.device());
  kernels::copy_into(primitive::expand(zero, w.part), part_of(copy, w));
  return copy;
}

}  // namespace

Window Window::of_members(std::int64_t size) const {
  const auto outer = [](const Sizes& strides, int rank, std::int64_t stride) {
    Sizes all{};
    all[0] = stride;
    std::copy_n(strides.begin(), rank, all.begin() + 1);
    return all;
  };
  const std::int64_t stride = reach(whole, whole_strides);
  return {members_shape(size, whole), outer(whole_strides, whole.rank(), stride),
          members_shape(size, part), outer(part_strides, part.rank(), stride), offset};
}

Window window_of(const TensorBody& view) {
  const TensorBody& root = *view.root;
  return {root.shape, root.strides, view.shape, view.strides, view.offset - root.offset};
}

Tensor taken(const Tensor& whole, const Window& w) {
  return linear_map(
      "view", whole, [&](const Tensor& t) { return of_members(t, w, take); },
      [w](const Tensor& g) { return spread(g, w); });
}

Tensor spread(const Tensor& part, const Window& w) {
  return linear_map(
      "view_adjoint", part, [&](const Tensor& t) { return of_members(t, w, put); },
      [w](const Tensor& g) { return taken(g, w); });
}

Tensor cleared(const Tensor& whole, const Window& w) {
  return linear_map(
      "cleared", whole, [&](const Tensor& t) { return of_members(t, w, clear); },
      [w](const Tensor& g) { return cleared(g, w); });
}

}  // namespace pinn
