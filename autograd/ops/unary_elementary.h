#pragma once
#include "autograd/ops/number.h"

/// The unary ops of arithmetic and of the mathematics library; unary.h explains what an op is.
namespace pinn::op {

struct Neg : Flags {
  static constexpr const char* name = "neg";
  static constexpr const char* says = "-a";
  static constexpr double from = -3, to = 3;
  static constexpr bool uses_x = false, linear = true;
  template <class T> HD static T value(T x) { return -x; }
  template <class T> HD static T slope(T, T) { return T(-1); }
};

struct Square : Flags {
  static constexpr const char* name = "square";
  static constexpr const char* says = "a^2";
  static constexpr double from = -3, to = 3;
  template <class T> HD static T value(T x) { return x * x; }
  template <class T> HD static T slope(T x, T) { return T(2) * x; }
};

/// 1 / x
struct Recip : Flags {
  static constexpr const char* name = "recip";
  static constexpr const char* says = "1/a";
  static constexpr double from = 0.5, to = 3;
  static constexpr bool uses_x = false, uses_y = true, partial = true;
  template <class T> HD static T value(T x) { return T(1) / x; }
  template <class T> HD static T slope(T, T y) { return -(y * y); }
};
template <Number T> HD T recip(T x) { return Recip::value(x); }
template <Number T> HD T square(T x) { return Square::value(x); }

template <Number T> HD T power(T x, double p);

/// x^p for a constant p. Whole p are products: exact signs for x < 0, and every derivative at x = 0
/// (x^3 has 0, 0, 0, 6, 0). Other p follow pow: NaN for x < 0, and at 0 infinite once the exponent
/// is used up.
struct Power : Flags {
  static constexpr const char* name = "power";
  static constexpr const char* says = "a^p, p a number";
  static constexpr double from = 0.5, to = 3;
  static constexpr bool has_parameter = true;
  template <class T> HD static T value(T x, double p) {
    const int whole = p > -64 && p < 64 ? int(p) : 0;
    if (whole != p) return pow(x, T(p));
    T y = T(1), factor = x;
    for (int n = whole < 0 ? -whole : whole; n > 0; n /= 2) {
      if (n % 2 == 1) y = y * factor;
      if (n > 1) factor = factor * factor;
    }
    return whole < 0 ? T(1) / y : y;
  }
  template <class T> HD static T slope(T x, T, double p) {
    if (p == 0) return T(0);
    return T(p) * power(x, p - 1);
  }
};
template <Number T> HD T power(T x, double p) { return Power::value(x, p); }

struct Sqrt : Flags {
  static constexpr const char* name = "sqrt";
  static constexpr const char* says = "square root";
  static constexpr double from = 0.5, to = 3;
  static constexpr bool uses_x = false, uses_y = true, partial = true;
  template <class T> HD static T value(T x) { return sqrt(x); }
  template <class T> HD static T slope(T, T y) { return T(0.5) * recip(y); }
};

struct Exp : Flags {
  static constexpr const char* name = "exp";
  static constexpr const char* says = "e^a";
  static constexpr double from = -3, to = 3;
  static constexpr bool uses_x = false, uses_y = true;
  template <class T> HD static T value(T x) { return exp(x); }
  template <class T> HD static T slope(T, T y) { return y; }
};

struct Log : Flags {
  static constexpr const char* name = "log";
  static constexpr const char* says = "natural logarithm";
  static constexpr double from = 0.5, to = 3;
  static constexpr bool partial = true;
  template <class T> HD static T value(T x) { return log(x); }
  template <class T> HD static T slope(T x, T) { return recip(x); }
};

struct Sin : Flags {
  static constexpr const char* name = "sin";
  static constexpr const char* says = "sine, of radians";
  static constexpr double from = -3, to = 3;
  template <class T> HD static T value(T x) { return sin(x); }
  template <class T> HD static T slope(T x, T) { return cos(x); }
};

struct Cos : Flags {
  static constexpr const char* name = "cos";
  static constexpr const char* says = "cosine, of radians";
  static constexpr double from = -3, to = 3;
  template <class T> HD static T value(T x) { return cos(x); }
  template <class T> HD static T slope(T x, T) { return -sin(x); }
};

struct Tan : Flags {
  static constexpr const char* name = "tan";
  static constexpr const char* says = "tangent, of radians";
  static constexpr double from = -1, to = 1;
  static constexpr bool uses_x = false, uses_y = true;
  template <class T> HD static T value(T x) { return tan(x); }
  template <class T> HD static T slope(T, T y) { return T(1) + y * y; }
};

struct Atan : Flags {
  static constexpr const char* name = "atan";
  static constexpr const char* says = "inverse of tan, between -pi/2 and pi/2";
  static constexpr double from = -3, to = 3;
  template <class T> HD static T value(T x) { return atan(x); }
  template <class T> HD static T slope(T x, T) { return recip(T(1) + x * x); }
};

struct Sinh : Flags {
  static constexpr const char* name = "sinh";
  static constexpr const char* says = "hyperbolic sine";
  static constexpr double from = -3, to = 3;
  template <class T> HD static T value(T x) { return sinh(x); }
  template <class T> HD static T slope(T x, T) { return cosh(x); }
};

struct Cosh : Flags {
  static constexpr const char* name = "cosh";
  static constexpr const char* says = "hyperbolic cosine";
  static constexpr double from = -3, to = 3;
  template <class T> HD static T value(T x) { return cosh(x); }
  template <class T> HD static T slope(T x, T) { return sinh(x); }
};

/// exp(-x^2), the slope of erf up to a factor.
struct Gaussian : Flags {
  static constexpr const char* name = "gaussian";
  static constexpr const char* says = "exp(-a^2)";
  static constexpr double from = -2, to = 2;
  static constexpr bool uses_y = true;
  template <class T> HD static T value(T x) { return exp(-(x * x)); }
  template <class T> HD static T slope(T x, T y) { return T(-2) * x * y; }
};
template <Number T> HD T gaussian(T x) { return Gaussian::value(x); }

struct Erf : Flags {
  static constexpr const char* name = "erf";
  static constexpr const char* says =
      "error function, 2/sqrt(pi) times the integral of exp(-s^2) from 0 to a";
  static constexpr double from = -2, to = 2;
  template <class T> HD static T value(T x) { return erf(x); }
  template <class T> HD static T slope(T x, T) {
    return T(1.12837916709551257390) * gaussian(x);  // 2 / sqrt(pi)
  }
};

}  // namespace pinn::op
