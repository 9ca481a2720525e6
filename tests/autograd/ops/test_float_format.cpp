#include "autograd/ops/float_format.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

using namespace pinn;

namespace {

const std::vector<FloatFormat> formats = {bf16, fp16, fp8_e4m3, fp8_e5m2};

template <class T> T through(const FloatFormat& f, T x) {
  const Codec<T> codec(f);
  return codec.decode(codec.encode(x));
}

/// All finite numbers of a format, from zero up.
std::vector<double> numbers(const FloatFormat& f) {
  const Codec<double> codec(f);
  std::vector<double> all;
  for (std::uint32_t code = 0;; ++code) {
    const double x = codec.decode(code);
    if (std::isnan(x)) return all;
    all.push_back(x);
  }
}

}  // namespace

TEST_CASE("the formats have the ranges of their definitions", "[autograd][ops]") {
  CHECK(fp8_e4m3.largest() == 448);
  CHECK(fp8_e4m3.smallest_normal() == std::ldexp(1.0, -6));
  CHECK(fp8_e4m3.smallest() == std::ldexp(1.0, -9));
  CHECK(fp8_e5m2.largest() == 57344);
  CHECK(fp8_e5m2.smallest_normal() == std::ldexp(1.0, -14));
  CHECK(fp8_e5m2.smallest() == std::ldexp(1.0, -16));
  CHECK(fp16.largest() == 65504);
  CHECK(bf16.largest() == std::ldexp(255.0, 120));
  CHECK(numbers(fp8_e4m3).size() == 127);  // NaN is the last code alone
  CHECK(numbers(fp8_e4m3).back() == 448);
  CHECK(numbers(fp8_e5m2).size() == 124);  // infinity and three NaN end the list
  CHECK(numbers(fp16).back() == 65504);
}

TEST_CASE("every number of a format comes back as it was", "[autograd][ops]") {
  for (const FloatFormat& f : formats)
    for (const double x : numbers(f)) {
      CHECK(through(f, x) == x);
      CHECK(through(f, -float(x)) == -float(x));
      CHECK(std::signbit(through(f, -x)));
    }
}

TEST_CASE("between two numbers the nearer one is taken, and halfway the even one",
          "[autograd][ops]") {
  for (const FloatFormat& f : formats) {
    const std::vector<double> all = numbers(f);
    const Codec<double> codec(f);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const double middle = all[i] + (all[i + 1] - all[i]) / 2;
      CHECK(codec.encode(middle) == i + i % 2);
      CHECK(codec.encode(std::nextafter(middle, 0)) == i);
      CHECK(codec.encode(std::nextafter(middle, 1e300)) == i + 1);
    }
  }
}

TEST_CASE("what is too large saturates, and what is not finite is NaN", "[autograd][ops]") {
  for (const FloatFormat& f : formats) {
    CHECK(through(f, 1e300) == f.largest());
    CHECK(through(f, -f.largest() * 1.01) == -f.largest());
    CHECK(std::isnan(through(f, INFINITY)));
    CHECK(std::isnan(through(f, -std::nan(""))));
    CHECK(std::isnan(through(f, std::nanf(""))));
  }
}

TEST_CASE("the scale is the largest power of two that keeps amax in range", "[autograd][ops]") {
  for (const FloatFormat& f : {fp16, fp8_e4m3, fp8_e5m2})
    for (const double amax : {1.0, 0.99, 3.7e-5, 449.0, 460.0, 465.0, 1e12, 6.6e4}) {
      const double scaled = std::ldexp(amax, scale_exponent(f, amax));
      CHECK(through(f, scaled) == Approx(scaled).epsilon(std::ldexp(1.0, -f.mantissa_bits - 1)));
      CHECK(scaled * 2 > f.largest());
    }
  CHECK(scale_exponent(bf16, 1e-30) == 0);
  CHECK(scale_exponent(fp8_e4m3, 0) == scale_exponent(fp8_e4m3, 1e-12));  // amax is clamped
}
