#pragma once
#include <map>
#include <string>
#include <vector>

#include "configs/draft.h"

namespace pinn::config {

/// Every key with its value in force.
std::map<std::string, std::string> effective_values(const Draft& draft);

}  // namespace pinn::config
