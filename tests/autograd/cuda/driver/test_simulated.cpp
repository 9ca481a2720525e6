#include <csetjmp>
#include <csignal>

#include "autograd/core/error.h"
#include "autograd/cuda/gpu.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/autograd/cuda/kernels/launch_examples.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cuda;
using Order = SimulatedDriver::Order;

namespace {

std::shared_ptr<SimulatedDriver> simulated(Order order = Order::at_once, unsigned seed = 1) {
  SimulatedDriver::Options options;
  options.order = order;
  options.seed = seed;
  options.devices = 2;
  return std::make_shared<SimulatedDriver>(options);
}

sigjmp_buf escape;
void caught(int) { siglongjmp(escape, 1); }

/// Does reading this byte fault?
bool faults(const void* place) {
  struct sigaction mine = {}, before, before_bus;
  mine.sa_handler = caught;
  sigaction(SIGSEGV, &mine, &before);
  sigaction(SIGBUS, &mine, &before_bus);
  const bool faulted = sigsetjmp(escape, 1) != 0;
  if (!faulted) (void)*static_cast<const volatile char*>(place);
  sigaction(SIGSEGV, &before, nullptr);
  sigaction(SIGBUS, &before_bus, nullptr);
  return faulted;
}

}  // namespace

TEST_CASE("The host cannot touch the memory of a simulated GPU") {
  const DriverForNow now(simulated());
  const std::shared_ptr<void> block = gpu(Device{0}).allocate(64);
  CHECK(faults(block.get()));
  const std::shared_ptr<void> pinned = gpu(Device{0}).allocate_pinned(64);
  CHECK_FALSE(faults(pinned.get()));
}

TEST_CASE("Work on another stream that does not wait finds old values") {
  const auto order = GENERATE(Order::needed_only, Order::others_first);
  const bool waits = GENERATE(false, true);
  const DriverForNow now(simulated(order));
  Gpu& device = gpu(Device{0});
  Driver& driver = device.driver();
  const std::shared_ptr<void> block = device.allocate(sizeof(double));
  const std::shared_ptr<void> host = device.allocate_pinned(sizeof(double));
  driver.zero(block.get(), sizeof(double), device.compute());
  driver.synchronize(device.compute());
  const double one = 1;
  driver.copy(block.get(), &one, sizeof(one), device.compute());
  if (waits) device.order(device.compute(), device.copies());
  driver.copy(host.get(), block.get(), sizeof(double), device.copies());
  driver.synchronize(order == Order::needed_only ? device.copies() : device.compute());
  driver.synchronize(device.copies());
  CHECK(*static_cast<double*>(host.get()) == (waits ? 1 : 0));
}

TEST_CASE("A capture whose other streams are not waited for is refused") {
  const bool joins = GENERATE(false, true);
  const DriverForNow now(simulated());
  Gpu& device = gpu(Device{0});
  Driver& driver = device.driver();
  driver.begin_capture(device.compute());
  device.order(device.compute(), device.copies());
  if (joins) {
    device.order(device.copies(), device.compute());
    driver.destroy(driver.end_capture(device.compute()));
  } else {
    CHECK_THROWS_AS(driver.end_capture(device.compute()), DeviceError);
  }
}

TEST_CASE("Calls of a simulated GPU fail on demand") {
  const auto driver = simulated();
  const DriverForNow now(driver);
  Gpu& device = gpu(Device{0});
  driver->fail("zero", 2);
  const std::shared_ptr<void> block = device.allocate(8);
  device.driver().zero(block.get(), 8, device.compute());
  CHECK_THROWS_AS(device.driver().zero(block.get(), 8, device.compute()), DeviceError);
  CHECK_NOTHROW(device.driver().zero(block.get(), 8, device.compute()));
  CHECK(driver->calls("zero") == 3);
}
