#include "autograd/core/error.h"
#include "autograd/core/storage.h"
#include "autograd/cuda/gpu.h"
#include "autograd/cuda/memory/allocator.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cuda;
using Order = SimulatedDriver::Order;

namespace {

constexpr std::size_t mebibyte = 1 << 20;

/// An allocator of a simulated device with two streams.
struct Bench {
  explicit Bench(Order order = Order::needed_only) {
    driver.order(order);
    first = driver.create_stream();
    second = driver.create_stream();
  }
  SimulatedDriver driver;
  Stream first = nullptr, second = nullptr;
  Allocator memory{driver, Device{0}};

  /// Writes this number into a block, when the stream gets there.
  void write(void* block, double number, Stream stream) {
    driver.copy(block, &number, sizeof(number), stream);
  }
  double read(void* block, Stream stream) {
    double number = 0;
    driver.copy(&number, block, sizeof(number), stream);
    return number;
  }
};

}  // namespace

TEST_CASE("A released block is reused on its stream without asking the device") {
  Bench bench;
  void* const a = bench.memory.allocate(1000, bench.first);
  bench.memory.release(a);
  CHECK(bench.memory.allocate(900, bench.first) == a);  // both are rounded to 1024
  CHECK(bench.driver.calls("allocate") == 1);
  CHECK(bench.driver.calls("synchronize") == 0);
  bench.memory.release(a);
}

TEST_CASE("A block of another size is another block") {
  Bench bench;
  void* const a = bench.memory.allocate(1 * mebibyte, bench.first);
  bench.memory.release(a);
  void* const b = bench.memory.allocate(2 * mebibyte, bench.first);
  CHECK(a != b);
  CHECK(bench.memory.held() == 3 * mebibyte);
  bench.memory.release(b);
}

TEST_CASE("Blocks waste at most an eighth") {
  Bench bench;
  for (const std::size_t bytes : {5000u, 70000u, 1000001u, 5000001u}) {
    const std::size_t before = bench.memory.held();
    void* const block = bench.memory.allocate(bytes, bench.first);
    CHECK(bench.memory.held() - before >= bytes);
    CHECK(bench.memory.held() - before <= bytes + std::max<std::size_t>(bytes / 8, 512));
    bench.memory.release(block);
  }
}

TEST_CASE("Blocks are aligned, and those of no bytes are blocks") {
  Bench bench;
  void* const none = bench.memory.allocate(0, bench.first);
  void* const one = bench.memory.allocate(1, bench.first);
  CHECK(none != nullptr);
  CHECK(none != one);
  CHECK(reinterpret_cast<std::uintptr_t>(none) % 256 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(one) % 256 == 0);
  bench.memory.release(none);
  bench.memory.release(one);
}

TEST_CASE("Another stream that takes a free block over waits for the first one's work") {
  const auto order = GENERATE(Order::needed_only, Order::others_first, Order::shuffled);
  Bench bench(order);
  bench.memory.limit(1024);  // so that it cannot have one of its own
  void* const kept = bench.driver.allocate_pinned(sizeof(double));
  void* const a = bench.memory.allocate(1000, bench.first);
  bench.write(a, 1, bench.first);
  bench.driver.copy(kept, a, sizeof(double), bench.first);  // still to come
  bench.memory.release(a);
  void* const b = bench.memory.allocate(1000, bench.second);
  REQUIRE(a == b);
  bench.write(b, 2, bench.second);
  CHECK(bench.read(b, bench.second) == 2);
  bench.driver.synchronize(bench.first);
  CHECK(*static_cast<double*>(kept) == 1);
  bench.memory.release(b);
  bench.driver.release_pinned(kept);
}

TEST_CASE("A stream has blocks of its own while the device has room") {
  Bench bench;
  void* const a = bench.memory.allocate(1000, bench.first);
  bench.memory.release(a);
  void* const b = bench.memory.allocate(1000, bench.second);
  CHECK(a != b);
  CHECK(bench.driver.calls("wait") == 0);
  bench.memory.release(b);
}

TEST_CASE("A block that another stream works on comes back when it is done with it") {
  Bench bench;
  void* const kept = bench.driver.allocate_pinned(sizeof(double));
  void* const a = bench.memory.allocate(1000, bench.first);
  bench.write(a, 1, bench.first);
  bench.driver.synchronize(bench.first);
  bench.driver.copy(kept, a, sizeof(double), bench.second);
  bench.memory.record_use(a, bench.second);
  bench.memory.release(a);
  void* const b = bench.memory.allocate(1000, bench.first);
  CHECK(a != b);  // the copy did not run yet
  bench.driver.synchronize(bench.second);
  void* const c = bench.memory.allocate(1000, bench.first);
  CHECK(a == c);
  CHECK(*static_cast<double*>(kept) == 1);
  bench.memory.release(b);
  bench.memory.release(c);
  bench.driver.release_pinned(kept);
}

