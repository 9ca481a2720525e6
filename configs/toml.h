#pragma once
#include "configs/node.h"

namespace pinn::config {

struct Findings;

/// TOML text as a tree; the source must hold the same text. A text that is not TOML is one
/// mistake (the parser stops at the first) and an empty table.
Node parse_toml(const std::shared_ptr<const Source>& source, std::string_view text,
                Findings& findings);

}  // namespace pinn::config
