#pragma once
#include <string>

#include "solvers/optimize/optimizer.h"

namespace pinn {

/// The step size of move k = 0, 1, ... of a stage of N = options.steps moves.
///
/// With w = schedule.warm_up, i = max(k - w, 0) the moves since the warm-up and e = schedule.every:
///
///     rate_k = options.rate * min(1, (k + 1) / w) * f(i)
///
///     constant      f = 1
///     exponential   f = decay^(i / e)                     continuous in i
///     step          f = decay^floor(i / e)
///     inverse_time  f = 1 / (1 + decay i / e)
///     cosine        f = final + (1 - final) (1 + cos(pi min(i / (N - w), 1))) / 2
///
///   source  cosine: Loshchilov & Hutter (2017), SGDR: stochastic gradient descent with warm
///   restarts
double scheduled_rate(const OptimizerOptions& options, long move);

// Why no further move can be made from a point; empty when one can.

// `largest` is the magnitude of the gradient's largest component; NaN if any is.

/// "loss is not finite (nan)" or "gradient is not finite".
std::string not_finite(double value, double largest);
/// "gradient is zero" or "gradient below tolerance: largest component 2e-9 < 1e-8".
std::string small_gradient(double largest, double tolerance);

}  // namespace pinn
