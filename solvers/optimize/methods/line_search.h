#pragma once
#include <functional>

#include "autograd/tape/tensor.h"

namespace pinn {

/// The objective at x + step * direction: its value, its slope along the direction, its gradient.
/// A value or slope that is not finite counts as infinitely high ground.
struct Trial {
  double step = 0, value = 0, slope = 0;
  Tensor gradient;
};

struct WolfeOptions {
  double decrease = 1e-4;  ///< c1
  double curvature = 0.9;  ///< c2
  int trials = 25;         ///< at most, after the first
  double resolution = 0;   ///< steps nearer to one another than this are the same point
};

struct WolfeResult {
  Trial trial;             ///< the best found; step 0 when nothing lower was found
  bool satisfied = false;  ///< both conditions below hold
  long evaluations = 0;
};

/// A step along a descent direction that satisfies the strong Wolfe conditions
///
///     f(step) <= f(0) + c1 step f'(0)     and     |f'(step)| <= c2 |f'(0)|
///
/// Bracketing (each time 1.01 to 10 times further), then zooming, both by the minimizer of the
/// cubic through two values and two slopes; in the zoom it is kept off the ends of the bracket by a
/// tenth of its width once it has come too near twice. Out of trials, the lowest point of the
/// bracket.
///
///   source  Nocedal & Wright (2006), Numerical Optimization, algorithms 3.5 and 3.6, eq. 3.59;
///           the safeguards are those of PyTorch's L-BFGS, whose trajectories it reproduces
WolfeResult wolfe_search(const std::function<Trial(double)>& along, const Trial& start,
                         double first, const WolfeOptions& options = {});

}  // namespace pinn
