#include "autograd/graph/pieces.h"

namespace pinn {
namespace {

/// f(index) for every index of a shape, in row-major order.
template <class F> void each_index(const Shape& shape, F&& f) {
  Sizes at{};
  for (std::int64_t n = shape.numel(); n > 0; --n) {
    f(at);
    for (int i = shape.rank() - 1; i >= 0 && ++at[i] == shape[i]; --i) at[i] = 0;
  }
}

std::size_t place_of(const Sizes& at, const Sizes& strides) {
  std::int64_t place = 0;
  for (int i = 0; i < max_rank; ++i) place += at[i] * strides[i];
  return std::size_t(place);
}

}  // namespace

std::vector<std::size_t> broadcast_indices(const Shape& y, const Shape& x) {
  const Sizes strides = contiguous_strides(x);
  Sizes steps{};
  const int shift = y.rank() - x.rank();
  for (int i = 0; i < x.rank(); ++i) steps[i + shift] = x[i] == 1 ? 0 : strides[i];
  std::vector<std::size_t> indices;
  each_index(y, [&](const Sizes& at) { indices.push_back(place_of(at, steps)); });
  return indices;
}

std::vector<Source> sources_of(const Value& v, const Shape& shape, std::span<const Shape> inputs,
                               int left_out) {
  const int axis = v.axis - left_out, axis2 = v.axis2 - left_out;
  std::vector<Sizes> strides;
  for (const Shape& x : inputs) strides.push_back(contiguous_strides(x));
  std::vector<Source> sources;
  each_index(shape, [&](Sizes at) {
    int input = 0;
    std::int64_t& along = at[axis];
    if (v.op == Primitive::transpose) std::swap(along, at[axis2]);
    if (v.op == Primitive::slice) along += v.begin;
    if (v.op == Primitive::gather) along = v.indices[std::size_t(along)];
    if (v.op == Primitive::embed) along -= v.begin;
    if (v.op == Primitive::concat)
      while (along >= inputs[std::size_t(input)][axis]) along -= inputs[std::size_t(input++)][axis];
    const bool inside = along >= 0 && along < inputs[std::size_t(input)][axis];
    sources.push_back(inside ? Source{input, place_of(at, strides[std::size_t(input)])}
                             : Source{-1, 0});
  });
  return sources;
}

}  // namespace pinn