TEST_CASE("Under the limit work waits for a block in use elsewhere, and the host does not") {
  Bench bench;
  bench.memory.limit(1024);
  void* const kept = bench.driver.allocate_pinned(sizeof(double));
  void* const a = bench.memory.allocate(1000, bench.first);
  bench.write(a, 1, bench.first);
  bench.driver.synchronize(bench.first);
  const int synchronized = bench.driver.calls("synchronize");
  bench.driver.copy(kept, a, sizeof(double), bench.second);
  bench.memory.record_use(a, bench.second);
  bench.memory.release(a);
  void* const b = bench.memory.allocate(1000, bench.first);
  CHECK(a == b);
  CHECK(bench.driver.calls("synchronize") == synchronized);
  bench.write(b, 2, bench.first);
  CHECK(bench.read(b, bench.first) == 2);
  bench.driver.synchronize(bench.second);
  CHECK(*static_cast<double*>(kept) == 1);
  bench.memory.release(b);
  bench.driver.release_pinned(kept);
}

TEST_CASE("Free blocks of other sizes go back to the device when it has no more") {
  Bench bench;
  bench.memory.limit(4 * mebibyte);
  void* const a = bench.memory.allocate(3 * mebibyte, bench.first);
  bench.memory.release(a);
  void* const b = bench.memory.allocate(2 * mebibyte, bench.first);
  CHECK(bench.memory.held() == 2 * mebibyte);
  CHECK(bench.driver.calls("release") == 1);
  bench.memory.release(b);
}

TEST_CASE("Out of memory says what was asked for, what is held, what the limit is, what to try") {
  Bench bench;
  bench.memory.limit(4 * mebibyte);
  void* const a = bench.memory.allocate(3 * mebibyte, bench.first);
  try {
    bench.memory.allocate(2 * mebibyte, bench.first);
    FAIL("there was room");
  } catch (const DeviceError& error) {
    CHECK(error.report.what ==
          "out of memory on cuda:0: 2.0 MiB were asked for, 3.0 MiB are in use, and the limit is "
          "4.0 MiB ([memory] device_limit)");
    CHECK(error.report.fix.find("device_limit") != std::string::npos);
    CHECK(error.report.fix.find("saved = \"cpu\"") != std::string::npos);
  }
  CHECK(bench.memory.live() == 3 * mebibyte);
  bench.memory.release(a);
  void* const b = bench.memory.allocate(2 * mebibyte, bench.first);  // it goes on afterwards
  bench.memory.release(b);
}

TEST_CASE("Without a limit the device's own is told") {
  Bench bench;
  CHECK_THROWS_WITH(bench.memory.allocate(300 * mebibyte, bench.first),
                    Catch::Contains("256.0 MiB are free on the device"));
}

TEST_CASE("A device that fails once is asked again after giving back what is free") {
  Bench bench;
  void* const a = bench.memory.allocate(1 * mebibyte, bench.first);
  bench.memory.release(a);
  bench.driver.fail("allocate");
  void* const b = bench.memory.allocate(2 * mebibyte, bench.first);
  CHECK(b != nullptr);
  CHECK(bench.memory.held() == 2 * mebibyte);
  bench.memory.release(b);
}

TEST_CASE("Live and peak bytes of a device are counted") {
  const Device device{0};
  Bench bench;
  reset_peak(device);
  const std::int64_t before = memory_use(device).live;
  void* const a = bench.memory.allocate(1000, bench.first);
  void* const b = bench.memory.allocate(500, bench.first);
  CHECK(memory_use(device).live == before + 1500);
  bench.memory.release(a);
  CHECK(memory_use(device).live == before + 500);
  CHECK(memory_use(device).peak == before + 1500);
  CHECK(bench.memory.live() == 500);
  bench.memory.release(b);
  CHECK(memory_use(Device{1}).live == 0);
}

TEST_CASE("Memory that was not given out cannot be released") {
  Bench bench;
  double mine = 0;
  CHECK_THROWS_AS(bench.memory.release(&mine), InternalError);
}

TEST_CASE("Blocks of a lost device are released without a word") {
  const auto driver = std::make_shared<SimulatedDriver>();
  const DriverForNow now(driver);
  std::shared_ptr<void> block = gpu(Device{0}).allocate(100);
  std::shared_ptr<void> pinned = gpu(Device{0}).allocate_pinned(100);
  driver->lose_device();
  CHECK_THROWS_AS(gpu(Device{0}).allocate(100), DeviceError);
  block.reset();
  pinned.reset();
  SUCCEED("and the GPU goes, too, at the end of the test");
}

TEST_CASE("A GPU lives as long as its memory") {
  std::shared_ptr<void> block;
  {
    const DriverForNow now(std::make_shared<SimulatedDriver>());
    block = gpu(Device{0}).allocate(100);
  }
  block.reset();
  CHECK(memory_use(Device{0}).live == 0);
}

TEST_CASE("A GPU that is not there is named, with those that are") {
  const DriverForNow now(std::make_shared<SimulatedDriver>());
  CHECK(gpus() == 1);
  CHECK_THROWS_WITH(gpu(Device{1}), Catch::Contains("there is no cuda:1: this machine has 1 GPU"));
  CHECK_THROWS_AS(gpu(Device::cpu), EngineError);
}
