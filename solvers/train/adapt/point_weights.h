#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pinn {

/// How each point's weight follows its residual.
struct PointwiseOptions {
  std::string kind;       ///< rba | self_adaptive; empty: none does
  long every = 0;         ///< steps from one change to the next; 0 until the reader says
  double memory = 0.999;  ///< rba
  double rate = 0;        ///< 0 until the reader says
};

/// How the residual at later times waits for that at earlier ones.
struct CausalOptions {
  double tolerance = 1;  ///< eps
  int chunks = 0;        ///< of time; 0: nothing waits
  long every = 0;        ///< as above
};

std::vector<std::string> pointwise_kinds();
double default_rate(const std::string& kind);

/// Memory of a pointwise scheme about the points of a requirement, one number per row.
struct PointFactors {
  std::vector<double> factors = {};  ///< lam: the row of the loss is lam r
  std::vector<double> first = {};    ///< self_adaptive: Adam's mean of the slope
  std::vector<double> second = {};   ///< ... and of its square
  std::int64_t moves = 0;

  /// Starts with a factor of 1 for each point and residual.
  void start(std::size_t rows) { *this = {std::vector<double>(rows, 1), {}, {}, 0}; }
};

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
