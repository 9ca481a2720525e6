#pragma once
#include <string>
#include <vector>

#include "autograd/core/error.h"
#include "autograd/core/ranks.h"
#include "solvers/state/run.h"

namespace pinn {

/// Plan of a run, for --check: coordinates, what is asked where with how many points and channels,
/// the network, the stages, the memory that each of the ranks needs.
std::string plan_text(const Run& run, Ranks& ranks = alone());

/// The same as data: the run as it is described (run_json.h), parameters, bytes, warnings, no
/// errors, and the text.
std::string plan_json(const Run& run, Ranks& ranks = alone());
/// Data of a file that cannot be trained: its mistakes, with their places.
std::string mistakes_json(const ConfigError& mistakes);

/// The steps of a run: of every requirement the graph and the instructions, or the graphs as
/// drawings for Graphviz.
std::string steps_dump(const Run& run, bool drawing);

/// Bytes that training holds, compiled, on each rank: parameters, optimizer memory, points, blocks
/// at work.
double estimated_bytes(const Run& run, Ranks& ranks = alone());

/// End of the coordinates that are like `first` but for their names, if many stand in a row: else
/// the next one. So a hundred are told in one line.
std::size_t end_of_alike(const std::vector<Coordinate>& all, std::size_t first);

}  // namespace pinn
