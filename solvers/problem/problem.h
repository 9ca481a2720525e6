#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "autograd/core/error.h"
#include "data/geometry/body.h"
#include "data/tables/table_function.h"
#include "solvers/problem/expression.h"

namespace pinn {

enum class Role { space, time, parameter };

/// An input of the network.
struct Coordinate {
  std::string name;
  double lower = 0, upper = 1;
  Role role = Role::space;
  std::string unit;
  bool role_written = false;  ///< by the user, and no default
};

/// An output of a network. A field that the file cuts into pieces is one for each network that a
/// piece names: "side(u, steel)" of u.
struct Field {
  std::string name;
  std::string unit;
  double scale = 1;              ///< the network's output times this is the field
  std::vector<int> inputs = {};  ///< the coordinates that it depends on; empty: all
  int network = 0;
  std::string piece_of = {};  ///< u; empty: it is whole
};

/// A number to be found in training.
struct Unknown {
  std::string name;
  double start = 0;
  std::optional<double> min, max;
  bool log = false;  ///< trained as its logarithm
};

struct Constant {
  std::string name;
  double value = 0;
  std::string text;     ///< as written
  bool varies = false;  ///< the run changes it: compiled steps take it as an input
};

/// A named sub-expression, or the components of a vector.
struct Define {
  std::string name;
  std::vector<ExpressionPtr> parts;
  bool is_vector = false;
  std::string text;
};

/// A function from data. Alone, its name means the function of its own inputs: a coordinate or a
/// field each; null where one is neither.
struct NamedFunction {
  std::string name;
  TablePtr table;
  std::vector<ExpressionPtr> own;
  std::string file;  ///< as written
};

class PointFormula;
class PieceNames;
struct PlaceRule;  // solvers/problem/integrals.h

/// One expression that must vanish.
struct Residual {
  std::string name;  ///< for loss terms: the requirement's name, or "name.key" in a system
  ExpressionPtr expression;
  double weight = 1;
  Text text;
  /// The weight is this times `weight` at each point; null: `weight` alone.
  std::shared_ptr<const PointFormula> weight_at = nullptr;
};

/// Fields and their derivatives up to `order` agree on both ends of a coordinate.
struct Periodicity {
  int coordinate = 0;
  int order = 0;
  std::vector<int> fields = {};  ///< those that agree; empty: all
  std::vector<int> far = {};     ///< at the upper end, one for each of `fields`; empty: the same
  /// The partitions that fields with pieces are cut by at the lower end, and per piece `fields` and
  /// `far` there.
  std::vector<std::shared_ptr<const Partition>> cut = {};
  std::vector<std::pair<std::vector<int>, std::vector<int>>> in_pieces = {};
};

/// Observations: coordinates and local columns. rows [count, coordinates], values [count, columns].
struct DataSet {
  std::string file;
  std::vector<std::string> columns;
  std::vector<double> rows, values;
  std::size_t count = 0;
  double sigma = 1;           ///< residuals are divided by it
  bool sigma_by_row = false;  ///< the residuals hold a column of sigmas
  /// [count, residuals], of their squares: 0 where a value is missing, so that the rest is a mean
  /// of what is there; empty: all 1.
  std::vector<double> weights = {};
  std::size_t missing = 0;  ///< values, and rows that were left out
  /// True if the file says how much noise there is.
  bool sigma_known() const { return sigma_by_row || sigma != 1; }
};

/// Residuals that must vanish on a region. An equation, a condition and data differ in defaults
/// only.
struct Requirement {
  enum class Kind { equation, condition, data };
  Kind kind = Kind::equation;
  std::string name;
  std::vector<Residual> residuals;       ///< empty for a periodic condition
  std::shared_ptr<const Region> region;  ///< null for data; for a periodic condition its lower face
  std::string on;                        ///< as written, for messages
  std::optional<Periodicity> periodic;
  std::optional<DataSet> data;
  int quadrature = 0;  ///< nodes of its integrals along each coordinate; 0: as usual
  std::shared_ptr<const PlaceRule> places = nullptr;  ///< over which alone its integrals run
  std::size_t handed = 0;  ///< columns that its points bring though it is no data
  double weight = 1;       ///< of a periodic condition
  std::shared_ptr<const PointFormula> weight_at = nullptr;  ///< likewise, times `weight`
  bool adapt = true;                                        ///< training may change its weights
  Place place;
};

/// The signed distance to a shape as a formula of formulas of its coordinates; null: it has none.
using SpelledDistance = std::function<std::string(const std::vector<std::string>& coordinates)>;

/// A set of points of space with a name, at every value of the other coordinates.
struct NamedRegion {
  std::string name;
  Body shape;
  SpelledDistance distance = nullptr;
  /// All of space while one of the other coordinates is within an interval.
  struct Slab {
    int coordinate;
    Interval interval;
  };
  std::optional<Slab> slab = {};
  /// A function that vanishes on the surface alone, is negative inside and has all derivatives off
  /// its corners (data/geometry/smooth.h); null: there is none.
  SpelledDistance smooth = nullptr;
};

/// A name for a formula of `on`.
struct NamedPatch {
  std::string name;
  Text text;
};

/// The physics: every name a residual may use, and everything asked of the fields.
struct Problem {
  std::vector<Coordinate> coordinates;
  std::vector<Field> fields;
  std::vector<Constant> constants;
  std::vector<Unknown> unknowns;
  std::vector<Define> defines;
  std::vector<NamedFunction> functions;
  std::vector<NamedRegion> regions;
  std::vector<NamedPatch> patches;
  Body domain;                              ///< of space; null: the box of its coordinates
  SpelledDistance smooth_domain = nullptr;  ///< likewise of a domain that is no box
  std::vector<Requirement> requirements;
  std::vector<ExpressionPtr> outputs;  ///< hard constraint per field, null where there is none
  std::vector<bool> periodic;          ///< per coordinate: exact, by embedding
  /// Meanings of names that mean something else in every region (pieces.h); null: there are none.
  std::shared_ptr<const PieceNames> pieces = nullptr;
  /// The region of each partition in which they are read here, or -1; empty: none.
  std::vector<int> chosen = {};
};

std::vector<std::string> coordinate_names(const Problem& problem);

/// The coordinates in space: those that shapes speak of, in their order.
std::vector<int> space_coordinates(const Problem& problem);

/// The longest side of the box in space.
double longest_side(const Problem& problem);

/// "x = 0.3, y = 1": a point by its coordinates.
std::string place_text(const std::vector<Coordinate>& coordinates, std::span<const double> x);

/// True if a point [coordinates] lies in the domain, or on its boundary to 1e-9 of its size.
bool in_domain(const Problem& problem, std::span<const double> x);

}  // namespace pinn
