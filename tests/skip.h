#pragma once
#include <string>

#include "tests/catch.h"

/// `if (skips(...)) return;` ends a case that cannot be tested here, before it checked anything:
/// CTest counts it as skipped (SKIP_REGULAR_EXPRESSION in CMakeLists.txt), and tells why.
inline bool skips(bool needs_more, const std::string& why) {
  if (needs_more) WARN("test skipped: " << why);
  return needs_more;
}
