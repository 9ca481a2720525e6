#pragma once
#include <vector>

#include "autograd/ops/jet_table.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/problem.h"
#include "solvers/residual/derivatives.h"

namespace pinn {

/// A linear form of derivatives of one field with constant coefficients: sum_a c_a d^a u.
struct Form {
  int field = 0;
  Channel terms;
};

/// A residual as a sum: linear forms of at least two derivatives each, which may travel through the
/// network as one channel, and the rest.
struct SplitResidual {
  ExpressionPtr rest;  ///< null when nothing is left
  std::vector<Form> forms;
};

/// What of an expression is a constant times a derivative, collected over its outermost sums.
SplitResidual split(const ExpressionPtr& residual);

/// How the residuals of a requirement are evaluated in Taylor mode: the table with the fewest
/// channels, and each residual split as far as the table has operator channels for it.
struct ChannelPlan {
  JetTablePtr table;
  std::vector<SplitResidual>
      residuals;  ///< empty where forms save nothing: the residuals as they are
};
ChannelPlan plan_channels(const Requirement& requirement, const Problem& problem);

}  // namespace pinn
