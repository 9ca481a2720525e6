#pragma once
#include <string>

#include "solvers/state/run.h"

namespace pinn::pages {

/// The equations and conditions of a run, typeset, each with its points and where it is asked; as
/// HTML.
std::string requirements_html(const Run& run);

/// Coordinates, fields, constants, unknowns, networks and stages as rows of a table; as HTML.
std::string problem_html(const Run& run);

/// Rows of a table with two columns; the second is HTML already.
std::string row_html(std::string_view name, std::string_view html);

}  // namespace pinn::pages
