#pragma once
#include "configs/draft.h"

namespace pinn::config {

/// Holds every value of the tree against the table of keys: unknown and missing keys, types,
/// counts, ranges, choices, what is not built yet, options that do not apply. Values with a mistake
/// are marked as not sound.
void check_keys(Node& tree, Findings& findings);

}  // namespace pinn::config
