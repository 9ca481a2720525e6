#pragma once
#include "autograd/ops/unary_elementary.h"

/// The ops of two numbers: z = value(x, y), and the slopes by x and by y, which may use z. An op
/// is otherwise as in unary.h; slopes also may call the functions named like the ops below.
///
///   dx, dy       which of x, y, z slope_x and slope_y read; nothing else is saved
///   linear       both slopes are constants
///   selecting    z is x or y; at a tie each slope is one half
///   masks        a slope says which argument counts: gradients are masked by it
///   flat         a comparison: z is 1 or 0 and not differentiated
///
/// For a gradient g that does not become g slope_x (a slope that stops it, a point without one),
/// pullback_x(g, x, y, z) and pullback_y say what it does; they are made of tensors only.
namespace pinn {
namespace op {

/// Which of x, y, z = f(x, y) a slope reads.
struct Reads {
  bool x = false, y = false, z = false;
};

struct BinaryFlags {
  static constexpr Reads dx = {}, dy = {};
  static constexpr bool linear = false, selecting = false, masks = false, flat = false;
};

struct Add : BinaryFlags {
  static constexpr const char* name = "add";
  static constexpr const char* says = "a + b";
  static constexpr bool linear = true;
  template <class T> HD static T value(T x, T y) { return x + y; }
  template <class T> HD static T slope_x(T, T, T) { return T(1); }
  template <class T> HD static T slope_y(T, T, T) { return T(1); }
};

struct Sub : BinaryFlags {
  static constexpr const char* name = "sub";
  static constexpr const char* says = "a - b";
  static constexpr bool linear = true;
  template <class T> HD static T value(T x, T y) { return x - y; }
  template <class T> HD static T slope_x(T, T, T) { return T(1); }
  template <class T> HD static T slope_y(T, T, T) { return T(-1); }
};

struct Mul : BinaryFlags {
  static constexpr const char* name = "mul";
  static constexpr const char* says = "a b";
  static constexpr Reads dx = {.y = true}, dy = {.x = true};
  template <class T> HD static T value(T x, T y) { return x * y; }
  template <class T> HD static T slope_x(T, T y, T) { return y; }
  template <class T> HD static T slope_y(T x, T, T) { return x; }
};

/// x y, and 0 where the mask y is 0, whatever x is.
struct Masked : BinaryFlags {
  static constexpr const char* name = "masked";
  static constexpr const char* says = "a where b counts, else 0";
  static constexpr Reads dx = {.y = true}, dy = {.x = true};
  static constexpr bool masks = true;
  template <class T> HD static T value(T x, T y) { return masked(x, y); }
  template <class T> HD static T slope_x(T, T y, T) { return y; }
  template <class T> HD static T slope_y(T x, T, T) { return x; }
};

struct Div : BinaryFlags {
  static constexpr const char* name = "div";
  static constexpr const char* says = "a/b";
  static constexpr Reads dx = {.y = true}, dy = {.y = true, .z = true};
  template <class T> HD static T value(T x, T y) { return x / y; }
  template <class T> HD static T slope_x(T, T y, T) { return recip(y); }
  template <class T> HD static T slope_y(T, T y, T z) { return -(z / y); }
};

struct Comparison : BinaryFlags {
  static constexpr bool flat = true;
  template <class T> HD static T slope_x(T, T, T) { return T(0); }
  template <class T> HD static T slope_y(T, T, T) { return T(0); }
};
struct Less : Comparison {
  static constexpr const char* name = "less";
  static constexpr const char* says = "1 where a < b, else 0";
  template <class T> HD static T value(T x, T y) { return select(x < y, T(1), T(0)); }
};
struct LessEqual : Comparison {
  static constexpr const char* name = "less_equal";
  static constexpr const char* says = "1 where a <= b, else 0";
  template <class T> HD static T value(T x, T y) { return select(x <= y, T(1), T(0)); }
};
struct Greater : Comparison {
  static constexpr const char* name = "greater";
  static constexpr const char* says = "1 where a > b, else 0";
  template <class T> HD static T value(T x, T y) { return select(y < x, T(1), T(0)); }
};
struct GreaterEqual : Comparison {
  static constexpr const char* name = "greater_equal";
  static constexpr const char* says = "1 where a >= b, else 0";
  template <class T> HD static T value(T x, T y) { return select(y <= x, T(1), T(0)); }
};
template <Number T> HD T less(T x, T y) { return Less::value(x, y); }
template <Number T> HD T less_equal(T x, T y) { return LessEqual::value(x, y); }

/// The choice between two numbers: x where the mask is not 0, else y.
struct Where {
  static constexpr const char* name = "where";
  static constexpr const char* says = "the second where the first is not 0, else the third";
  template <class T> HD static T value(T mask, T x, T y) { return select(mask == T(0), y, x); }
};
template <Number T> HD T where(T mask, T x, T y) { return Where::value(mask, x, y); }

/// x^y. A constant exponent is better served by Power. The slope by y is z log(x): 0 at x = 0 for
/// y >= 0, where z is 0 (or 1) for all larger y, too. That by x is y x^(y-1), but for x = y = 0:
/// there it is 0 x^0 and not 0 / 0. An exponent of 0 stops whatever gradient comes, and a gradient
/// of 0 stays 0 where there is no slope.
struct Pow : BinaryFlags {
  static constexpr const char* name = "pow";
  static constexpr const char* says = "a^b, also of an exponent that changes";
  static constexpr Reads dx = {.x = true, .y = true}, dy = {.x = true, .z = true};
  template <class T> HD static T value(T x, T y) { return pow(x, y); }
  template <class T> HD static T slope_x(T x, T y, T) { return y * next_lower(x, y); }
  template <class T> HD static T slope_y(T x, T, T z) { return z * log(x); }
  template <class T> static T pullback_x(T g, T x, T y, T) {
    return masked(next_lower(x, y), masked(g, y));
  }
  template <class T> static T pullback_y(T g, T x, T y, T z) {
    const T has_slope = sign(abs(x)) + (T(1) - less_equal(z - z, T(0)));  // not x = 0 <= y
    return masked(slope_y(where(has_slope, x, T(1)), y, z), where(has_slope, g, T(0)));
  }

