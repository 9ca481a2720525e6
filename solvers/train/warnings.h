#pragma once
#include <string>
#include <string_view>

#include "solvers/train/metrics.h"
#include "solvers/train/run.h"

namespace pinn {

/// All that looks wrong with a run before it begins, though it can be trained. For --check and for
/// the start of the run. docs/warnings.md lists what there is.
///
///   errors   what reading the points of `[output]` throws
Warnings warnings_of(const Run& run, bool eager = false);

/// All of them as texts, each ending its line.
std::string warnings_text(const Warnings& warnings);

/// The list `warnings` of status.json: an object per warning with what, where, fix, excerpt.
void add_warnings(JsonObject& status, const Warnings& warnings);
/// The same list out of the text of a status.json; empty when it has none.
Warnings warnings_in(std::string_view status);

}  // namespace pinn
