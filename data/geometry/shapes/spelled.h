#pragma once
#include <optional>
#include <string>

namespace pinn::shapes {

/// A number as a formula of the problem language. Numbers alone are computed, as double would.
struct Spelled {
  /// How tightly a text binds: what binds less than its neighbor wants stands in brackets.
  enum class Bond { sum, product, power };

  std::string text;
  Bond bond = Bond::sum;
  std::optional<double> number;  ///< where it is one

  Spelled(double value = 0);
  /// A text as the user wrote it; a plain number is one.
  explicit Spelled(const std::string& written);
  Spelled(std::string made, Bond of) : text(std::move(made)), bond(of) {}
};

Spelled operator+(const Spelled& a, const Spelled& b);
Spelled operator-(const Spelled& a, const Spelled& b);
Spelled operator-(const Spelled& a);
Spelled operator*(const Spelled& a, const Spelled& b);
Spelled operator/(const Spelled& a, const Spelled& b);
Spelled square(const Spelled& a);
/// The root, of 1e-25 at least: its derivatives at 0 are 0 and not 0 / 0, in float32 too.
Spelled root(const Spelled& a);
/// The same: a sum with a root is not 0.
inline Spelled divisor(const Spelled& a) { return a; }
Spelled magnitude(const Spelled& a);
Spelled least(const Spelled& a, const Spelled& b);
Spelled most(const Spelled& a, const Spelled& b);
Spelled sine(const Spelled& a);
Spelled cosine(const Spelled& a);
Spelled is_less(const Spelled& a, const Spelled& b);

}  // namespace pinn::shapes
