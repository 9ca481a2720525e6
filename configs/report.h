#pragma once
#include <cstdint>
#include <string>

#include "solvers/problem/mistakes.h"
#include "solvers/train/run.h"

namespace pinn {

/// Numbers that training changes: the network's parameters and the unknowns.
std::int64_t parameter_count(const Run& run);

/// What --check prints of a run: its names, requirements, network, stages, memory, and warnings.
std::string check_report(const Run& run, const Warnings& warnings = {});

}  // namespace pinn
