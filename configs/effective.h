#pragma once
#include <map>
#include <string>
#include <vector>

#include "configs/draft.h"

namespace pinn {

/// Every key with its value in force, as a problem file that reads back to the same run.
std::string effective_toml(const Run& run);

/// One key or file that differs between two runs.
struct Difference {
  std::string key;     ///< "stage.1.steps"
  std::string before;  ///< as TOML; empty: not there
  std::string now;
};

/// "stage.1.steps: 100 -> 200"
std::string to_string(const Difference& difference);

/// What a run that goes on has changed: what may change (steps and optimizers, output, reference,
/// threads, device, memory, limits, checkpoints) and what makes it another run (physics, network,
/// points, seed, data).
struct Differences {
  std::vector<Difference> allowed, refused;
};
Differences physics_differences(const Run& saved, const Run& now);

namespace config {

/// Every key with its value in force.
std::map<std::string, std::string> effective_values(const Draft& draft);

}  // namespace config
}  // namespace pinn
