#pragma once
#include "autograd/ops/unary_elementary.h"

/// The unary ops that networks use between their layers, and those with kinks; unary.h explains
/// what an op is. At a kink the slope is what the formula says there, and every higher derivative
/// is 0: abs 0, relu 0, sign 0, step 0 at x = 0.
namespace pinn::op {

/// 1 / cosh(x)^2, the slope of tanh: 1 - y^2 would lose every digit for large |x|.
struct Sech2 : Flags {
  static constexpr const char* name = "sech2";
  static constexpr const char* says = "1/cosh(a)^2, the slope of tanh";
  static constexpr double from = -3, to = 3;
  static constexpr bool uses_y = true;
  template <class T> HD static T value(T x) {
    const T e = exp(T(-2) * abs(x));
    return T(4) * e / ((T(1) + e) * (T(1) + e));
  }
  template <class T> HD static T slope(T x, T y) { return T(-2) * y * tanh(x); }
};
template <Number T> HD T sech2(T x) { return Sech2::value(x); }

struct Tanh : Flags {
  static constexpr const char* name = "tanh";
  static constexpr const char* says = "hyperbolic tangent";
  static constexpr double from = -3, to = 3;
  template <class T> HD static T value(T x) { return tanh(x); }
  template <class T> HD static T slope(T x, T) { return sech2(x); }
};

/// 1 / (1 + exp(-x)), without a positive exponent.
struct Sigmoid : Flags {
  static constexpr const char* name = "sigmoid";
  static constexpr const char* says = "1/(1 + exp(-a))";
  static constexpr double from = -4, to = 4;
  static constexpr bool uses_x = false, uses_y = true;
  template <class T> HD static T value(T x) {
    const T e = exp(-abs(x));
    return select(x < T(0), e, T(1)) / (T(1) + e);
  }
  template <class T> HD static T slope(T, T y) { return y * (T(1) - y); }
};
template <Number T> HD T sigmoid(T x) { return Sigmoid::value(x); }

/// log(1 + exp(x)), without a positive exponent.
struct Softplus : Flags {
  static constexpr const char* name = "softplus";
  static constexpr const char* says = "log(1 + exp(a))";
  static constexpr double from = -4, to = 4;
  template <class T> HD static T value(T x) {
    return select(x < T(0), T(0), x) + log1p(exp(-abs(x)));
  }
  template <class T> HD static T slope(T x, T) { return sigmoid(x); }
};

/// x sigmoid(x)
struct Silu : Flags {
  static constexpr const char* name = "silu";
  static constexpr const char* says = "a/(1 + exp(-a))";
  static constexpr double from = -4, to = 4;
  template <class T> HD static T value(T x) { return x * sigmoid(x); }
  template <class T> HD static T slope(T x, T) {
    const T s = sigmoid(x);
    return s + x * (s * (T(1) - s));
  }
};

/// x times the normal distribution function, x (1 + erf(x / sqrt(2))) / 2: Hendrycks, Gimpel, arXiv
/// 1606.08415.
struct Gelu : Flags {
  static constexpr const char* name = "gelu";
  static constexpr const char* says = "a (1 + erf(a/sqrt(2)))/2";
  static constexpr double from = -3, to = 3;
  template <class T> HD static T value(T x) { return x * (T(0.5) + T(0.5) * erf(scaled(x))); }
  template <class T> HD static T slope(T x, T) {
    const T z = scaled(x);
    return T(0.5) + T(0.5) * erf(z) +
           T(0.39894228040143267794) * (x * gaussian(z));  // 1 / sqrt(2 pi)
  }

 private:
  template <class T> HD static T scaled(T x) { return T(0.70710678118654752440) * x; }
};

/// 1 for x > 0, else 0: the slope of relu.
struct Step : Flags {
  static constexpr const char* name = "step";
  static constexpr const char* says = "1 where a > 0, else 0";
  static constexpr double from = 0.5, to = 3;
  static constexpr bool uses_x = false, flat = true;
  template <class T> HD static T value(T x) {
    return select(T(0) < x, T(1), select(x <= T(0), T(0), x));  // NaN stays NaN
  }
  template <class T> HD static T slope(T, T) { return T(0); }
};
template <Number T> HD T step(T x) { return Step::value(x); }

/// -1, 0 or 1: the slope of abs.
struct Sign : Flags {
  static constexpr const char* name = "sign";
  static constexpr const char* says = "-1, 0 or 1";
  static constexpr double from = 0.5, to = 3;
  static constexpr bool uses_x = false, flat = true;
  template <class T> HD static T value(T x) {
    return select(T(0) < x, T(1), select(x < T(0), T(-1), x));  // 0 and NaN stay
  }
  template <class T> HD static T slope(T, T) { return T(0); }
};
template <Number T> HD T sign(T x) { return Sign::value(x); }

struct Relu : Flags {
  static constexpr const char* name = "relu";
  static constexpr const char* says = "a where a > 0, else 0";
  static constexpr bool selects = true;
  static constexpr double from = 0.5, to = 3;
  static constexpr bool uses_x = false, uses_y = true;
  template <class T> HD static T value(T x) { return select(x < T(0), T(0), x); }
  template <class T> HD static T slope(T, T y) { return step(y); }
};

struct Abs : Flags {
  static constexpr const char* name = "abs";
  static constexpr const char* says = "size of a";
  static constexpr bool selects = true;
  static constexpr double from = 0.5, to = 3;
  template <class T> HD static T value(T x) { return abs(x); }
  template <class T> HD static T slope(T x, T) { return sign(x); }
};

}  // namespace pinn::op
