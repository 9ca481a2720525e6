#pragma once
#include "autograd/tape/saved_policy.h"
#include "solvers/residual/step/step_cache.h"
#include "tests/solvers/residual/both_ways.h"

namespace pinn::test {

/// A deep network's Burgers step that rounds what it saves.
inline LossCase burgers_rounding(const std::string& kind, std::size_t points = 40,
                                 DType dtype = DType::float64) {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  LossCase c{std::make_shared<const Model>(p, layers({16, 16, 16, 16})),
             {spread(*p, points)},
             {.dtype = dtype, .derivatives = {Derivatives::taylor}}};
  c.options.saved = {kind, 0, std::string(PINN_BINARY_DIR) + "/test-inlined"};
  return c;
}

/// Its step with the gradient.
inline TracedSweep traced(const LossCase& c) {
  return trace_sweep({c.model,
                      0,
                      c.options.dtype,
                      c.options.derivatives[0],
                      {1.0},
                      std::make_shared<const SavedPolicy>(c.options.saved)},
                     PointWidths(c.points[0]), Sweep::gradient);
}

}  // namespace pinn::test