 private:
  template <class T> HD static T next_lower(T x, T y) {
    return pow(x, y - less(T(0), abs(x) + abs(y)));
  }
};

/// The angle of the point with ordinate x and abscissa y, in (-pi, pi]. Slopes are computed for the
/// point moved to about 1, so that no square leaves the range of numbers. They are 0 at the origin,
/// which has no direction, and at infinity, where the angle does not change: gradients see to that.
struct Atan2 : BinaryFlags {
  static constexpr const char* name = "atan2";
  static constexpr const char* says = "angle of the point (b, a), between -pi and pi";
  static constexpr Reads dx = {.x = true, .y = true}, dy = {.x = true, .y = true};
  template <class T> HD static T value(T x, T y) { return atan2(x, y); }
  template <class T> HD static T slope_x(T x, T y, T) { return over_square(y, x, y); }
  template <class T> HD static T slope_y(T x, T y, T) { return -over_square(x, x, y); }
  template <class T> static T pullback_x(T g, T x, T y, T) { return elsewhere(g, y, x, y); }
  template <class T> static T pullback_y(T g, T x, T y, T) { return -elsewhere(g, x, x, y); }

 private:
  /// a / (x^2 + y^2), for a = x or y.
  template <class T> HD static T over_square(T a, T x, T y) {
    const T size = abs(x) + abs(y), u = x / size, v = y / size;
    return a / size / (u * u + v * v) / size;
  }
  /// g times that, and 0 at the origin and at infinity, for which the point (0, 1) stands in.
  template <class T> static T elsewhere(T g, T a, T x, T y) {
    const T size = abs(x) + abs(y), inside = less(T(0), size) * less_equal(size - size, T(0));
    const T nan_stays = where(less_equal(T(0), size), T(0), size);
    const T slope =
        over_square(where(inside, a, T(0)), where(inside, x, T(0)), where(inside, y, T(1)));
    return where(inside, g, T(0)) * (slope + nan_stays);
  }
};

/// 1 where x is the smaller one, else 0; 1/2 at a tie, and 0 / 0 where they cannot be compared.
template <class T> HD T share_of_smaller(T x, T y) {
  const T is_smaller = less_equal(x, y);
  return is_smaller / (is_smaller + less_equal(y, x));
}

/// The smaller of two; NaN if one is NaN. Slopes 1 and 0, at a tie 1/2 and 1/2; NaN with the value.
struct Min : BinaryFlags {
  static constexpr const char* name = "min";
  static constexpr const char* says = "the smaller one";
  static constexpr Reads dx = {.x = true, .y = true}, dy = {.x = true, .y = true};
  static constexpr bool selecting = true, masks = true;
  template <class T> HD static T value(T x, T y) {
    return select(x <= y, x, select(y < x, y, x + y));
  }
  template <class T> HD static T slope_x(T x, T y, T) { return share_of_smaller(x, y); }
  template <class T> HD static T slope_y(T x, T y, T) { return share_of_smaller(y, x); }
};

/// The larger of two; NaN if one is NaN. Slopes 1 and 0, at a tie 1/2 and 1/2; NaN with the value.
struct Max : BinaryFlags {
  static constexpr const char* name = "max";
  static constexpr const char* says = "the larger one";
  static constexpr Reads dx = {.x = true, .y = true}, dy = {.x = true, .y = true};
  static constexpr bool selecting = true, masks = true;
  template <class T> HD static T value(T x, T y) {
    return select(y <= x, x, select(x < y, y, x + y));
  }
  template <class T> HD static T slope_x(T x, T y, T) { return share_of_smaller(y, x); }
  template <class T> HD static T slope_y(T x, T y, T) { return share_of_smaller(x, y); }
};

}  // namespace op

}  // namespace pinn
