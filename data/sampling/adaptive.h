#pragma once
#include <span>
#include <string>
#include <vector>

#include "autograd/core/random.h"

namespace pinn {

/// How points follow the residual while a stage trains.
struct AdaptiveOptions {
  std::string kind;             ///< rad | rar | r3; empty: they do not
  long every = 500;             ///< steps from one choice to the next
  int candidates = 50'000;      ///< points among which is chosen
  double power = 1, floor = 1;  ///< rad: of the density
  double add = 0.05;            ///< rar: points added at a time, as a share of those asked for
  double most = 2;              ///< rar: points at most, as a multiple of those asked for
};

/// The names of the kinds, in the order of the documentation.
std::vector<std::string> adaptive_kinds();

/// Which points come next: some of those that are there and some candidates, by number, ascending.
struct Choice {
  std::vector<std::size_t> kept, taken;
};

/// Chooses by the residuals' absolute values, all finite, `here` at the points and `there` at
/// candidates that were drawn uniformly: a pure function of its arguments.
///
///   rad     `count` candidates, drawn by rad_density without replacement; no point stays
///   rar     the add * count candidates with the largest residuals; all points stay, until there
///           are most * count: then those with the smallest residuals go
///   r3      points with a residual above their mean stay; candidates make them up to `count`,
///           whatever their residuals
///   source  rad: Wu, Zhu, Tan, Kartha, Lu (2023), arXiv 2207.10289; rar: Lu, Meng, Mao,
///           Karniadakis (2021), arXiv 1907.04502; r3: Daw, Bu, Wang, Perdikaris, Karpatne (2023),
///           2207.02338
///   errors  ConfigError for an unknown kind
Choice choose_points(const AdaptiveOptions& options, std::size_t count,
                     std::span<const double> here, std::span<const double> there,
                     const Random& random);

/// |r|^power / mean |r|^power + floor, up to a factor; 1 where all of it is 0.
std::vector<double> rad_density(std::span<const double> residuals, double power, double floor);

/// `count` different numbers below weights.size(), one after another with probabilities in
/// proportion to the weights of those that are left; ascending. Weights of 0 come last.
///
///   source  Efraimidis & Spirakis (2006), Information Processing Letters 97, 181-185
std::vector<std::size_t> draw_by_weight(std::span<const double> weights, std::size_t count,
                                        const Random& random);

/// The share of the sum of squares that the largest tenth of some numbers holds: 0.1 where all are
/// alike, 1 at most; NaN where all are 0.
double concentration(std::span<const double> numbers);

}  // namespace pinn
