#pragma once
#include <string>

#include "solvers/train/run.h"

namespace pinn {

/// What a run is going to do, for --check: coordinates, what is asked where with how many points
/// and channels, the network, the stages, the memory.
std::string plan_text(const Run& run);

/// The steps of a run: of every requirement the graph and the instructions, or the graphs as
/// drawings for Graphviz.
std::string steps_dump(const Run& run, bool drawing);

/// Bytes that training holds, compiled: parameters, optimizer memory, points, blocks at work.
double estimated_bytes(const Run& run);

}  // namespace pinn
