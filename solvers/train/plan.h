#pragma once
#include <string>

#include "solvers/problem/mistakes.h"
#include "solvers/train/run.h"

namespace pinn {

/// What a run is going to do, for --check: coordinates, what is asked where with how many points
/// and channels, the network, the stages, the memory; then what looks wrong (faces without a
/// condition).
std::string plan_text(const Run& run, const Warnings& warnings = {});

/// The steps of a run: of every requirement the graph and the instructions, or the graphs as
/// drawings for Graphviz.
std::string steps_dump(const Run& run, bool drawing);

/// Bytes that training holds, compiled: parameters, optimizer memory, points, blocks at work.
double estimated_bytes(const Run& run);

}  // namespace pinn
