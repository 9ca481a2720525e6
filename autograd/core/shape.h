#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace pinn {

inline constexpr int max_rank = 4;
using Sizes = std::array<std::int64_t, max_rank>;

/// Up to four sizes, outermost first. [] is a single number.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> sizes);

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return sizes_[axis]; }
  std::int64_t& operator[](int axis) { return sizes_[axis]; }
  std::int64_t numel() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= sizes_[i];
    return n;
  }
  /// With one more axis of `size` before `axis`.
  Shape inserted(int axis, std::int64_t size) const;
  Shape removed(int axis) const;
  bool operator==(const Shape& other) const {
    std::int64_t differ = rank_ ^ other.rank_;
    for (int i = 0; i < max_rank; ++i) differ |= sizes_[i] ^ other.sizes_[i];
    return differ == 0;  // sizes beyond the rank are 0
  }

 private:
  Sizes sizes_{};
  int rank_ = 0;
};

/// "[3, 4]"
std::string to_string(const Shape& shape);

/// Errors: ShapeError where a size is negative, or the elements are too many to be counted: a
/// tensor of that shape, also a view, would have a number of bytes that no integer holds.
void must_be_possible(const Shape& shape);

/// Row-major strides, in elements.
inline Sizes contiguous_strides(const Shape& shape) {
  Sizes strides{};
  std::int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

/// The common shape of a and b as numpy broadcasts them. Errors: ShapeError.
Shape broadcast(const Shape& a, const Shape& b);

/// True if a tensor of shape `from` can be repeated to shape `to`.
bool broadcasts_to(const Shape& from, const Shape& to);

/// An axis given from the end (-1 is the last) as one from the start. Errors: ShapeError.
int normalized_axis(int axis, int rank);

}  // namespace pinn
