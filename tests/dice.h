#pragma once
#include <initializer_list>

#include "autograd/core/random.h"

namespace pinn::test {

/// Random numbers one after another, for things made at random.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_{.seed = seed, .stream = 5} {}
  double uniform() { return random_.uniform(next_++); }
  std::int64_t below(std::int64_t n) { return std::int64_t(uniform() * double(n)); }
  template <class T> T one_of(std::initializer_list<T> all) {
    return all.begin()[below(std::int64_t(all.size()))];
  }
  Random stream(std::uint64_t number) const { return random_.child(number); }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

}  // namespace pinn::test
