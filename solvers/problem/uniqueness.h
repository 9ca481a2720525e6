#pragma once
#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// A warning per field of second order in time, or a higher one, whose time derivatives at the
/// start nothing decides: no condition, no hard constraint, no data, nothing at the end of time.
Warnings missing_velocities(const Problem& problem);

/// A warning per field that only enters by its derivatives: any constant may be added to it.
Warnings open_constants(const Problem& problem);

/// A warning per face and field of fourth order in space, or a higher even one, that asks for
/// something, but for less than half of that order: a plate that is held and may turn.
Warnings half_held_faces(const Problem& problem);

/// A warning per coordinate that is called and used as time is, but counts as space because nobody
/// gave it a role.
Warnings times_in_space(const Problem& problem);

}  // namespace pinn
