#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// Pieces on both sides of a region that lies between them: `from` before it along its normal, `to`
/// behind; -1: the same on both.
struct Sides {
  int from = -1, to = -1;
};
struct PlaceRule;  // solvers/problem/integrals.h

/// Which names a text may use.
struct Scope {
  enum class Use {
    constant,  ///< constants only: bounds, starts, the numbers of `on`
    formula,   ///< coordinates and constants: an exact solution
    output,    ///< a hard constraint: also unknowns and N
    value,     ///< a number that is asked for: constants and unknowns
    residual   ///< everything: residuals, defines, output fields
  };
  const Problem& problem;
  Use use = Use::residual;
  bool has_normal = false;                ///< residual on the boundary: n_x and u_n mean something
  std::vector<std::string> columns = {};  ///< residual of data: its local columns
  std::vector<Sides> sides = {};          ///< of each partition of the problem; empty: none
  bool whole = false;                     ///< residual on a region: integral(e) and mean(e)
  int quadrature = 16;                    ///< nodes of an integral over a bound number
  const PlaceRule* places = nullptr;      ///< over which alone integral(e) runs; null: all of them
};

/// Meaning of a declared name.
struct Meaning {
  enum class Kind {
    none,
    coordinate,
    field,
    constant,
    unknown,
    define,
    column,
    function,
    piecewise  ///< something in every region of a partition, none of which is chosen
  };
  Kind kind = Kind::none;
  int index = 0;
  explicit operator bool() const { return kind != Kind::none; }
};

/// The declared name, exactly; one that means something else in every region, where none is chosen,
/// is `piecewise`.
Meaning meaning(const Scope& scope, std::string_view name);

/// True if a name is declared, or stands for a kind whose members are: c, where there is c[1].
bool is_declared(const Scope& scope, std::string_view name);

/// Every declared name, and in words: "coordinates x, t; fields u; constants nu".
std::vector<std::string> declared_names(const Scope& scope);
std::string declared(const Scope& scope);

/// A name with a derivative after an underscore: u_xx, or the normal derivative u_n.
struct Reading {
  Meaning base;  ///< the field, define or function before the underscore
  std::string base_name;
  MultiIndex order{};   ///< as far as `total` allows
  int total = 0;        ///< may be over max_order; then `order` is empty
  bool normal = false;  ///< u_n
  std::string spelled;  ///< "d(u, x, 2)"
};

/// The ways to read a name that is not declared; two of them at most, which is one too many.
std::vector<Reading> readings(const Scope& scope, std::string_view name);

/// A name the user declares, as the file has it.
struct Declared {
  Text name;
  std::string kind;  ///< "coordinate", "field", "constant", "unknown", "define", "column"
};

/// Throws ConfigError with every name that is misspelled, reserved, or declared twice; `columns` of
/// a data set are checked together with the names of the problem.
void check_names(const std::vector<Declared>& names);

}  // namespace pinn
