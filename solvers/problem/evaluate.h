#pragma once
#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "data/geometry/region.h"
#include "data/tables/table_function.h"
#include "solvers/problem/expression.h"

namespace pinn {

/// An op of the language on plain numbers, one per input.
using Operation = double (*)(const double*);

/// The formula of the op of that name and number of inputs, from autograd/ops.
///
///   errors   InternalError when there is no such op
Operation operation(std::string_view op, std::size_t inputs);

/// The same, applied.
double op_value(std::string_view op, std::span<const double> inputs);

/// Values that an expression may ask for at one point. Only those that it uses must be there.
struct PointValues {
  std::span<const double> coordinates = {};
  std::span<const double> unknowns = {};
  std::span<const double> columns = {};
  std::span<const double> normal = {};  ///< one component per coordinate
  double raw_output = 0;
  /// A field's derivative; {} is the field itself.
  std::function<double(int field, const MultiIndex& order)> field = {};
};

/// An expression made ready to be evaluated at many points, every shared node once per point.
/// Derivatives of formulas are carried out first, so that it asks for derivatives of fields alone.
class Evaluator {
 public:
  explicit Evaluator(const Expression& expression);
  double operator()(const PointValues& at) const;

 private:
  struct Line {
    Expression::Kind kind;
    double number = 0;
    int index = 0;
    MultiIndex order{};
    Operation operation = nullptr;
    std::size_t inputs = 0;
    std::array<std::size_t, 4> from{};  ///< the lines whose values are the inputs
    TablePtr table = {};
    std::shared_ptr<const Partition> partition = {};
    std::vector<std::size_t> regions = {};  ///< the lines of its regions
  };
  double value(const Line& line, const PointValues& at, const std::vector<double>& values) const;

  std::vector<Line> lines_;
};

/// The value of an expression at one point.
double evaluate(const Expression& expression, const PointValues& at);

/// The numbers that a formula of the coordinates takes on a box: about from where to where. Each op
/// is tried at a few numbers between the ends of its inputs - the ends, zero, where ops turn, and
/// some between - so a peak of any width shows on every box that holds it. What depends on a
/// coordinate twice may seem to vary more than it does, the less so the smaller the box; what
/// divides by an interval around zero is unbounded.
///
///   errors   InternalError for a formula of anything but numbers and coordinates
class RangeEvaluator {
 public:
  explicit RangeEvaluator(const Expression& formula);
  /// One interval per coordinate; fixed ones are points.
  Interval operator()(std::span<const Interval> box) const;
  /// Ops, numbers and coordinates: what one evaluation costs.
  std::size_t size() const { return lines_.size(); }

 private:
  struct Line {
    Operation operation = nullptr;
    std::size_t inputs = 0;
    std::array<std::size_t, 4> from{};  ///< lines
    int coordinate = -1;
    double number = 0;
    TablePtr table = {};
    MultiIndex order{};
    std::vector<std::size_t> regions = {};  ///< lines, one of which it is
  };
  static Interval range_of(const Line& line, const std::vector<Interval>& ranges);
  std::vector<Line> lines_;
};

}  // namespace pinn
