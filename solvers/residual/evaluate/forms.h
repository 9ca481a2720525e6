#pragma once
#include <vector>

#include "autograd/ops/jet_table.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/problem.h"
#include "solvers/residual/model.h"

namespace pinn {

/// How derivatives of the network are taken; the numbers are the same.
enum class Derivatives { taylor, reverse };
inline const char* name_of(Derivatives d) {
  return d == Derivatives::taylor ? "taylor" : "reverse";
}

/// The channels that hold everything asked for, of all fields together.
JetTablePtr table_for(const Needs& needs);

/// Multiplications in matrix products per point, for one residual evaluation with its parameter
/// gradient: counted by doing it both ways on a few points. Nested reverse passes of which there
/// are too many are not tried, and infinitely dear: each is up to twice as long as what it
/// differentiates, and all of it is kept.
struct ProductCount {
  double taylor = 0, reverse = 0;
  Derivatives cheaper() const {
    return reverse < taylor ? Derivatives::reverse : Derivatives::taylor;
  }
};
ProductCount count_products(const Model& model, const Requirement& requirement);

/// A linear form of derivatives of one field with constant coefficients, times a factor that is the
/// same at all points but not in all steps: factor sum_a c_a d^a u.
struct Form {
  int field = 0;
  Channel terms;
  ExpressionPtr factor = {};  ///< of constants that vary; null: 1
};

/// A residual as a sum: linear forms of at least two derivatives each, which may travel through the
/// network as one channel, and the rest.
struct SplitResidual {
  ExpressionPtr rest;  ///< null when nothing is left
  std::vector<Form> forms;
};

/// Splits off the terms that are a constant times a derivative, collected over the outermost sums.
SplitResidual split(const ExpressionPtr& residual);

/// How the residuals of a requirement are evaluated in Taylor mode: the table with the fewest
/// channels, and each residual split as far as the table has operator channels for it.
struct ChannelPlan {
  JetTablePtr table;
  std::vector<SplitResidual>
      residuals;  ///< empty where forms save nothing: the residuals as they are
  /// Coordinates whose channels are derivatives along drawn directions instead, in the order of
  /// these; empty: along the coordinates themselves.
  std::vector<int> along = {};
};
ChannelPlan plan_channels(const Requirement& requirement, const Problem& problem);

/// The same where each Laplacian of a field is estimated along `directions` unit vectors v of the d
/// coordinates in space: d / directions sum_v (v . grad)^2 u. Where they are drawn so that each
/// coordinate is as likely as another its mean is the Laplacian, and with all d it is that. What
/// is needed beside it stays exact. As above, and `along` empty, where there are not more
/// coordinates than directions, where no residual has a Laplacian as a term with a constant factor,
/// or where so many first derivatives are needed that the exact one costs but a channel more.
///
///   source   Hu, Shukla, Karniadakis, Kawaguchi (2024), Neural Networks 176, 106369, "Tackling the
///            curse of dimensionality with physics-informed neural networks" (dimensions sampled);
///            Shi, Hu, Lin, Kawaguchi (2024), arXiv 2412.00088 (the channels)
ChannelPlan plan_drawn_channels(const Requirement& requirement, const Problem& problem,
                                int directions);

}  // namespace pinn
