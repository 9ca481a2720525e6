#include <thread>

#include "tests/autograd/tape/compare_programs.h"
#include "tests/catch.h"

using namespace pinn::test;

namespace {

/// Programs beyond those of the other tests, a quarter of them in each thread.
void check_in_four_threads(std::uint64_t count) {
  std::vector<Outcome> outcomes(4);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&outcomes, count, t] {
        const std::uint64_t first = 200000 + count / 4 * t;
        outcomes[t] = compared(first, first + count / 4, {}, {}, false);
      });
  }
  for (const Outcome& outcome : outcomes) check(outcome);
}

}  // namespace

TEST_CASE("programs of views and changes in place have the derivatives of the numbers they move",
          "[autograd][tape]") {
  const Outcome outcome = compared(0, 2000);
  check(outcome);
  CHECK(outcome.equal > 1500);
}

TEST_CASE("programs of views and changes in place may run in four threads",
          "[autograd][tape][threads]") {
  check_in_four_threads(1000);
}

TEST_CASE("a hundred thousand programs of views and changes in place have the right derivatives",
          "[autograd][tape][slow]") {
  const Outcome outcome = compared(0, 100000);
  check(outcome);
  CHECK(outcome.equal > 75000);
}

TEST_CASE("five thousand programs of views and changes in place may run in four threads",
          "[autograd][tape][threads][slow]") {
  check_in_four_threads(5000);
}
