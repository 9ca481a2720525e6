#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "autograd/core/host_device.h"

namespace pinn {

/// One move of a first-order optimizer as numbers and as formulas. They stand here once: for the
/// numbers of one parameter, as a thread of a GPU has them, and for arrays of all of them.
struct DescentMove {
  enum Rule : int { adam, sgd };
  Rule rule = adam;
  double rate = 0;                           ///< of adam divided by 1 - beta1^t
  double beta1 = 0, beta2 = 0, epsilon = 0;  ///< adam
  double root = 1;                           ///< adam: sqrt(1 - beta2^t)
  double keep = 1;                           ///< adam: how much of a parameter decay leaves
  double momentum = 0, decay = 0;            ///< sgd

  /// Moves x by its rule; memory(k) is the k-th thing that the rule remembers of x.
  template <class G, class X, class Memory> HD void move(const G& g, X& x, Memory memory) const {
    auto&& first = memory(0);
    if (rule == sgd) return sgd_move(g, x, first);
    auto&& second = memory(1);
    adam_move(g, x, first, second);
  }

 private:
  template <class G, class X> HD void adam_move(const G& g, X& x, X& m, X& v) const {
    using math::sqrt;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    if (keep != 1) x *= keep;
    x -= rate * (m / (sqrt(v) / root + epsilon));
  }
  template <class G, class X> HD void sgd_move(const G& g, X& x, X& b) const {
    b = momentum * b + g + decay * x;
    x -= rate * b;
  }
};

/// Limits of moves that are made at once, beside their rule.
struct DescentLimits {
  double clip = 0;       ///< largest norm of the gradient that is used; 0: any
  double tolerance = 0;  ///< no move where the gradient's largest component is below
  double enough = -std::numeric_limits<double>::infinity();  ///< no move after a loss below
};

/// Parameters that are moved where their gradient is made, many times without a word in between:
/// the part of a first-order optimizer that is the same for all of its moves.
class Descent {
 public:
  virtual ~Descent() = default;

  /// How many parameters it has: none before put, and afterwards those that it was given are stale.
  virtual std::size_t size() const = 0;
  /// Takes the parameters, what the rule remembers of them, and where they were before the last
  /// move; what is empty is 0, and was nowhere.
  virtual void put(std::span<const double> p, const std::vector<std::span<const double>>& memories,
                   std::span<const double> previous) = 0;

  /// The latest of some moves, and how it began.
  struct Last {
    std::size_t moves = 0;      ///< up to it and with it, as many as run was given or fewer
    double loss = 0;            ///< before it
    double largest = 0;         ///< component of the gradient there; NaN if any is
    std::vector<double> terms;  ///< of the loss, without weights
  };
  /// Makes these moves, one at least, one after another, until all are done or one stops: the
  /// parameters stay where the gradient is 0 or below the tolerance, and go back to where they were
  /// before where loss or gradient is not finite. Ends after a move from a loss below `enough`.
  /// Writes to `p` where the parameters are then.
  virtual Last run(std::span<const DescentMove> moves, const DescentLimits& limits,
                   std::span<double> p) = 0;
  /// Gives back what put took, as it is now.
  virtual void read(const std::vector<std::span<double>>& memories, std::span<double> previous) = 0;
};

}  // namespace pinn
