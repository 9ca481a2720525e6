#pragma once
#include <vector>

#include "solvers/optimize/optimizer.h"
#include "solvers/residual/model.h"
#include "solvers/train/run.h"

namespace pinn {

/// What a stage's `train` may name: "network", which is all of them, networks by their names, and
/// the unknowns.
std::vector<std::string> trainable_names(const Problem& problem, const NetworkOptions& networks);

/// Which of the parameters a stage trains, in order; empty: all.
std::vector<std::size_t> trained_parameters(const Stage& stage, const Model& model);
/// How many that are.
std::size_t trained_count(const Stage& stage, const Model& model);

/// An objective of some of the parameters: the others stay as they are, whatever an optimizer does,
/// and cost it no memory.
class PartObjective : public Objective {
 public:
  /// `which` of the parameters [P] of a whole objective, that outlives it.
  PartObjective(Objective& whole, std::vector<std::size_t> which, const Tensor& parameters);

  double value(const Tensor& p) override;
  double value_and_gradient(const Tensor& p, Tensor& gradient) override;

  /// The part of all parameters that it is of; and back.
  Tensor part_of(const Tensor& parameters) const;
  void put(const Tensor& part, Tensor& parameters) const;

 private:
  Objective& whole_;
  const std::vector<std::size_t> which_;
  Tensor parameters_, gradient_;  ///< all of them
};

}  // namespace pinn
