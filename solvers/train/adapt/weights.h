#pragma once
#include <span>
#include <string>
#include <vector>

#include "autograd/core/random.h"
#include "solvers/state/weighting.h"

namespace pinn {

std::vector<std::string> weighting_kinds();
/// Defaults of the kinds: of `memory`, and of `every` for optimizers that take every step.
double default_memory(const std::string& kind);
long default_every(const std::string& kind);
/// True if a kind asks for gradients, or for the Jacobian; else it asks for the losses alone.
bool asks_gradients(const std::string& kind);
bool asks_jacobian(const std::string& kind);

/// Figures of the terms L_i of a loss, one number each: their weights, and of the terms themselves,
/// without weights, what a kind asks for.
struct TermFigures {
  std::vector<double> weights;
  std::vector<double> losses = {};     ///< L_i now
  std::vector<double> before = {};     ///< at the change before
  std::vector<double> first = {};      ///< when the stage began
  std::vector<double> gradients = {};  ///< |grad L_i|
  std::vector<double> traces = {};     ///< mean of |row of J|^2
};

/// The next weights lam of T terms:
///
///   grad_norm  m lam_i + (1 - m) (sum_j |grad L_j|) / |grad L_i|                  arXiv 2308.08468
///   ntk        m lam_i + (1 - m) (sum_j trace_j) / trace_i            arXiv 2007.14527, 2308.08468
///   relobralo  m (l lam_i + (1 - l) b_i(first)) + (1 - m) b_i(before), l = 1 with the probability
///              `lookback`, else 0; b_i(s) = T softmax_i(L_i / (tau L_i(s)))       arXiv 2110.09813
///   softadapt  T softmax_i(beta s_i), s_i = (L_i - L_i(before)) / sum_j |L_j - L_j(before)|;
///              `by_loss`: each times L_i before they are divided by their sum     arXiv 1912.12355
///   balance    lam_i (mean_j(lam_j L_j) / (lam_i L_i + 1e-8))^power, then divided by their mean
///                                                                                 arXiv 2607.02194
///
/// A term whose gradient or trace is 0 keeps its weight.
std::vector<double> next_weights(const WeightingOptions& options, const TermFigures& terms,
                                 const Random& random);

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
