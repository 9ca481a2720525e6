#pragma once
#include <memory>
#include <span>
#include <utility>

#include "models/network.h"
#include "solvers/problem/problem.h"

namespace pinn {

class Model;

/// A model with all its numbers.
struct TrainedNetwork {
  std::shared_ptr<const Model> model;
  std::vector<double> parameters;
};

/// The trained thing: a network and the unknowns of a problem, as one flat parameter vector with
/// the unknowns at its tail.
class Model {
 public:
  /// `before`: of the window of time before, where a hard constraint asks for its end; or null.
  Model(std::shared_ptr<const Problem> problem, const NetworkOptions& options,
        std::shared_ptr<const TrainedNetwork> before = {});

  /// What hard constraints ask for as the window before; or null.
  const std::shared_ptr<const TrainedNetwork>& before() const { return before_; }
  /// All that is fixed: the parameter blocks of that, of what is before it, and so on.
  using Fixed = std::vector<std::pair<ParameterBlock, std::span<const double>>>;
  const Fixed& fixed() const { return fixed_; }
  /// The coordinate that is time, and where its window begins.
  std::pair<int, double> start() const;

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
  std::shared_ptr<const TrainedNetwork> before_;
  Fixed fixed_;
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
