#pragma once
#include "solvers/residual/loss.h"
#include "solvers/train/reference_error.h"
#include "solvers/train/train.h"

namespace pinn {

/// Judges models: by their residual at points that training never sees, which decides which one is
/// best, and by their distance from the reference, which decides nothing.
class Judge {
 public:
  /// `loss` says how the step is computed; what is judged is in float64.
  Judge(const Run& run, std::shared_ptr<const Model> model, const LossOptions& loss,
        ThreadPool& pool);

  const std::vector<LossTerm>& terms() const { return held_out_.terms(); }
  /// The loss at the held-out points, in float64.
  Loss::Result held_out(std::span<const double> p) { return held_out_.value(p); }

  /// The fields that have a reference.
  const std::vector<std::string>& fields() const { return fields_; }
  /// The relative L2 error of each of them.
  std::vector<double> errors(std::span<const double> p);

 private:
  std::shared_ptr<const Model> model_;
  ThreadPool& pool_;
  Loss held_out_;
  ReferenceError reference_;
  std::vector<std::string> fields_;
};

}  // namespace pinn
