#pragma once
#include <functional>

#include "solvers/residual/traced_step.h"

namespace pinn {

/// A step that is traced and planned; executors of several losses may run it.
struct CompiledStep {
  TracedStep traced;
  Program program;
};

/// Compiled steps in memory. What was asked for before is neither traced nor planned again; and
/// what is traced to the same graph - the same ops, shapes, dtypes and roundings of saved tensors -
/// is planned once. Counted in stats(). For one thread.
class StepCache {
 public:
  /// Errors: as trace_step and plan.
  std::shared_ptr<const CompiledStep> step(const PartOptions& options, const PointWidths& widths,
                                           bool with_gradient);

  /// Gets a line for each step that is compiled: what it comes to, how long it took, and what is
  /// different if that requirement's step had been compiled before.
  std::function<void(const std::string&)> tell;

 private:
  struct Request {
    PartOptions options;  ///< keeps the model alive, so that its address stays its own
    PointWidths widths;
    bool with_gradient;
    std::shared_ptr<const CompiledStep> step;
  };
  const Request* find(const Request& asked) const;
  std::shared_ptr<const CompiledStep> planned(TracedStep traced, std::size_t block);
  std::string reason(const Request& asked) const;

  std::vector<Request> requests_;
};

}  // namespace pinn
