#pragma once
#include <string>
#include <vector>

#include "models/parts/options.h"

namespace pinn {

/// The names that `activation` takes.
std::vector<std::string> activation_names();
/// The unary op of one. Errors: ConfigError for another name.
int activation_id(const std::string& name);
/// One for each hidden layer.
std::vector<int> activation_ids(const NetworkOptions& options);

/// Why derivatives of an order are not those of a smooth function, or vanish, whatever the
/// parameters are: "the second derivative of relu is 0 but for a kink that no point sees"; empty
/// where they are fine.
std::string roughness(const NetworkOptions& options, int order);

}  // namespace pinn
