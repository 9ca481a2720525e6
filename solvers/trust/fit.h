#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solvers/optimize/dense/normal_equations.h"
#include "solvers/residual/loss/loss.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"

namespace pinn {

/// A term's rows R_i = s_i r_i among those of its loss.
struct TermRows {
  std::string name;
  double weight = 1;
  bool data = false;
  double sigma = 1;          ///< residuals of data are divided by it
  bool sigma_known = false;  ///< and so much noise there is
  std::size_t first = 0;
  std::vector<double> scales = {};  ///< s_i = sqrt(w a_i / N)
};

/// A trained loss as least squares at its parameters, in float64 on the CPU.
class Fit {
 public:
  /// With the points and weights of a state.
  Fit(const Run& run, std::shared_ptr<const Model> model, std::span<const double> p,
      const TrainState& state, const LossOptions& options, ThreadPool& pool);

  const std::vector<TermRows>& terms() const { return terms_; }
  std::size_t rows() const { return residuals_.size(); }
  /// The rows R of a term.
  std::span<const double> residuals(const TermRows& t) const {
    return std::span(residuals_).subspan(t.first, t.scales.size());
  }

  /// Adds a term to normal equations.
  void add(const TermRows& t, NormalEquations& sums);
  /// J^T R over the rows of a term alone.
  std::vector<double> gradient(const TermRows& t);
  /// J v
  std::vector<double> times(std::span<const double> v);

 private:
  std::span<const double> p_;
  ThreadPool& pool_;
  Loss loss_;
  std::vector<TermRows> terms_;
  std::vector<double> residuals_;
};

}  // namespace pinn
