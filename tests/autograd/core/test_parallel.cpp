#include "autograd/core/parallel.h"

#include <sched.h>

#include <atomic>
#include <semaphore>
#include <stdexcept>
#include <thread>

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

TEST_CASE("tasks of a pool may run tasks on it, each of which runs once",
          "[autograd][core][threads]") {
  ThreadPool pool(GENERATE(1, 3));
  std::vector<int> runs(6 * 50, 0);
  std::atomic<int> out_of_order = 0;
  pool.run(6, [&](int outer) {
    int before = -1;
    pool.run(50, [&](int inner) {
      out_of_order += inner != before + 1;
      before = inner;
      ++runs[std::size_t(outer * 50 + inner)];
    });
  });
  CHECK(runs == std::vector<int>(6 * 50, 1));
  CHECK(out_of_order == 0);
}

TEST_CASE("a task fails with the first error of the tasks that it runs, all of which run",
          "[autograd][core][threads][errors]") {
  ThreadPool pool(GENERATE(1, 3));
  std::atomic<int> ran = 0;
  const auto outer = [&](int i) {
    if (i != 1) return;
    pool.run(9, [&](int inner) {
      ++ran;
      if (inner >= 4) throw std::runtime_error("inner " + std::to_string(inner));
    });
  };
  CHECK_THROWS_WITH(pool.run(3, outer), "inner 4");
  CHECK(ran == 9);
}

TEST_CASE("a pool at work for one thread serves another one", "[autograd][core][threads]") {
  ThreadPool pool(GENERATE(1, 3));
  std::binary_semaphore at_work(0), served(0);
  std::vector<int> one(5, 0), other(100, 0);
  std::jthread second([&] {
    at_work.acquire();
    pool.run(100, [&](int i) { ++other[std::size_t(i)]; });
    served.release();
  });
  pool.run(5, [&](int i) {
    if (i == 0) {
      at_work.release();
      served.acquire();
    }
    ++one[std::size_t(i)];
  });
  CHECK(one == std::vector<int>(5, 1));
  CHECK(other == std::vector<int>(100, 1));
}

TEST_CASE("a process has as many threads as processors that it may use", "[autograd][core]") {
  cpu_set_t all;
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  const int most = available_threads();
  CHECK(most <= CPU_COUNT(&all));
  std::thread([&] {  // which alone is held to fewer
    cpu_set_t some;
    CPU_ZERO(&some);
    int held = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &all)) continue;
      CPU_SET(cpu, &some);
      REQUIRE(::sched_setaffinity(0, sizeof some, &some) == 0);
      CHECK(available_threads() == std::min(++held, most));
    }
  })
      .join();
}
