#include "data/geometry/shapes/spelled.h"

#include <fmt/format.h>

#include <cstdlib>

#include "data/geometry/shapes/number.h"

namespace pinn::shapes {
namespace {

using Bond = Spelled::Bond;

/// The text where a neighbor wants it to bind as `least` does.
std::string bound(const Spelled& a, Bond least) {
  return a.bond < least ? "(" + a.text + ")" : a.text;
}

bool is(const Spelled& a, double value) { return a.number && *a.number == value; }

Spelled call(const char* name, const Spelled& a) {
  return {fmt::format("{}({})", name, a.text), Bond::power};
}

Spelled call(const char* name, const Spelled& a, const Spelled& b) {
  return {fmt::format("{}({}, {})", name, a.text, b.text), Bond::power};
}

bool is_name(const std::string& text) {
  return text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
         std::string::npos;
}

}  // namespace

Spelled::Spelled(double value)
    : text(fmt::format("{}", value)), bond(value < 0 ? Bond::sum : Bond::power), number(value) {}

Spelled::Spelled(const std::string& written) : text(written) {
  char* end = nullptr;
  const double value = std::strtod(written.c_str(), &end);
  const bool is_number = !written.empty() && *end == 0 &&
                         written.find_first_not_of(" +-.0123456789eE") == std::string::npos;
  if (is_number)
    *this = Spelled(value);
  else if (is_name(written))
    bond = Bond::power;
}

Spelled operator+(const Spelled& a, const Spelled& b) {
  if (a.number && b.number) return *a.number + *b.number;
  if (is(a, 0)) return b;
  if (is(b, 0)) return a;
  if (b.number && *b.number < 0) return a - Spelled(-*b.number);
  return {fmt::format("{} + {}", a.text, bound(b, Bond::product)), Bond::sum};
}

Spelled operator-(const Spelled& a, const Spelled& b) {
  if (a.number && b.number) return *a.number - *b.number;
  if (is(a, 0)) return -b;
  if (is(b, 0)) return a;
  if (b.number && *b.number < 0) return a + Spelled(-*b.number);
  return {fmt::format("{} - {}", a.text, bound(b, Bond::product)), Bond::sum};
}

Spelled operator-(const Spelled& a) {
  if (a.number) return -*a.number;
  return {"-" + bound(a, Bond::product), Bond::sum};
}

Spelled operator*(const Spelled& a, const Spelled& b) {
  if (a.number && b.number) return *a.number * *b.number;
  if (is(a, 0) || is(b, 0)) return 0.0;
  if (is(a, 1)) return b;
  if (is(b, 1)) return a;
  if (is(a, -1)) return -b;
  if (is(b, -1)) return -a;
  return {fmt::format("{}*{}", bound(a, Bond::product), bound(b, Bond::power)), Bond::product};
}

Spelled operator/(const Spelled& a, const Spelled& b) {
  if (a.number && b.number) return *a.number / *b.number;
  if (is(a, 0)) return 0.0;
  if (is(b, 1)) return a;
  return {fmt::format("{}/{}", bound(a, Bond::product), bound(b, Bond::power)), Bond::product};
}

Spelled square(const Spelled& a) {
  if (a.number) return square(*a.number);
  const bool is_power = a.bond == Bond::power && a.text.find('^') == std::string::npos;
  return {is_power || is_name(a.text) ? a.text + "^2" : "(" + a.text + ")^2", Bond::power};
}

Spelled root(const Spelled& a) {
  if (a.number) return root(*a.number);
  return call("sqrt", most(a, 1e-25));
}

Spelled magnitude(const Spelled& a) {
  if (a.number) return magnitude(*a.number);
  return call("abs", a);
}

Spelled least(const Spelled& a, const Spelled& b) {
  if (a.number && b.number) return least(*a.number, *b.number);
  return call("min", a, b);
}

Spelled most(const Spelled& a, const Spelled& b) {
  if (a.number && b.number) return most(*a.number, *b.number);
  return call("max", a, b);
}

Spelled sine(const Spelled& a) {
  if (a.number) return sine(*a.number);
  return call("sin", a);
}

Spelled cosine(const Spelled& a) {
  if (a.number) return cosine(*a.number);
  return call("cos", a);
}

Spelled is_less(const Spelled& a, const Spelled& b) {
  if (a.number && b.number) return is_less(*a.number, *b.number);
  return {fmt::format("where({} < {}, 1, 0)", a.text, b.text), Bond::power};
}

}  // namespace pinn::shapes
