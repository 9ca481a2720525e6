#pragma once
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "solvers/problem/expression.h"
#include "solvers/problem/values.h"

namespace pinn {

/// What an expression may ask for at one point. Only what it uses must be there.
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
///
///   errors   InternalError for a derivative of anything but a field: substitute_fields expands
///   those
class Evaluator {
 public:
  explicit Evaluator(const Expression& expression);
  double operator()(const PointValues& at) const;

 private:
  struct Step {
    Expression::Kind kind;
    double number = 0;
    int index = 0;
    MultiIndex order{};
    Operation operation = nullptr;
    std::size_t inputs = 0;
    std::array<std::size_t, 3> from{};  ///< the steps whose values are the inputs
  };
  double value(const Step& step, const PointValues& at, const std::vector<double>& values) const;

  std::vector<Step> steps_;
};

/// The value of an expression at one point.
double evaluate(const Expression& expression, const PointValues& at);

}  // namespace pinn
