#include "autograd/core/shape.h"

#include <algorithm>

#include "autograd/core/error.h"

namespace pinn {

Shape::Shape(std::initializer_list<std::int64_t> sizes) {
  if (sizes.size() > max_rank)
    throw ShapeError({"a tensor has at most 4 axes, not " + std::to_string(sizes.size()), "",
                      "reshape two axes into one"});
  for (const std::int64_t n : sizes) sizes_[rank_++] = n;
}

Shape Shape::inserted(int axis, std::int64_t size) const {
  if (rank_ == max_rank)
    throw ShapeError(
        {"a tensor has at most 4 axes", to_string(*this), "reshape two axes into one"});
  Shape s = *this;
  for (int i = rank_; i > axis; --i) s.sizes_[i] = s.sizes_[i - 1];
  s.sizes_[axis] = size;
  ++s.rank_;
  return s;
}

Shape Shape::removed(int axis) const {
  Shape s = *this;
  for (int i = axis; i + 1 < rank_; ++i) s.sizes_[i] = s.sizes_[i + 1];
  s.sizes_[--s.rank_] = 0;
  return s;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

void must_be_possible(const Shape& shape) {
  std::int64_t bytes = 8;  // of the largest element
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] < 0)
      throw ShapeError({"a size cannot be negative", to_string(shape), "give sizes from 0 on"});
    // A size of 0 hides no others: they are multiplied without it, too.
    if (shape[i] > 0 && __builtin_mul_overflow(bytes, shape[i], &bytes))
      throw ShapeError({"a tensor has more elements than can be counted", to_string(shape),
                        "work on a part of it after another"});
  }
}

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  const int shift = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    std::int64_t& n = out[i + shift];
    const std::int64_t m = shorter[i];
    if (n == m || m == 1) continue;
    if (n != 1)
      throw ShapeError({"shapes do not broadcast: sizes " + std::to_string(n) + " and " +
                            std::to_string(m) + " meet",
                        to_string(a) + " and " + to_string(b),
                        "give every pair of axes equal sizes or a 1"});
    n = m;
  }
  return out;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  const int shift = to.rank() - from.rank();
  for (int i = 0; i < from.rank(); ++i)
    if (shift < 0 || (from[i] != 1 && from[i] != to[i + shift])) return false;
  return true;
}

int normalized_axis(int axis, int rank) {
  const int a = axis < 0 ? axis + rank : axis;
  if (a < 0 || a >= rank)
    throw ShapeError({"there is no axis " + std::to_string(axis) + " in a tensor of " +
                          std::to_string(rank) + " axes",
                      "", "count axes from 0, or from -1 at the end"});
  return a;
}

}  // namespace pinn
