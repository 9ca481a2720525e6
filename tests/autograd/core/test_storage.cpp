#include "autograd/core/storage.h"

#include <sys/resource.h>

#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "autograd/core/stats.h"
#include "tests/catch.h"
#include "tests/skip.h"

using namespace pinn;

TEST_CASE("live and peak bytes follow storages", "[autograd][core]") {
  const MemoryUse before = memory_use(Device::cpu);
  reset_peak(Device::cpu);
  {
    const Storage a(1000);
    {
      const Storage b(5000);
      CHECK(memory_use(Device::cpu).live == before.live + 6000);
    }
    CHECK(memory_use(Device::cpu).live == before.live + 1000);
  }
  CHECK(memory_use(Device::cpu).live == before.live);
  CHECK(memory_use(Device::cpu).peak == before.live + 6000);
}

TEST_CASE("storage is aligned to a cache line and all of it can be written", "[autograd][core]") {
  for (const std::size_t bytes : {1, 63, 64, 65, 100, 4097, 1 << 20}) {
    Storage s(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(s.data()) % 64 == 0);
    CHECK(s.bytes() == bytes);
    std::memset(s.data(), 1, bytes);
  }
}

TEST_CASE("a freed block is used again for the same size", "[autograd][core]") {
  void* first = nullptr;
  {
    Storage s(12345);
    first = s.data();
  }
  CHECK(Storage(12345).data() == first);
}

TEST_CASE("storage may be freed by another thread than the one that made it",
          "[autograd][core][threads]") {
  const std::int64_t before = memory_use(Device::cpu).live;
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<std::shared_ptr<Storage>> made;
    std::jthread([&] {
      for (int i = 1; i < 100; ++i) made.push_back(std::make_shared<Storage>(std::size_t(i) * 100));
    }).join();
    std::jthread([&] { made.clear(); }).join();
  }
  CHECK(memory_use(Device::cpu).live == before);
}

TEST_CASE("each thread counts for itself", "[autograd][core][threads]") {
  stats() = {};
  stats().products = 3;
  std::int64_t other = -1;
  std::jthread([&] { other = stats().products; }).join();
  CHECK(other == 0);
  CHECK(stats().products == 3);
  stats() = {};
}

TEST_CASE("a small storage is one piece with its memory, and counts as others do",
          "[autograd][core]") {
  const MemoryUse before = memory_use(Device::cpu);
  for (const std::size_t bytes : {0, 1, 32, 64, 65, 1000}) {
    const std::shared_ptr<Storage> s = make_storage(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(s->data()) % 64 == 0);
    std::memset(s->data(), 1, bytes);
    CHECK(s->bytes() == bytes);
    CHECK(memory_use(Device::cpu).live == before.live + std::int64_t(bytes));
    CHECK(memory_use(Device::cpu).peak >= memory_use(Device::cpu).live);
  }
  CHECK(memory_use(Device::cpu).live == before.live);
}

namespace {

/// Bytes that this process may write to, as RLIMIT_DATA counts them.
std::size_t data_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmData:") {
      std::size_t kib = 0;
      status >> kib;
      return kib << 10;
    }
  return 0;
}

}  // namespace

TEST_CASE("freed blocks of other sizes are given up before memory runs out", "[autograd][core]") {
  if (skips(lack_of_limits())) return;
  const std::size_t mib = 1 << 20;
  rlimit before;
  ::getrlimit(RLIMIT_DATA, &before);
  rlimit tight = before;
  tight.rlim_cur = data_bytes() + 96 * mib;
  std::thread([&] {  // which keeps nothing yet
    ::setrlimit(RLIMIT_DATA, &tight);
    {
      std::vector<std::shared_ptr<Storage>> small;
      for (int i = 0; i < 16; ++i) small.push_back(make_storage(4 * mib));
    }
    CHECK_NOTHROW(make_storage(60 * mib));  // while 64 MiB are kept
    CHECK_THROWS_AS(make_storage(200 * mib), std::bad_alloc);
    ::setrlimit(RLIMIT_DATA, &before);
  })
      .join();
}
