#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "models/network.h"
#include "solvers/residual/constant_inputs.h"

namespace pinn {

class Model;

/// A model with all its numbers.
struct TrainedNetwork {
  std::shared_ptr<const Model> model;
  std::vector<double> parameters;
};

/// One network of a model, and what it is given and gives.
struct ModelNetwork {
  std::shared_ptr<const Network> network;
  std::size_t first_block = 0;  ///< of Model::blocks
};

/// The trained thing: the networks and the unknowns of a problem, as one flat parameter vector with
/// the unknowns at its tail.
class Model {
 public:
  /// `before`: of the window of time before, where a hard constraint asks for its end; or null.
  ///
  ///   errors   as of Network
  Model(std::shared_ptr<const Problem> problem, const std::vector<NetworkOptions>& networks,
        std::shared_ptr<const TrainedNetwork> before = {});
  /// The same of one network.
  Model(std::shared_ptr<const Problem> problem, const NetworkOptions& network)
      : Model(std::move(problem), std::vector<NetworkOptions>{network}) {}

  /// The network of the window before, where hard constraints ask for it; or null.
  const std::shared_ptr<const TrainedNetwork>& before() const { return before_; }
  /// All that is fixed: the parameter blocks of that, of what is before it, and so on.
  using Fixed = std::vector<std::pair<ParameterBlock, std::span<const double>>>;
  const Fixed& fixed() const { return fixed_; }
  /// The coordinate that is time, and where its window begins.
  std::pair<int, double> start() const;

  const Problem& problem() const { return *problem_; }
  /// Takes a problem that asks for the same with other constants; what is compiled for this model
  /// then computes with those. False, and nothing has changed, where it asks for something else.
  bool take(const std::shared_ptr<const Problem>& other);
  /// Numbers of the residuals that follow constants which vary.
  const ConstantInputs& constants() const { return constants_; }
  const std::vector<ModelNetwork>& networks() const { return networks_; }
  /// Network k's own out of one tensor per block.
  std::vector<Tensor> parameters_of(std::size_t k, const std::vector<Tensor>& all) const;
  /// Source of a field: a network's output.
  struct Source {
    std::size_t network = 0;
    int output = 0;
  };
  Source source(int field) const { return sources_[std::size_t(field)]; }

  /// Blocks of the networks, then one block "unknown:NAME" per unknown.
  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  std::vector<ParameterBlock> network_blocks() const;
  std::size_t network_parameters() const { return count_ - problem_->unknowns.size(); }
  std::size_t parameter_count() const { return count_; }

  /// Requirement r as it is in each of its pieces; none where it is in one piece.
  const std::vector<Requirement>& pieces(std::size_t r) const { return pieces_[r]; }

  /// First parameters: the network's by its initialization, unknowns at their start.
  std::vector<double> initial_parameters(std::uint64_t seed) const;
  /// The unknowns' values at the parameters.
  std::vector<double> unknown_values(std::span<const double> parameters) const;

 private:
  void read_requirements();

  std::shared_ptr<const Problem> problem_;
  std::vector<ModelNetwork> networks_;
  std::vector<Source> sources_;
  std::vector<std::vector<Requirement>> pieces_;
  ConstantInputs constants_;
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
