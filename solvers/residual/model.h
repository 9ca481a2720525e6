#pragma once
#include <memory>

#include "models/network.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// The trained thing: a network and the unknowns of a problem, as one flat parameter vector with
/// the unknowns at its tail.
class Model {
 public:
  Model(std::shared_ptr<const Problem> problem, const NetworkOptions& options);

  const Problem& problem() const { return *problem_; }
  const Network& network() const { return network_; }
  /// Network blocks, then one block "unknown:NAME" per unknown.
  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  std::size_t parameter_count() const { return count_; }

  /// First parameters: the network's by its initialization, unknowns at their start.
  std::vector<double> initial_parameters(std::uint64_t seed) const;
  /// The unknowns' values at the parameters.
  std::vector<double> unknown_values(std::span<const double> parameters) const;

 private:
  std::shared_ptr<const Problem> problem_;
  Network network_;
  std::vector<ParameterBlock> blocks_;
  std::size_t count_ = 0;
};

/// An unknown from its parameter r, so that bounds hold whatever r is; on a log scale the same is
/// done to the logarithm:
///
///   plain                 r
///   min and max           min + (max - min) sigmoid(r)
///   min alone             min + softplus(r)
///   max alone             max - softplus(r)
Tensor unknown_value(const Unknown& unknown, const Tensor& parameter);
/// The parameter that gives `value`. Errors: ConfigError outside the bounds.
double unknown_parameter(const Unknown& unknown, double value);

}  // namespace pinn
