#pragma once
#include <vector>

#include "solvers/optimize/optimizer.h"
#include "solvers/residual/model.h"
#include "solvers/state/run.h"

namespace pinn {

/// Names that a stage's `train` may have: "network", which is all of them, networks by their names,
/// and the unknowns.
std::vector<std::string> trainable_names(const Problem& problem,
                                         const std::vector<NetworkOptions>& networks);

/// Which of the parameters a stage trains, in order; empty: all.
std::vector<std::size_t> trained_parameters(const Stage& stage, const Model& model);
/// How many those are, with their matrices, how many rows the loss has at the points of a stage,
/// and which ranks train them.
TrainedSize trained_size(const Run& run, const Stage& stage, const Model& model,
                         Ranks& ranks = alone());

/// A sum of squares as one of some of its parameters: of J some columns.
class PartSquares : public LeastSquares {
 public:
  /// All of these outlive it; `parameters` are where the others stay.
  PartSquares(Objective& whole, const std::vector<std::size_t>& which, const Tensor& parameters)
      : whole_(whole), which_(which), parameters_(parameters) {}

  std::size_t rows() const override { return whole_.least_squares()->rows(); }
  void residual(std::span<const double> p, std::span<double> r) override;
  void jacobian(std::span<const double> p, std::size_t most, const Eater<double>& eat) override;
  void jacobian(std::span<const double> p, std::size_t most, const Eater<float>& eat) override;
  void jacobian_rows(std::span<const double> p, std::size_t first, std::size_t count,
                     std::span<double> rows) override;
  void jacobian_times(std::span<const double> p, std::span<const double> v,
                      std::span<double> rows) override;
  void transposed_times(std::span<const double> p, std::span<const double> w,
                        std::span<double> product) override;
  void hessian_times(std::span<const double> p, std::span<const double> v,
                     std::span<double> product) override;
  void gram(std::span<const double> p, std::span<double> k) override;
  std::vector<KroneckerFactors> kronecker(std::span<const double> p) override;

 private:
  std::span<const double> all(std::span<const double> p);
  std::vector<double> spread(std::span<const double> v) const;
  void pick(std::span<const double> all, std::span<double> part) const;
  template <class T>
  void some_columns(std::span<const double> p, std::size_t most, const Eater<T>& eat);

  Objective& whole_;
  const std::vector<std::size_t>& which_;
  Tensor parameters_;
};

/// An objective of some of the parameters: the others stay as they are, whatever an optimizer does,
/// and cost it no memory.
class PartObjective : public Objective {
 public:
  /// `which` of the parameters [P] of a whole objective, that outlives it.
  PartObjective(Objective& whole, std::vector<std::size_t> which, const Tensor& parameters);

  double value(const Tensor& p) override;
  double value_and_gradient(const Tensor& p, Tensor& gradient) override;
  LeastSquares* least_squares() override { return whole_.least_squares() ? &squares_ : nullptr; }
  ThreadPool* threads() override { return whole_.threads(); }

  /// The part of all parameters that it is of; and back.
  Tensor part_of(const Tensor& parameters) const;
  void put(const Tensor& part, Tensor& parameters) const;

 private:
  Objective& whole_;
  const std::vector<std::size_t> which_;
  Tensor parameters_, gradient_;  ///< all of them
  PartSquares squares_;
};

}  // namespace pinn
