#pragma once
#include <span>
#include <string>
#include <string_view>

#include "solvers/records/logs/run_log.h"
#include "solvers/state/run.h"

namespace pinn {

/// All that looks wrong with a run before it begins, though it can be trained. For --check and for
/// the start of the run. docs/warnings.md lists what there is.
///
///   errors   what reading the points of `[output]` throws
Warnings warnings_of(const Run& run, bool eager = false);

/// All of them as texts, each ending its line.
std::string warnings_text(const Warnings& warnings);

/// A list of warnings or mistakes, an object each: what, where, fix, excerpt; and file, line and
/// column where it is a place in a file.
void add_reports(JsonObject& json, std::string_view name, const std::vector<Report>& reports);
/// The same list out of the text of a status.json; empty when it has none.
Warnings warnings_in(std::string_view status);

/// Warning about points that lie outside of the domain, by more than a thousandth of a coordinate's
/// interval (less is rounding); none where none do. A coordinate that is periodic by embedding has
/// no outside.
///
///   x      [points, coordinates]
///   name   of the points, as in "the points of 'readings'"
///   where  the file, or the place in one
Warnings points_outside(const Problem& problem, std::span<const double> x, const std::string& name,
                        const std::string& where);

/// The same for all that a run brings: data, and the points of `[output]`.
Warnings points_outside(const Run& run);

/// A warning where a source, delta(...), lies between the points: at most two of them are within
/// two widths of it. Where points follow the residual they may find it.
Warnings unseen_sources(const Run& run);

/// A warning where the activations have no such derivatives as the residuals ask for: the second
/// derivative of a network of kinks (relu, abs) is 0 wherever it exists, and that of a polynomial
/// vanishes beyond its degree.
Warnings rough_activations(const Run& run);

}  // namespace pinn
