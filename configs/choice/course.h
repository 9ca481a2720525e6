#pragma once
#include <optional>
#include <string>
#include <vector>

#include "configs/draft.h"
#include "solvers/problem/problem.h"

namespace pinn::config {

inline constexpr double condition_weight = 100;  ///< of conditions, beside equations

/// The requirement of a table of the file, "condition.2"; of those that one table stands for the
/// first, and null where it is none of the run.
const Item* item_at(const Draft& draft, const std::string& path);

/// True where the points of all requirements that have any can follow the residual.
bool can_adapt(const Draft& draft);

/// Layers of a network, by its coordinates and fields, and by how many networks share the work.
std::vector<int> chosen_layers(const Draft& draft, std::size_t network);
/// The same as a key of a network.
std::string layers_text(const Draft& draft, std::size_t network);
/// Networks of the file with the layers that are chosen for those that say none.
std::vector<NetworkOptions> with_chosen_layers(const Draft& draft);
/// True if a field of the network depends on a coordinate.
bool reads(const Draft& draft, std::size_t network, std::size_t coordinate);

/// The stages of the policy, as keys of [[stage]].
std::string first_stage();
/// As many steps as may be afforded.
///
///   adapt    points follow the residual
///   points   of each equation that does not say them; 0: as the policy has it
///   windows  that share the steps
std::string second_stage(const Draft& draft, bool adapt, double points = 0, int windows = 1);

/// Sizes that the formulas of a problem tell of its solution before anything is trained.
struct Sizes {
  /// Per coordinate, radians over half of its interval: how fast what is given varies along it; of
  /// time, how fast the equations make the start change.
  std::vector<double> waves;
  /// The fastest rate, in the same measure, by which the equations make a start grow or fade and
  /// that is no wave of all time, but a layer at its start; 0: there is none.
  double layer = 0;
  /// Per requirement and residual: root mean square of its largest term, with fields that have the
  /// size and the waves of what is given; times its factor.
  std::vector<std::vector<double>> terms;
  /// Per requirement, what its residuals are multiplied by for its poles; null: it has none.
  std::vector<ExpressionPtr> factors;
};

/// Sizes of a problem whose outputs are those it will be trained with.
Sizes sizes_of(const Problem& problem);

/// A formula of order one by which an equation is finite towards those ends of its coordinates in
/// space where it has a pole, as u_r/r has at r = 0, whatever smooth fields there are; null where
/// it has none.
ExpressionPtr pole_factor(const Problem& problem, const Requirement& equation);

/// Roughly how the fields of one coordinate run, from where a problem tells them all: its equations
/// followed both ways by steps to a thousandth or so. It serves to choose, and for nothing else.
struct Course {
  double from = 0;               ///< where all is told
  bool linear = false;           ///< the equations are, in the fields
  std::vector<double> x, share;  ///< places, ascending, and the part of the interval of each
  std::vector<std::vector<std::vector<double>>> fields;  ///< [field][derivative][place]

  double mean(int field, int order = 0) const;
  /// Root mean square of the difference from the mean.
  double deviation(int field, int order = 0) const;
  double lowest(int field) const;
  double highest(int field) const;
  /// Radians over half of the interval, of the field that has most.
  double waves() const;
  /// As often as the largest change of a field goes into the interval where it is steepest.
  double steepness() const;
  /// The largest slope by the root mean square of it, of the field where that is most.
  double unevenness() const;
  /// Squared Fourier coefficients of the fields without their means, faded out at both ends, at 0,
  /// 1, 2, ... radians over half of the interval; the largest is 1.
  std::vector<double> spectrum() const;
  /// Root mean square of a formula along it.
  double size(const ExpressionPtr& formula) const;
};

/// None where a problem has more than one coordinate, or leaves something open beside its fields,
/// or cannot be followed all the way.
std::optional<Course> course_of(const Problem& problem);

}  // namespace pinn::config
