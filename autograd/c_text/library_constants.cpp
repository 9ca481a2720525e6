#include <fmt/format.h>

#include <span>
#include <vector>

#include "autograd/c_text/library_texts.h"
#include "autograd/c_text/statements.h"
#include "autograd/ops/normal_tail.h"

namespace pinn::c_text {
namespace {

/// Horner's scheme for a polynomial of a variable.
std::string polynomial(std::span<const double> c, const char* x, DType dtype) {
  std::string text = literal(c.back(), dtype);
  for (std::size_t k = c.size() - 1; k-- > 0;)
    text = fmt::format("mul_add({}, {}, {})", text, x, literal(c[k], dtype));
  return text;
}

/// Numbers behind a $ in the texts, which follow from the dtype: reductions of arguments without
/// rounding by numbers that end in zeros, and series by interpolation at Chebyshev's points
/// (autograd/cpu/block/exponential.h, sine.h and normal.h say which).
struct Constants {
  int mantissa, bias;
  double largest, infinite, half_ln2_high, half_ln2_low, far, pi[3];
  std::vector<double> expm1, sine, cosine, erf;
  double erf_is_1;
  std::vector<double> atanh;
};
const Constants& constants(DType dtype) {
  static const Constants of_double = {
      52,
      1023,
      354,
      355,
      0x1.62e42fe8p-2,
      0x1.e8e7bcd5e4f1ep-32,
      6e6,
      {0x1.921fb544p+0, 0x1.0b4611a4p-34, 2.9127320560933562e-20},
      {1, 0.666666666666666698, 0.333333333332991513, 0.133333333333280757, 0.0444444445353853324,
       0.012698412712400677, 0.0031745947071572066, 0.000705466069695977917,
       0.000141415208910085953, 0.0000257028495116668725},
      {-0.166666666666666646, 0.00833333333333093655, -0.000198412698367405276,
       2.75573160931960644e-6, -2.50511298959628065e-8, 1.59179889443187152e-10},
      {0.0416666666666666654, -0.00138888888888873898, 0.0000248015872987543983,
       -2.75573172658766157e-7, 2.08761450491082804e-9, -1.13825446234042903e-11},
      {1.1283791670955126, -0.37612638903183543, 0.11283791670945006, -0.02686617064323777,
       0.0052239776071164225, -0.0008548325975389692, 0.00012055294904839707,
       -1.492473690741966e-05, 1.6447424703317362e-06, -1.6208483801871705e-07,
       1.3720064546777686e-08, -7.795898827002142e-10},
      26,
      {0.666666666666666586, 0.400000000000145827, 0.285714285671087572, 0.22222222717427863,
       0.181817894361328582, 0.153855700649586231, 0.133141442096549362, 0.120010728095907125,
       0.0880073848614467388, 0.161640456119435322}};
  static const Constants of_float = {
      23,
      127,
      43.5,
      44.5,
      0x1.63p-2,
      -0x1.bd0105c610ca8p-14,
      8192,
      {1.5703125, 0.0004837512969970703, 7.5497899548918821e-08},
      {1, 0.666663071635214932, 0.333332434950696422, 0.133811394237660274, 0.0445639197408944706},
      {-0.166666646, 0.0083327436, -0.000195868828},
      {0.0416666646, -0.00138882984, 0.0000245469318},
      {1.1283791261787373, -0.37612343775327806, 0.11280316652505075, -0.02671505423226643,
       0.004921762027877231, -0.0005648059865503044},
      9,
      {0.666666403366992398, 0.400075606449112058, 0.282366198053104814, 0.268514980228371518}};
  return dtype == DType::float32 ? of_float : of_double;
}

}  // namespace

std::string library_constant(std::string_view name, DType dtype) {
  const Constants& c = constants(dtype);
  const double magic = 1.5 * double(1ll << c.mantissa);
  if (name == "mantissa") return std::to_string(c.mantissa);
  if (name == "expm1_series") return polynomial(c.expm1, "r", dtype);
  if (name == "sine_series") return polynomial(c.sine, "r2", dtype);
  if (name == "cosine_series") return polynomial(c.cosine, "r2", dtype);
  if (name == "erf_series") return polynomial(c.erf, "s", dtype);
  if (name == "atanh_series") return polynomial(c.atanh, "s", dtype);
  const auto tail = [&]<class T>(T) {
    return polynomial(
        name == "tail_above" ? std::span<const double>(NormalTail<T>::above) : NormalTail<T>::below,
        "t", dtype);
  };
  if (name.starts_with("tail_")) return visit_floating(dtype, tail);
  const std::pair<std::string_view, double> numbers[] = {{"magic", magic + c.bias},
                                                         {"plain_magic", magic},
                                                         {"two_over_ln2", 2.88539008177792681472},
                                                         {"two_over_pi", 0.63661977236758134308},
                                                         {"half_ln2_high", c.half_ln2_high},
                                                         {"half_ln2_low", c.half_ln2_low},
                                                         {"largest", c.largest},
                                                         {"least", -2 * c.largest},
                                                         {"infinite", c.infinite},
                                                         {"erf_is_1", c.erf_is_1},
                                                         {"far", c.far},
                                                         {"pi_1", c.pi[0]},
                                                         {"pi_2", c.pi[1]},
                                                         {"pi_3", c.pi[2]}};
  for (const auto& [known, x] : numbers)
    if (known == name) return literal(x, dtype);
  return {};
}

}  // namespace pinn::c_text
