#pragma once
#include <compare>
#include <set>
#include <string_view>
#include <vector>

#include "solvers/problem/expression.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// One derivative of one field that an expression asks of the network.
struct Need {
  int field = 0;
  MultiIndex index{};
  auto operator<=>(const Need&) const = default;
};
using Needs = std::set<Need>;

/// Fields and derivatives that an expression asks of the network. A derivative d^a of something
/// composite follows from Leibniz' rule, so a derivative u_b inside it stands for all u_{b+g} with
/// g <= a.
Needs needs(const Expression& expression);

/// Those that it asks of the network at other places, by at(...), no matter which.
Needs needs_elsewhere(const Expression& expression);

/// Those that a whole requirement asks for: all its residuals, and for a periodic condition every
/// field up to the order.
Needs needs(const Requirement& requirement, const Problem& problem);

/// All that a problem asks, by field. It refers to the problem.
class FieldUses {
 public:
  explicit FieldUses(const Problem& problem);

  struct Use {
    const Requirement* requirement;
    const Residual* residual;           ///< null: a periodic condition
    std::vector<MultiIndex> orders;     ///< derivatives of the field, where the residual is asked
    std::vector<MultiIndex> elsewhere;  ///< those at other places
    bool of_integrals;                  ///< the requirement is asked of integrals, not of points

    int highest_order(int coordinate) const;
  };
  /// By requirement and residual.
  const std::vector<Use>& of(int field) const { return of_[std::size_t(field)]; }

  /// The highest derivative of a field by a coordinate in the equations; and of any field.
  int highest_order(int coordinate, int field) const;
  int highest_order(int coordinate) const;

 private:
  std::vector<std::vector<Use>> of_;
  std::vector<MultiIndex> highest_;
};

/// Node under a derivative that it cannot see through.
struct Obstacle {
  enum class Kind {
    order,      ///< derivatives of derivatives add up to more than max_order
    jump,       ///< where, sign or a comparison jumps along a coordinate differentiated by: error
    switched,   ///< the same, but where a field crosses a value: right wherever it does not
    kink,       ///< abs, relu, min or max under a second derivative
    point,      ///< a normal, a data column or N: not a function of the coordinates
    nearest,    ///< a table of nearest values: it has no derivative
    flat,       ///< a linear table under a second derivative, which is 0 in its cells
    elsewhere,  ///< at(...), an integral, or what that runs over
    rough       ///< a cubic table under a third derivative, which jumps at its knots
  };
  Kind kind;
  const Expression* node;  ///< the node that is in the way
  int coordinate = 0;      ///< of a jump: along which
};

/// True if an op is continuous and has a jump in its slope: abs, relu, min, max.
bool has_kink(std::string_view op);

/// True of a formula of coordinates and unknowns alone, of smooth functions: its derivatives can be
/// written out.
bool is_smooth_and_known(const Expression& expression);

/// Looks through everything under a derivative node, derivatives inside it included.
std::vector<Obstacle> obstacles(const Expression& derivative);

}  // namespace pinn
