#pragma once
#include <array>

namespace pinn {

/// The normal distribution function of -t as above(t) / below(t) e^(-t^2 / 2) for 0 <= t <=
/// largest, beyond which it is as small as a number can be: the rational function of least relative
/// error, 2^-54 and 2^-27. All coefficients are positive, so that no digits are lost.
template <class T> struct NormalTail;
template <> struct NormalTail<float> {
  static constexpr double largest = 13.1;
  static constexpr std::array<double, 5> above = {0.500000002476338894, 0.435666368880501054,
                                                  0.181291578249100418, 0.0399789416547529628,
                                                  0.00401938336733588376};
  static constexpr std::array<double, 6> below = {1,
                                                  1.66921765573455934,
                                                  1.1944220263440785,
                                                  0.464340167017385459,
                                                  0.100219731653598523,
                                                  0.0100749566679938423};
};
template <> struct NormalTail<double> {
  static constexpr double largest = 37.6;
  static constexpr std::array<double, 10> above = {
      0.499999999999999976,   0.774205517128475943,    0.593077873621790021,
      0.288640963536920944,   0.097388913957500084,    0.0235275846642536196,
      0.00406916971598790702, 0.000487504236936464291, 0.0000369895627323738574,
      1.37391689461898444e-6};
  static constexpr std::array<double, 11> below = {1,
                                                   2.3462955950598077,
                                                   2.55822877762187792,
                                                   1.71126689447382304,
                                                   0.780081217102235413,
                                                   0.254132250848006718,
                                                   0.0601900135066564929,
                                                   0.0102926149363109,
                                                   0.0012254358034561254,
                                                   0.0000927190838088876823,
                                                   3.44389893505651555e-6};
};

}  // namespace pinn
