#pragma once
#include "solvers/optimize/optimizer.h"

namespace pinn {

/// Memory and operations of a move, beside evaluations of the loss.
struct OptimizerNeeds {
  double remembers = 0;   ///< float64 numbers between moves, and in a checkpoint
  double works_with = 0;  ///< more of them, during a move
  double flops = 0;       ///< operations of a move
};

/// A kind of optimizer, as all but the file of its name know it.
struct OptimizerKind {
  const char* name;
  /// Makes one from options whose numbers were checked; throws ConfigError for those that mean
  /// nothing to it.
  std::unique_ptr<Optimizer> (*make)(const OptimizerOptions& options, const TrainedSize& size);
  OptimizerNeeds (*needs)(const OptimizerOptions& options, const TrainedSize& size);
  const char* options;  ///< of OptimizerOptions that it reads and not all kinds do, by their names
  bool has_rate;        ///< moves by a rate that a schedule scales, not as far as a search says
  const char* instead;  ///< when it needs more memory than it may; null: it may have any
  bool in_float32 = true;           ///< whether steps in float32 are exact enough for it
  bool asks_for_rows = false;       ///< of a sum of squares, and not for gradients alone
  bool asks_for_curvature = false;  ///< of the loss: for second derivatives of the residuals
};

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

/// Muon: of the gradient G of a weight matrix W [m, n] only the directions count, and all alike:
///
///     M = beta1 M + G,   O = newton_schulz(G + beta1 M),   W <- W - rate 0.2 sqrt(max(m, n)) O,
///
/// Nesterov's momentum, and steps as long as Adam's; weight decay is decoupled. Vectors, and
/// matrices of one column, move as with adamw.
///
///   memory  "first" [P] with M where adamw has m, "second" [P], "previous" [P]
///   cost    20 s^2 l + 10 s^3 flops a move for each matrix of sides s <= l
///   source  Jordan et al. (2024), Muon; lengths: Liu et al. (2025), arXiv 2502.16982
extern const OptimizerKind muon;

/// Adam in the eigenbases of what Shampoo learns. Of a weight matrix W with gradient G
///
///     L = beta2 L + (1 - beta2) G G^T,   R = beta2 R + (1 - beta2) G^T G,
///
/// and every `refresh` moves (2) their eigenvectors Q_L, Q_R by one step of the power iteration,
/// exactly at first; Adam moves Q_L^T W Q_R by Q_L^T G Q_R, its m kept in the axes of W. A side
/// above 10 000 keeps its axes; vectors, and matrices of one column, move as with adamw, and so
/// does weight decay.
///
///   memory  "first" [P], "second" [P] (in the eigenbases), "previous" [P]; "means" and "bases",
///           the squares L and R, Q_L and Q_R of all matrices in order
///   cost    8 (m^2 n + m n^2) + 14/3 (m^3 + n^3) / refresh flops a move for each matrix [m, n]
///   source  Vyas et al. (2024), arXiv 2409.11321; Gupta et al. (2018), arXiv 1802.09568
extern const OptimizerKind soap;

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
///   memory  "inverse_hessian" [P (P + 1) / 2], of several ranks the share of each (triangle.h);
///           "direction" [P]; the last update of H, which the next move makes: "update" [4, P] and
///           number "scale"; see quasi_newton.h
///   cost    6.5 P^2 flops a move, in one pass that reads and writes half a matrix, on all threads
///           of all ranks
///           (pinn-bench curvature, one thread of an EPYC 7003: 2.2 ms at P = 2000, where reading
///           and writing alone take 1.5 ms; a tenth less in float32, for conversions cost, too);
///           P^3/3 after objective_changed, at most every 100 moves
///   errors  ConfigError when H and the room to check it pass `memory` (4 GiB: P = 23 169; with H
///           in float32, P = 26 754; with R ranks sqrt(R) times as many, about)
///   source  Al-Baali (1998), Comput. Optim. Appl. 9, 191; Urban, Stefanou & Pons (2025), arXiv
///           2405.04230; Kiyani et al. (2025), arXiv 2501.16371
extern const OptimizerKind ssbroyden;

/// Gauss-Newton with a damping: d minimizes |J d + R|^2 + damping |D d|^2, D the largest norms that
/// the columns of J ever had, and is bent by the acceleration of its path and corrected. Of several
/// dampings the smallest whose step does as predicted is taken.
///
///   memory  "scales" D [P], number "damping"
///   cost    2 rows P^2 flops and 2 P^3 a move, 5 evaluations for each of some three dampings,
///           and 2 for each correction
///   errors  ConfigError for more memory than `memory`; for an objective that is no sum of squares
///   source  Moré (1978); acceleration: Transtrum & Sethna (2012), arXiv 1201.5885; corrections:
///           Fan (2012)
extern const OptimizerKind levenberg_marquardt;

/// The same in a random subspace that is drawn anew at each move, of rows added up at random: what
/// it needs depends on the size of the sketch s, not on rows times parameters.
///
///   memory  number "damping"
///   cost    rows P log2 P + 4 rows s + 6 s^3 flops a move, an evaluation for each damping
///   errors  as of levenberg_marquardt
///   source  the method of arXiv 2607.02194 in outline; sketch.h
extern const OptimizerKind sketched_gauss_newton;

/// Energy natural gradients: d minimizes |J d - R|^2 + lambda |d - momentum d_before|^2, with
/// lambda = damping (1e-10) times the trace of J J^T, and p <- p - step d with the step of lowest
/// loss among 1, 1/2, ..., 2^-30, as far as two beyond the lowest. With a momentum this is SPRING.
/// It is solved in the smaller of two spaces by a Cholesky factorization: of the parameters, of
/// J^T J from some rows at a time; of the rows, of K = J J^T without J. With a rank, by an
/// approximation of K that is drawn anew at each move. Where a damping is lost in the rounding of
/// these, or no step lowers the loss, the damping of the move grows.
///
///   memory  "previous" d [P], with a momentum
///   cost    rows P^2 flops and P^3 / 3 a move, or rows^2 P and rows^3 / 3; 5 to 15 evaluations
///   errors  as of levenberg_marquardt
///   source  Mueller & Zeinhofer (2023), arXiv 2302.13163; in the space of rows, with momentum and
///           rank: Guzman-Cordero et al. (2025), arXiv 2505.12149; SPRING: Goldshlager, Abrahamsen
///           & Lin (2024), arXiv 2401.10190
extern const OptimizerKind natural_gradient;

/// Gauss-Newton with a J^T J that is taken apart by weight matrices, each with a Kronecker product
/// for all equations and another for conditions and data:
///
///     d = -(A_1 (x) G_1 + A_2 (x) G_2)^-1 J^T R,   step = alpha d + mu step_before,
///
/// where alpha and mu make |J step + R|^2 least, damping included. Of terms of a kind G is the sum
/// and A the mean, weighted by traces; of what was known 19/20 go on; a bias is a matrix of one
/// row. The damping is a share of the mean of a factor's diagonal. The step is halved up to four
/// times until the loss falls by a tenth of what was predicted, then the damping is ten times as
/// large; it follows how well the prediction was met.
///
///   memory  "factors", of all matrices A_1, G_1, A_2, G_2; "step" [P]; number "damping"
///   cost    2 channels rows (m^2 + n^2) + 20 (m^3 + n^3) flops a move for each matrix [m, n], and
///           about 6 evaluations of the loss
///   errors  as of levenberg_marquardt
///   source  Martens & Grosse (2015), arXiv 1503.05671; of derivatives: Dangel, Müller & Zeinhofer
///           (2024), arXiv 2405.15603
extern const OptimizerKind kfac;

/// Newton's method with a damping: (H + mu I) d = -g for the Hessian H of the loss, negative
/// curvature and all, by conjugate gradients with products H d. They are preconditioned by a
/// Nystrom approximation of H of rank 60, drawn every `refresh` (20) moves, whose largest curvature
/// times `damping` (1e-8) is mu. The step is the first of 1, 1/2, 1/4 ... that lowers the loss by a
/// tenth of what the slope promises. When the objective changes the approximation stays.
///
///   memory  "directions" [P, rank], "curvatures" [rank]
///   cost    up to 1000 products with H a move, and rank / refresh; 4 P rank flops beside each
///   errors  as of levenberg_marquardt
///   source  Rathore, Lei, Frangella, Lu & Udell (2024), arXiv 2402.01868
extern const OptimizerKind nystrom_newton_cg;

inline const OptimizerKind* const all[] = {&adam,
                                           &adamw,
                                           &sgd,
                                           &muon,
                                           &soap,
                                           &lbfgs,
                                           &ssbroyden,
                                           &levenberg_marquardt,
                                           &sketched_gauss_newton,
                                           &natural_gradient,
                                           &kfac,
                                           &nystrom_newton_cg};

}  // namespace kinds

/// Names of the kinds that have a rate, of those whose memory is limited, and of those that read an
/// option. Errors: InternalError for an option that none reads.
std::vector<std::string> kinds_with_a_rate();
std::vector<std::string> kinds_with_a_limit();
std::vector<std::string> kinds_that_read(const std::string& option);

/// Throws ConfigError for a name that no kind has.
const OptimizerKind& optimizer_kind(const std::string& name);

}  // namespace pinn
