#include "autograd/core/stats.h"

#include <thread>
#include <vector>

#include "tests/catch.h"

using namespace pinn;

TEST_CASE("a tally is the sum over all threads, also of those that have ended",
          "[autograd][core][threads]") {
  const std::int64_t before = total(Tally::nodes), others = total(Tally::tensors);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([] {
        for (int i = 0; i < 1000; ++i) add_to(Tally::nodes, 3);
      });
  }
  CHECK(total(Tally::nodes) == before + 12000);
  std::jthread([] { add_to(Tally::nodes, -12000); }).join();
  CHECK(total(Tally::nodes) == before);
  CHECK(total(Tally::tensors) == others);
}

TEST_CASE("what a thread counts while it ends is not lost", "[autograd][core][threads]") {
  struct Late {
    ~Late() { add_to(Tally::nodes, 1); }
  };
  const std::int64_t before = total(Tally::nodes);
  std::jthread([] {
    static thread_local Late late;  // made before this thread counts, so it goes after
    (void)&late;
    add_to(Tally::nodes, 1);
  }).join();
  CHECK(total(Tally::nodes) == before + 2);
}
