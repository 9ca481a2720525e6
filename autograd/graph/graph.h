#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/core/numbers.h"
#include "autograd/core/shape.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/jet_table.h"
#include "autograd/ops/point_function.h"

namespace pinn {

/// The size that the points' axis of a traced row has: the number of points stays open until the
/// program runs. A prime no network layer has, so that shape arithmetic cannot hide it.
inline constexpr std::int64_t any_points = 1048583;

/// Extent of a value over the points of a step: one row per point, the same for all points, or a
/// sum over them.
enum class Extent : unsigned char { row, fixed, sum };

/// The ops of a graph. They are the primitives that tensors run on, so that a traced function and
/// an eager one are the same list of calls.
enum class Primitive : unsigned char {
  input,               ///< given from outside: `input`, and a name to show
  constant,            ///< `numbers`, the same on every run; one number fills the shape
  unary,               ///< f(x): `function`, `parameter`
  unary_pullback,      ///< (x, y, g) -> f'(x) g; x or y is -1 where the slope does not read it
  binary,              ///< f(x, y), broadcast: `function`
  ternary,             ///< f(x, y, z), broadcast: `function`
  cast,                ///< to the value's dtype
  sum_to,              ///< what broadcasting the value's shape to x's would repeat is summed
  reshape,             ///< to the value's shape
  transpose,           ///< axes `axis` and `axis2` exchanged
  slice,               ///< `size of axis` indices from `begin` along `axis`
  expand,              ///< axes of size 1 repeated to the value's shape
  embed,               ///< zeros of the value's shape with x from `begin` along `axis`
  concat,              ///< along `axis`
  gather,              ///< `indices` along `axis`
  matmul,              ///< x [..., k] times w [k, n]
  contract,            ///< x [..., k], g [..., n] -> [k, n]: summed over all leading axes
  linear,              ///< x [points, channels, k] times w [k, n], plus b [n] in channel 0
  jet,                 ///< f^(k)(h): `function`, `parameter`, k = `derivative`, `table`
  jet_pullback,        ///< (h, ybar) -> hbar of jet: as jet
  jet_mul,             ///< `table`
  jet_mul_transposed,  ///< `table`
  round,               ///< to `format`, with one scale for a row's block, or a fixed value
  lookup,              ///< the derivative `order` of `source`, of inputs of one shape
};
const char* name_of(Primitive op);

/// One value of a graph: the op that makes it, from earlier values.
struct Value {
  Primitive op = Primitive::input;
  std::vector<int> inputs = {};  ///< positions of earlier values; -1 for one that is not there
  Shape shape = {};              ///< a row's first axis is any_points
  DType dtype = DType::float64;
  Extent extent = Extent::fixed;

  // Further data of the op.
  int function = 0;    ///< its number in Unary, Binary or Ternary
  int derivative = 0;  ///< of a jet's function
  int format = 0;      ///< its number in float_formats
  int axis = 0, axis2 = 0;
  int input = -1;  ///< which one, in the order in which a trace declared them
  std::int64_t begin = 0;
  double parameter = 0;
  std::shared_ptr<const JetTable> table = {};
  PointFunctionPtr source = {};
  MultiIndex order = {};
  std::vector<std::int64_t> indices = {};  ///< of a concat where its parts end, set by Graph::add
  std::vector<double> numbers = {};
  std::string name = {};
};

/// Function that v applies element by element, if that is all it does.
std::optional<Elementwise> elementwise_of(const Value& v);

/// A straight-line program on arrays, in the order it was traced: values only refer to earlier
/// ones.
struct Graph {
  std::vector<Value> values;
  std::vector<int> outputs;

  /// Appends a value and returns its position. The extent follows from the inputs and is set here.
  ///
  ///   errors   EngineError when the op would not leave every point on its own (rules.h), or when
  ///            float types meet; InternalError when inputs, shape or dtype do not fit the op
  int add(Value v);
};

/// One value per line, with op, inputs, shape and extent ("%7 = matmul %3 %5 : float64 [P, 4, 20]
/// row"); outputs at the end.
std::string to_text(const Graph& graph);
/// The same as a drawing for Graphviz.
std::string to_dot(const Graph& graph);

}  // namespace pinn
