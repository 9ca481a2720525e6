#pragma once
#include "configs/node.h"

namespace pinn::config {

struct Findings;

/// Levels of tables and arrays in a file, and of tables in the key of an override.
inline constexpr int most_depth = 64;

/// What stands between any bytes and the TOML library, which aborts, overflows its stack or has
/// undefined behavior on some of them (toml++ issues 294, 301, 305): the text is at most 1 MiB of
/// valid UTF-8 without control characters, has nothing but ASCII outside strings and comments, no
/// `[` that starts a line without a key after it, nothing deeper than 64 tables and arrays in all,
/// by headers, dots and brackets together, and at most 65 536 bytes a line. Adds at most one
/// mistake; true when there is none.
bool guard(const std::shared_ptr<const Source>& source, std::string_view text, Findings& findings);

}  // namespace pinn::config
