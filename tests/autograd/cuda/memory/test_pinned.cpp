#include "autograd/core/error.h"
#include "autograd/cuda/memory/pinned.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cuda;
using Order = SimulatedDriver::Order;

TEST_CASE("Pinned memory is reused when the copies that it took part in are done") {
  SimulatedDriver driver;
  driver.order(Order::needed_only);
  const Stream stream = driver.create_stream();
  PinnedPool pool(driver);
  void* const device = driver.allocate(sizeof(double));
  void* const a = pool.allocate(sizeof(double));
  *static_cast<double*>(a) = 1;
  driver.copy(device, a, sizeof(double), stream);
  pool.record_use(a, stream);
  pool.release(a);  // before the copy ran
  void* const b = pool.allocate(sizeof(double));
  CHECK(a != b);
  *static_cast<double*>(b) = 2;
  driver.synchronize(stream);
  double arrived = 0;
  driver.copy(&arrived, device, sizeof(double), stream);
  CHECK(arrived == 1);
  void* const c = pool.allocate(sizeof(double));
  CHECK(a == c);
  pool.release(b);
  pool.release(c);
  driver.release(device);
}

TEST_CASE("Pinned memory that no copy used is reused at once") {
  SimulatedDriver driver;
  PinnedPool pool(driver);
  void* const a = pool.allocate(5000);
  CHECK(pool.live() >= 5000);
  pool.release(a);
  CHECK(pool.live() == 0);
  CHECK(pool.allocate(5100) == a);
  CHECK(driver.calls("allocate_pinned") == 1);
  pool.release(a);
}

TEST_CASE("A pool of pinned memory gives back what is free before it gives up") {
  SimulatedDriver::Options options;
  options.pinned = 3 << 20;
  SimulatedDriver driver(options);
  PinnedPool pool(driver);
  pool.release(pool.allocate(2 << 20));
  void* const a = pool.allocate(3 << 20);
  CHECK(pool.held() == 3 << 20);
  CHECK_THROWS_WITH(pool.allocate(1 << 20),
                    Catch::Contains("no 1.0 MiB of memory to pin, beside the 3.0 MiB"));
  pool.release(a);
}

TEST_CASE("Pinned memory that was not given out cannot be released") {
  SimulatedDriver driver;
  PinnedPool pool(driver);
  double mine = 0;
  CHECK_THROWS_AS(pool.release(&mine), InternalError);
}
