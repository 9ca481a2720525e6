#pragma once
#include <string>
#include <vector>

#include "configs/draft.h"

namespace pinn::config {

inline constexpr double condition_weight = 100;  ///< of conditions, beside equations

/// The requirement of a table of the file, "condition.2"; of those that one table stands for the
/// first, and null where it is none of the run.
const Item* item_at(const Draft& draft, const std::string& path);

/// True where the points of all requirements that have any can follow the residual.
bool can_adapt(const Draft& draft);

/// Layers of the network, by coordinates and fields.
std::vector<int> chosen_layers(const Draft& draft);

/// The stages of the policy, as keys of [[stage]].
std::string first_stage();
/// As many steps as may be afforded.
///
///   adapt    points follow the residual
///   points   of each equation that does not say them; 0: as the policy has it
///   windows  that share the steps
std::string second_stage(const Draft& draft, bool adapt, double points = 0, int windows = 1);

}  // namespace pinn::config
