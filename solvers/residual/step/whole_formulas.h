#pragma once
#include "solvers/residual/step/step_cache.h"

namespace pinn {

/// As trace_formulas (formulas.h), with nothing taken out as known rows: the graph computes all of
/// it from the points.
TracedFormulas trace_whole_formulas(const Model& model, const std::vector<ExpressionPtr>& formulas,
                                    const PointWidths& widths);

}  // namespace pinn
