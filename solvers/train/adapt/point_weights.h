#pragma once
#include <span>
#include <string>
#include <vector>

#include "solvers/state/weighting.h"

namespace pinn {

std::vector<std::string> pointwise_kinds();
double default_rate(const std::string& kind);

/// One change, by the residuals r of `terms` terms at all points, [points, terms] without weights:
///
///   rba            lam <- memory lam + rate |r| / max |r|, the maximum over the points of a term
///                                                                                 arXiv 2307.00379
///   self_adaptive  lam climbs mean(lam^2 r^2) by Adam of that rate                arXiv 2009.04544
void change_factors(const PointwiseOptions& options, std::span<const double> r, std::size_t terms,
                    PointFactors& memory);

/// w_k = exp(-tolerance sum_{j < k} L_j) of each chunk k of time, with the mean L_j of `squares`
/// over the points of chunk j, 0 where it has none: for each point its chunk's.
///
///   time     of each point, as a share of the interval, 0 to 1
///   source   Wang, Sankaran, Perdikaris (2024), arXiv 2203.07404
std::vector<double> causal_weights(const CausalOptions& options, std::span<const double> time,
                                   std::span<const double> squares);

}  // namespace pinn
