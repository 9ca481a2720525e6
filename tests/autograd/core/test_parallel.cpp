#include "autograd/core/parallel.h"

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "tests/catch.h"

using namespace pinn;

TEST_CASE("a pool runs every task once", "[autograd][core][threads]") {
  const int threads = GENERATE(1, 2, 5);
  ThreadPool pool(threads);
  CHECK(pool.threads() == threads);
  for (const int count : {0, 1, 3, 200}) {
    std::vector<int> runs(std::size_t(count), 0);
    pool.run(count, [&](int i) { ++runs[std::size_t(i)]; });
    CHECK(runs == std::vector<int>(std::size_t(count), 1));
  }
}

TEST_CASE("a pool is used again and again", "[autograd][core][threads]") {
  ThreadPool pool(4);
  std::atomic<std::int64_t> sum = 0;
  for (int repeat = 0; repeat < 1000; ++repeat) pool.run(7, [&](int i) { sum += i; });
  CHECK(sum == 21000);
}

TEST_CASE("the exception of the first failed task reaches the caller, and the pool lives on",
          "[autograd][core][threads][errors]") {
  ThreadPool pool(GENERATE(1, 3));
  const auto fail = [](int i) {
    if (i % 3 == 2) throw std::runtime_error("task " + std::to_string(i));
  };

  CHECK_THROWS_WITH(pool.run(20, fail), "task 2");
  std::atomic<int> ran = 0;
  pool.run(10, [&](int) { ++ran; });
  CHECK(ran == 10);
}

TEST_CASE("this process may use at least one thread", "[autograd][core]") {
  CHECK(available_threads() >= 1);
}
