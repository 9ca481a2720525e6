#include <thread>

#include "tests/autograd/tape/compare_programs.h"
#include "tests/catch.h"

using namespace pinn::test;

TEST_CASE("programs of views and changes in place have the derivatives of the numbers they move",
          "[autograd][tape]") {
  const Outcome outcome = compared(0, 2000);
  check(outcome);
  CHECK(outcome.equal > 1500);
}

TEST_CASE("programs of views and changes in place may run in four threads",
          "[autograd][tape][threads]") {
  std::vector<Outcome> outcomes(4);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&outcomes, t] {
        outcomes[t] = compared(200000 + 250 * t, 200250 + 250 * t, {}, {}, false);
      });
  }
  for (const Outcome& outcome : outcomes) check(outcome);
}

TEST_CASE("a hundred thousand programs of views and changes in place have the right derivatives",
          "[autograd][tape][slow]") {
  const Outcome outcome = compared(0, 100000);
  check(outcome);
  CHECK(outcome.equal > 75000);
}
