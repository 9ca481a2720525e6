#include <csetjmp>
#include <csignal>

#include "autograd/core/error.h"
#include "autograd/cuda/gpu.h"
#include "tests/autograd/cuda/launch_examples.h"
#include "tests/autograd/cuda/simulated_driver.h"
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

std::vector<double> host_copy(Gpu& device, const void* from, std::size_t count) {
  std::vector<double> values(count);
  device.read(values.data(), from, count * sizeof(double));
  return values;
}

}  // namespace

TEST_CASE("A functor runs for every index on a simulated GPU") {
  const DriverForNow now(simulated(Order::needed_only));
  Gpu& device = gpu(Device{0});
  const std::shared_ptr<void> block = device.allocate(1000 * sizeof(double));
  fill_with_squares(device, static_cast<double*>(block.get()), 1000);
  const std::vector<double> squares = host_copy(device, block.get(), 1000);
  CHECK(squares[0] == 0);
  CHECK(squares[999] == 999. * 999);
}

TEST_CASE("Blocks of threads work together on a simulated GPU") {
  const DriverForNow now(simulated(Order::needed_only));
  Gpu& device = gpu(Device{0});
  const std::shared_ptr<void> from = device.allocate(6 * sizeof(double));
  const std::shared_ptr<void> to = device.allocate(2 * sizeof(double));
  const double rows[] = {1, 2, 3, 10, 20, 30};
  device.write(from.get(), rows, sizeof(rows));
  sum_rows(device, static_cast<double*>(to.get()), static_cast<double*>(from.get()), 2, 3);
  CHECK(host_copy(device, to.get(), 2) == std::vector<double>{6, 60});
}

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

TEST_CASE("Generated kernels are built by the host's compiler") {
  const DriverForNow now(simulated());
  Gpu& device = gpu(Device{0});
  const std::shared_ptr<Module> module = device.driver().build(R"(
#include "autograd/ops/unary_elementary.h"
struct Arguments { double* to; int count; };
extern __shared__ double shared[];
extern "C" __global__ void fill(Arguments a) {
  for (int i = threadIdx.x; i < a.count; i += blockDim.x) shared[i] = pinn::op::Square::value(i + 0.5);
  __syncthreads();
  for (int i = threadIdx.x; i < a.count; i += blockDim.x)
    a.to[blockIdx.x * a.count + i] = shared[i] + 100 * blockIdx.x;
}
)");
  const std::shared_ptr<void> to = device.allocate(4 * sizeof(double));
  const struct {
    void* to;
    int count;
  } arguments{to.get(), 2};
  device.driver().launch(module->kernel("fill"), {2, 1, 64, 16}, &arguments, sizeof(arguments),
                         device.compute());
  CHECK(host_copy(device, to.get(), 4) == std::vector<double>{0.25, 2.25, 100.25, 102.25});
  CHECK_THROWS_AS(module->kernel("other"), InternalError);
  CHECK_THROWS_AS(device.driver().build("this is no C++"), InternalError);
}

TEST_CASE("Captured work runs when its graph is launched") {
  const DriverForNow now(simulated());
  Gpu& device = gpu(Device{0});
  Driver& driver = device.driver();
  const std::shared_ptr<void> block = device.allocate(2 * sizeof(double));
  driver.zero(block.get(), 2 * sizeof(double), device.compute());
  driver.begin_capture(device.compute());
  fill_with_squares(device, static_cast<double*>(block.get()), 2);
  CHECK_THROWS_AS(device.synchronize(), DeviceError);
  CHECK_THROWS_AS(driver.allocate(8), DeviceError);
  const Graph graph = driver.end_capture(device.compute());
  CHECK(host_copy(device, block.get(), 2) == std::vector<double>{0, 0});
  driver.launch(graph, device.compute());
  CHECK(host_copy(device, block.get(), 2) == std::vector<double>{0, 1});
  driver.destroy(graph);
}

TEST_CASE("A capture whose other streams are not waited for is refused") {
  const bool joins = GENERATE(false, true);
  const DriverForNow now(simulated());
  Gpu& device = gpu(Device{0});
  Driver& driver = device.driver();
  driver.begin_capture(device.compute());
  device.order(device.compute(), device.copies());
  const std::shared_ptr<void> pinned(&device, [](void*) {});
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

TEST_CASE("Products on a simulated GPU are those of BLAS") {
  const DriverForNow now(simulated());
  Gpu& device = gpu(Device{0});
  const double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // [2, 3] and [3, 2] by columns
  const std::shared_ptr<void> block = device.allocate(sizeof(numbers));
  device.write(block.get(), numbers, sizeof(numbers));
  double* const a = static_cast<double*>(block.get());
  const std::shared_ptr<void> c = device.allocate(4 * sizeof(double));
  Multiply product;
  product.dtype = DType::float64;
  product.m = product.n = 2;
  product.k = 3;
  product.a = a;
  product.a_stride = 2;
  product.b = a + 6;
  product.b_stride = 3;
  product.c = c.get();
  product.c_stride = 2;
  device.driver().multiply(product, device.compute());
  CHECK(host_copy(device, c.get(), 4) == std::vector<double>{76, 100, 103, 136});
  product.transpose_a = product.transpose_b = true;
  product.a_stride = 3;
  product.b_stride = 2;
  product.beta = 1;
  device.driver().multiply(product, device.compute());
  CHECK(host_copy(device, c.get(), 4) ==
        std::vector<double>{76 + 58, 100 + 139, 103 + 64, 136 + 154});
}
