/// Behavior of a simulated GPU that a real one must show as well.
#include <cmath>

#include "autograd/core/error.h"
#include "autograd/cuda/gpu.h"
#include "tests/autograd/cuda/driver/real_gpu.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/autograd/cuda/kernels/launch_examples.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::cuda;

namespace {

std::shared_ptr<SimulatedDriver> simulated() {
  SimulatedDriver::Options options;
  options.order = SimulatedDriver::Order::needed_only;
  return std::make_shared<SimulatedDriver>(options);
}

std::vector<double> host_copy(Gpu& device, const void* from, std::size_t count) {
  std::vector<double> values(count);
  device.read(values.data(), from, count * sizeof(double));
  return values;
}

std::shared_ptr<void> uploaded(Gpu& device, const std::vector<double>& values) {
  const std::shared_ptr<void> block = device.allocate(values.size() * sizeof(double));
  device.write(block.get(), values.data(), values.size() * sizeof(double));
  return block;
}

void run_a_functor(Gpu& device) {
  const std::shared_ptr<void> block = device.allocate(1000 * sizeof(double));
  fill_with_squares(device, static_cast<double*>(block.get()), 1000);
  fill_with_squares(device, nullptr, 0);
  const std::vector<double> squares = host_copy(device, block.get(), 1000);
  for (int i = 0; i < 1000; ++i) REQUIRE(squares[i] == double(i) * i);
}

void sum_rows_by_blocks(Gpu& device) {
  std::vector<double> rows(3 * 1000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = double(i);
  const std::shared_ptr<void> from = uploaded(device, rows);
  const std::shared_ptr<void> to = device.allocate(3 * sizeof(double));
  sum_rows(device, static_cast<double*>(to.get()), static_cast<double*>(from.get()), 3, 1000);
  CHECK(host_copy(device, to.get(), 3) == std::vector<double>{499500, 1499500, 2499500});
}

void run_generated_kernels(Gpu& device) {
  const std::shared_ptr<Module> module = device.driver().build(R"(
struct Arguments { double* to; int count; };
extern __shared__ double shared[];
extern "C" __global__ void fill(Arguments a) {
  for (int i = threadIdx.x; i < a.count; i += blockDim.x) shared[i] = i * 0.5;
  __syncthreads();
  for (int i = threadIdx.x; i < a.count; i += blockDim.x)
    a.to[blockIdx.x * a.count + i] = shared[a.count - 1 - i] + 100 * blockIdx.x;
}
)");
  const std::shared_ptr<void> to = device.allocate(4 * sizeof(double));
  const struct {
    void* to;
    int count;
  } arguments{to.get(), 2};
  const Kernel fill = module->kernel("fill");
  for (const std::size_t shared : {std::size_t(16), std::size_t(100 * 1024)}) {
    device.driver().launch(fill, {2, 1, 64, shared}, &arguments, sizeof(arguments),
                           device.compute());
    CHECK(host_copy(device, to.get(), 4) == std::vector<double>{0.5, 0, 100.5, 100});
  }
  CHECK_THROWS_AS(module->kernel("other"), InternalError);
  CHECK_THROWS_AS(device.driver().build("this is no C++"), InternalError);
}

void launch_a_graph(Gpu& device) {
  Driver& driver = device.driver();
  const std::shared_ptr<void> block = uploaded(device, {0, 0});
  const std::shared_ptr<void> copy = uploaded(device, {0, 0});
  driver.begin_capture(device.compute());
  fill_with_squares(device, static_cast<double*>(block.get()), 2);
  device.order(device.compute(), device.copies());
  driver.copy(copy.get(), block.get(), 2 * sizeof(double), device.copies());
  device.order(device.copies(), device.compute());
  const Graph graph = driver.end_capture(device.compute());
  CHECK(host_copy(device, block.get(), 2) == std::vector<double>{0, 0});
  for (int repeat = 0; repeat < 2; ++repeat) driver.launch(graph, device.compute());
  CHECK(host_copy(device, copy.get(), 2) == std::vector<double>{0, 1});
  driver.destroy(graph);
}

/// [1 3 5; 2 4 6] [7 10; 8 11; 9 12], then transposed and added: [1 2 3; 4 5 6] [7 8; 9 10; 11 12].
void multiply_as_blas_does(Gpu& device) {
  const std::shared_ptr<void> block = uploaded(device, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
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

/// An entry of the product of a matrix of 1 + 2^-12 and a matrix of ones, both 256 wide: no sum on
/// the way needs more digits than a float has. TF32, with ten bits behind the point, makes 1 of it.
float entry_of_product(Gpu& device, Precision precision) {
  constexpr std::int64_t n = 256;
  std::vector<float> values(2 * n * n, 1);
  for (int i = 0; i < n * n; ++i) values[i] += std::ldexp(1.0f, -12);
  const std::shared_ptr<void> block = device.allocate(3 * n * n * sizeof(float));
  device.write(block.get(), values.data(), values.size() * sizeof(float));
  float* const a = static_cast<float*>(block.get());
  Multiply product;
  product.precision = precision;
  product.m = product.n = product.k = n;
  product.a = a;
  product.b = a + n * n;
  product.c = a + 2 * n * n;
  product.a_stride = product.b_stride = product.c_stride = n;
  device.driver().multiply(product, device.compute());
  float result = 0;
  device.read(&result, a + 2 * n * n + 1000, sizeof(result));
  return result;
}

void multiply_floats_exactly(Gpu& device) {
  CHECK(entry_of_product(device, Precision::exact) == 256 + 0.0625f);
}

void round_to_tf32_when_asked(Gpu& device) {
  CHECK(entry_of_product(device, Precision::tf32) == 256);
}

void reuse_memory_across_streams(Gpu& device) {
  Driver& driver = device.driver();
  const std::size_t bytes = 8 << 20;
  const std::shared_ptr<void> pinned = device.allocate_pinned(bytes);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::shared_ptr<void> block = device.allocate(bytes);
    fill_with_squares(device, static_cast<double*>(block.get()), bytes / sizeof(double));
    device.order(device.compute(), device.copies());
    driver.copy(pinned.get(), block.get(), bytes, device.copies());
    device.memory().record_use(block.get(), device.copies());
    block.reset();
    block = device.allocate(bytes);
    driver.zero(block.get(), bytes, device.compute());
    driver.synchronize(device.copies());
    const double* const arrived = static_cast<const double*>(pinned.get());
    REQUIRE(arrived[1000] == 1000. * 1000);
    REQUIRE(arrived[bytes / sizeof(double) - 1] != 0);
  }
  device.synchronize();
}

struct Body {
  const char* name;
  void (*run)(Gpu&);
};
constexpr Body bodies[] = {{"a functor runs for every index", run_a_functor},
                           {"threads of a block work together", sum_rows_by_blocks},
                           {"generated kernels run", run_generated_kernels},
                           {"captured work runs when its graph is launched", launch_a_graph},
                           {"products are those of BLAS", multiply_as_blas_does},
                           {"products of floats keep all their digits", multiply_floats_exactly},
                           {"products in TF32 round what they multiply", round_to_tf32_when_asked},
                           {"memory is reused when copies are done", reuse_memory_across_streams}};

}  // namespace

TEST_CASE("A simulated GPU does what the driver's contract says") {
  for (const Body& body : bodies) SECTION(body.name) {
      const DriverForNow now(simulated());
      body.run(gpu(Device{0}));
    }
}

TEST_CASE("A GPU does what the driver's contract says", "[gpu]") {
  if (skips(lack_of_gpu())) return;
  for (const Body& body : bodies) SECTION(body.name) body.run(gpu(Device{0}));
}

TEST_CASE("A GPU that has no more memory says so and goes on", "[gpu]") {
  if (skips(lack_of_gpu())) return;
  Gpu& device = gpu(Device{0});
  CHECK_THROWS_WITH(device.allocate(device.info().memory * 2), Catch::Contains("out of memory"));
  CHECK_NOTHROW(device.allocate(1 << 20));
}

TEST_CASE("Where there is no GPU the error says why and what to do") {
  if (skips(lack_of_gpu().empty() ? "this machine has a GPU" : "")) return;
  try {
    gpu(Device{0});
    FAIL("there is one");
  } catch (const DeviceError& error) {
    CHECK_THAT(error.report.what, Catch::Contains("CUDA", Catch::CaseSensitive::No));
    CHECK_THAT(error.report.fix, Catch::Contains("device = \"cpu\""));
  }
}
