#pragma once
#include <string>
#include <vector>

#include "solvers/sweep/sweep.h"

namespace pinn::sweep {

/// Command line of a sweep.
struct Request {
  std::string problem;             ///< a file
  std::vector<std::string> overs;  ///< KEY=[VALUE, ...]
  std::vector<std::string> sets;   ///< KEY=VALUE
  long seeds = 1;                  ///< of each combination: the file's own, and those after it
};

/// The sweep, every combination of which was read as a run is.
///
///   errors   ConfigError: of the request; or of the first combination that is no run, with all its
///            mistakes
Sweep read_sweep(const Request& request);

/// A time as [run] max_time has it, "2h30m" or "90", in seconds. Errors: ConfigError.
double time_limit(const Sweep& sweep, const std::string& text);

}  // namespace pinn::sweep

namespace pinn::config {

/// Axis of `--over`: a key, and an array of its values. `number` of the argument, from 1, is for
/// messages.
sweep::Axis read_axis(const std::string& over, int number);

}  // namespace pinn::config
