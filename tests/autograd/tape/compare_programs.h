#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "tests/autograd/tape/slow_memory.h"

namespace pinn::test {

/// Another way to compute a program; nothing where it cannot be gone.
struct Way {
  const char* name;
  std::function<std::optional<Derivatives>(const RandomProgram&, const std::vector<double>& z,
                                           const std::vector<double>& v)>
      of;
};

/// How many programs there were of each sort.
struct Outcome {
  int equal = 0, refused = 0;
  std::map<std::string, int> ways;      ///< how often each of the other ways was gone
  std::string different;                ///< the first few, whole
  std::map<std::string, int> refusals;  ///< by what is said
};

/// Computes programs `first` up to but without `last` in every way the engine has, and in others,
/// and compares with the slow interpreter. A change in place that is refused by name counts as
/// that. Nothing may be left of a program, unless other threads work as well.
Outcome compared(std::uint64_t first, std::uint64_t last, const Habits& habits = {},
                 const std::vector<Way>& others = {}, bool alone = true);

/// Fails unless all were equal, or refused: at most one in ten.
void check(const Outcome& outcome);

}  // namespace pinn::test
