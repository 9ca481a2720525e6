#pragma once
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
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
/// terabytes of addresses and keeps what is freed; one on an emulated processor gets what it wants.
inline std::string lack_of_limits() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "a sanitizer takes more memory than this test allows";
#else
  rlimit before{};
  ::getrlimit(RLIMIT_DATA, &before);
  const rlimit little{4096, before.rlim_max};  // Linux takes 0 for no limit, for Valgrind's sake
  ::setrlimit(RLIMIT_DATA, &little);
  constexpr std::size_t much = std::size_t(64) << 20;
  void* const got =
      ::mmap(nullptr, much, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ::setrlimit(RLIMIT_DATA, &before);
  if (got == MAP_FAILED) return "";
  ::munmap(got, much);
  return "no limit of memory holds here";
#endif
}
