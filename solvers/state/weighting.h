#pragma once
#include <cstdint>
#include <string>
#include <vector>

/// How weights follow the training of a stage: those of loss terms, of single points, and of later
/// times; and what a scheme remembers of points.
namespace pinn {

/// How the weights of loss terms follow the training of a stage.
struct WeightingOptions {
  std::string kind;   ///< grad_norm | ntk | relobralo | softadapt | balance; empty: they do not
  long every = 0;     ///< steps from one change to the next; 0 until the reader says
  double memory = 0;  ///< grad_norm, ntk, relobralo: the share of the weights that stays
  double temperature = 1;   ///< relobralo: tau
  double lookback = 0.999;  ///< relobralo: how often the change before counts, and not the start
  double beta = 0.1;        ///< softadapt
  bool by_loss = false;     ///< softadapt: times the losses
  double power = 0.05;      ///< balance
};

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

/// Memory of a pointwise scheme about the points of a requirement, one number per row.
struct PointFactors {
  std::vector<double> factors = {};  ///< lam: the row of the loss is lam r
  std::vector<double> first = {};    ///< self_adaptive: Adam's mean of the slope
  std::vector<double> second = {};   ///< ... and of its square
  std::int64_t moves = 0;

  /// Starts with a factor of 1 for each point and residual.
  void start(std::size_t rows) { *this = {std::vector<double>(rows, 1), {}, {}, 0}; }
};

}  // namespace pinn
