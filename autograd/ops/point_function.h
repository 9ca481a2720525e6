#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "autograd/ops/multi_index.h"

namespace pinn {

/// A function of a few numbers that is known by a program and not by a formula: a table. Its
/// derivatives are functions of the same kind, so an op that asks for one of them has slopes that
/// do, too.
class PointFunction {
 public:
  static constexpr int most_inputs = 4;

  virtual ~PointFunction() = default;
  virtual const std::string& name() const = 0;
  /// At least 1, at most most_inputs.
  virtual int inputs() const = 0;
  /// True if this derivative, order[i] times by input i, is 0 everywhere.
  virtual bool vanishes(const MultiIndex& order) const = 0;
  /// y[p] = that derivative at x[0][p], x[1][p] ... for `count` points; NaN where an input is NaN.
  /// x has a pointer per input. May be called by several threads at once.
  virtual void evaluate(const MultiIndex& order, const double* const* x, std::size_t count,
                        double* y) const = 0;
};

using PointFunctionPtr = std::shared_ptr<const PointFunction>;

}  // namespace pinn
