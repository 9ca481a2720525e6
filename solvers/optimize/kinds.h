#pragma once
#include "solvers/optimize/optimizer.h"

namespace pinn {

/// A kind of optimizer, as all but the file of its name know it.
struct OptimizerKind {
  const char* name;
  /// Of options whose numbers were checked; throws ConfigError for those that mean nothing to it.
  std::unique_ptr<Optimizer> (*make)(const OptimizerOptions& options);
  /// How many float64 numbers it remembers of P parameters, and how many more it needs at work.
  double (*remembers)(const OptimizerOptions& options, double parameters);
  double (*works_with)(double parameters);
  bool has_rate;        ///< moves by a rate that a schedule scales, not as far as a search says
  const char* instead;  ///< when that is more than the limit; null: there is no limit
};

/// For a kind that needs no room but for what it remembers.
inline double no_more(double) { return 0; }

namespace kinds {

/// Kingma & Ba (2015), arXiv 1412.6980; with decoupled weight decay (adamw) Loshchilov & Hutter
/// (2019), arXiv 1711.05101: p <- p (1 - rate weight_decay) before the step.
///
///     m = beta1 m + (1 - beta1) g            v = beta2 v + (1 - beta2) g^2
///     p <- p - rate / (1 - beta1^t) m / (sqrt(v / (1 - beta2^t)) + epsilon),   t = 1, 2, ...
///
/// memory: "first" m [P], "second" v [P], "previous" [P] the parameters before the last move.
extern const OptimizerKind adam, adamw;

/// Gradient descent with heavy-ball momentum: b = g at first, then b = momentum b + g, with
/// g + weight_decay p in place of g; p <- p - rate b.
///
/// memory: "velocity" b [P], "previous" [P].
extern const OptimizerKind sgd;

/// Limited-memory BFGS: the two-loop recursion over the last `history` pairs (s, y), scaled by
/// (s.y)/(y.y) of the latest. First trial step 1, from steepest descent min(1, 1/|g|_1).
/// Pairs with s.y <= 1e-10 |s||y| are left out. When the objective changes the pairs are forgotten.
///
///   memory  "steps" and "changes" [history, P], numbers "pairs" and "newest"; see quasi_newton.h
///   cost    10 history P flops a move
///   source  Nocedal & Wright (2006), Numerical Optimization, algorithms 7.4 and 7.5
extern const OptimizerKind lbfgs;

/// Self-scaled Broyden: a dense inverse Hessian H, updated by a member of Broyden's class that
/// the curvature chooses at each move, and scaled before the update. First trial step
/// min(1, 2.02 (f - f_before) / (g.d)), where f_before = f + |g|/2 at the start.
/// When the objective changes H is kept if it is still positive definite.
///
///   memory  "inverse_hessian" [P (P + 1) / 2] (triangle.h), "direction" [P]; see quasi_newton.h
///   cost    7 P^2 flops a move, in two passes over half a matrix (measured: 2.8 ms at P = 2000);
///           P^3/3 after objective_changed, at most every 100 moves
///   errors  ConfigError when H and the room to check it pass 4 GiB (P = 18 918)
///   source  Al-Baali (1998), Comput. Optim. Appl. 9, 191; Urban, Stefanou & Pons (2025), arXiv
///           2405.04230; Kiyani et al. (2025), arXiv 2501.16371
extern const OptimizerKind ssbroyden;

inline const OptimizerKind* const all[] = {&adam, &adamw, &sgd, &lbfgs, &ssbroyden};

}  // namespace kinds

/// Names of the kinds that have a rate.
std::vector<std::string> kinds_with_a_rate();

/// Throws ConfigError for a name that no kind has.
const OptimizerKind& optimizer_kind(const std::string& name);

}  // namespace pinn
