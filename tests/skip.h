#pragma once
#include <string>

#include "tests/catch.h"

/// `if (skips(lack_of_x())) return;` is the first act of a case that cannot be tested everywhere:
/// where this machine lacks something CTest counts the case as skipped (SKIP_REGULAR_EXPRESSION in
/// CMakeLists.txt), and it tells why.
inline bool skips(const std::string& lack) {
  if (!lack.empty()) WARN("test skipped: " << lack);
  return !lack.empty();
}

/// Why no test can limit the program's memory; empty where it can. One that is watched reserves
/// terabytes of addresses and keeps what is freed.
inline std::string lack_of_limits() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "a sanitizer takes more memory than this test allows";
#else
  return "";
#endif
}
