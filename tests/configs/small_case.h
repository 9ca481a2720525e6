#pragma once
#include "solvers/points/point_sets.h"
#include "solvers/state/choices.h"
#include "solvers/train/plan.h"
#include "solvers/train/train.h"
#include "tests/solvers/residual/both_ways.h"

namespace pinn::test {

/// A problem on so many points of each requirement.
inline LossCase small_case(Run run, std::size_t points) {
  LossCase c;
  c.model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    run.sampling[r].count = int(points);
    c.points.push_back(points_of(run, r, "test", 0));
  }
  std::string ignored;
  c.options.derivatives = choose_derivatives(run, *c.model, ignored);
  return c;
}

}  // namespace pinn::test
