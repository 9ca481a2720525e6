#pragma once
#include <functional>

#include "solvers/residual/step/traced_sweep.h"

namespace pinn {

/// Formulas of a model's fields as a graph: each is an output [points].
struct TracedFormulas {
  Graph graph;
  std::vector<InputSource> given;  ///< of each input
  KnownRows known = {};
};

/// Trace and its program; several executors may run it.
template <class Traced> struct Compiled {
  Traced traced;
  Program program;
};
using CompiledSweep = Compiled<TracedSweep>;
using CompiledFormulas = Compiled<TracedFormulas>;

/// Compiled sweeps and formulas in memory. What was asked for before is neither traced nor
/// planned again; and what is traced to the same graph - the same ops, shapes, dtypes and roundings
/// of saved tensors - is planned once. Counted in stats(). Of many those in use are kept, and the
/// latest of the others: a ramp or a run in windows asks for ever new ones. For one thread.
class StepCache {
 public:
  static constexpr std::size_t most_entries = 128;  ///< of sweeps, and of formulas

  // Errors: as tracing and plan.
  /// `term`: whose rows, of the Jacobian.
  std::shared_ptr<const CompiledSweep> sweep(const PartOptions& options, const PointWidths& widths,
                                             Sweep kind, std::size_t term = 0);
  /// In float64.
  std::shared_ptr<const CompiledFormulas> formulas(const std::shared_ptr<const Model>& model,
                                                   const std::vector<ExpressionPtr>& formulas,
                                                   const PointWidths& widths);

  /// Gets a line for all that is compiled: what it comes to, how long it took, and what is
  /// different if the same had been compiled before.
  std::function<void(const std::string&)> tell;

 private:
  struct Request {
    PartOptions options;  ///< keeps the model alive, so that its address stays its own
    PointWidths widths;
    std::string what;                          ///< in words
    std::vector<ExpressionPtr> formulas = {};  ///< if it is of formulas
  };
  template <class Traced> struct Entry {
    Request asked;
    std::shared_ptr<const Compiled<Traced>> compiled;
  };
  template <class Traced, class Trace>
  std::shared_ptr<const Compiled<Traced>> found(std::vector<Entry<Traced>>& entries, Request asked,
                                                const Trace& trace);

  std::vector<Entry<TracedSweep>> sweeps_;
  std::vector<Entry<TracedFormulas>> formulas_;
};

}  // namespace pinn
