#pragma once
#include <map>
#include <string>
#include <vector>

#include "configs/draft.h"

namespace pinn {

/// Every key with its value in force, as a problem file that reads back to the same run.
std::string effective_toml(const Run& run);

namespace config {

/// Every key with its value in force.
std::map<std::string, std::string> effective_values(const Draft& draft);

}  // namespace config
}  // namespace pinn
