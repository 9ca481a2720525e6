#include "bench/workloads.h"

#include <functional>

#include "autograd/choose_device.h"
#include "autograd/cuda/gpu.h"
#include "bench/clock.h"
#include "bench/tensors.h"

namespace pinn::bench {
namespace {

/// Seconds of the fastest of several calls on the compute stream.
double fastest(cuda::Gpu& gpu, const std::function<void()>& act) {
  act();  // warms up
  gpu.synchronize();
  std::vector<double> times;
  for (int i = 0; i < 5; ++i)
    times.push_back(seconds([&] {
      act();
      gpu.synchronize();
    }));
  return least(times);
}

/// Random numbers of any size: zeros would run faster than data does.
std::shared_ptr<void> random_block(cuda::Gpu& gpu, std::int64_t count, DType dtype) {
  const std::vector<double> numbers = uniforms(std::size_t(count), "limits", -1, 1);
  const std::vector<float> narrow(numbers.begin(), numbers.end());
  const std::size_t bytes = std::size_t(count) * size_of(dtype);
  const std::shared_ptr<void> block = gpu.allocate(bytes);
  gpu.write(block.get(),
            dtype == DType::float64 ? static_cast<const void*>(numbers.data()) : narrow.data(),
            bytes);
  return block;
}

/// Bytes read and written per nanosecond by a copy within the device's memory.
double copy_rate(Device device) {
  cuda::Gpu& gpu = cuda::gpu(device);
  const std::size_t bytes = std::size_t(2) << 30;
  const std::shared_ptr<void> from = gpu.allocate(bytes), to = gpu.allocate(bytes);
  gpu.driver().zero(from.get(), bytes, gpu.compute());
  return 2e-9 * double(bytes) /
         fastest(gpu, [&] { gpu.driver().copy(to.get(), from.get(), bytes, gpu.compute()); });
}

/// Seconds of an empty round: a few bytes are zeroed, and the host waits.
double round_trip(Device device) {
  cuda::Gpu& gpu = cuda::gpu(device);
  const std::shared_ptr<void> block = gpu.allocate(8);
  return fastest(gpu, [&] { gpu.driver().zero(block.get(), 8, gpu.compute()); });
}

/// Loops of bare tensor instructions on registers, as many warps as keep a device busy: what is
/// left of a library's product when nothing is read. Each has eight sums that do not wait for each
/// other.
constexpr const char* loops = R"(
struct Out { float* to; int turns; };
#define LOOP(name, sums, operands)                                                     \
  extern "C" __global__ void name(Out out) {                                           \
    sums c[8][4];                                                                      \
    for (int i = 0; i < 8; ++i)                                                        \
      for (int k = 0; k < 4; ++k) c[i][k] = 0;                                         \
    operands a[4], b[2];                                                               \
    for (int k = 0; k < 4; ++k) a[k] = operands(1056964608 + threadIdx.x * 8192 + k);  \
    for (int k = 0; k < 2; ++k) b[k] = operands(1056964608 + threadIdx.x * 4096 + k);  \
    for (int turn = 0; turn < out.turns; ++turn)                                       \
      for (int i = 0; i < 8; ++i) name##_once(c[i], a, b);                             \
    sums sum = 0;                                                                      \
    for (int i = 0; i < 8; ++i)                                                        \
      for (int k = 0; k < 4; ++k) sum += c[i][k];                                      \
    if (sum == sums(1.5)) *out.to = float(sum);                                        \
  }
#define ONCE(name, instruction, sums, operands, s, o)                                  \
  __device__ void name##_once(sums* c, const operands* a, const operands* b) {         \
    asm("mma.sync.aligned." instruction                                                \
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"             \
        : "+" s(c[0]), "+" s(c[1]), "+" s(c[2]), "+" s(c[3])                           \
        : o(a[0]), o(a[1]), o(a[2]), o(a[3]), o(b[0]), o(b[1]));                       \
  }                                                                                    \
  LOOP(name, sums, operands)
ONCE(tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", float, unsigned, "f", "r")
ONCE(fp16, "m16n8k16.row.col.f32.f16.f16.f32", float, unsigned, "f", "r")
#if __CUDA_ARCH__ >= 900
ONCE(fp64, "m16n8k8.row.col.f64.f64.f64.f64", double, double, "d", "d")
#endif
)";

/// Operations per nanosecond of one of these loops whose instruction makes so many.
double loop_rate(Device device, const std::string& name, double operations) {
  struct Out {
    float* to;
    int turns;
  };
  cuda::Gpu& gpu = cuda::gpu(device);
  static const std::shared_ptr<cuda::Module> module = gpu.driver().build(loops);
  const std::shared_ptr<void> to = gpu.allocate(sizeof(float));
  const Out out{static_cast<float*>(to.get()), 2000};
  const cuda::Grid grid{unsigned(gpu.info().multiprocessors) * 4};
  const cuda::Kernel kernel = module->kernel(name);
  const double seconds =
      fastest(gpu, [&] { gpu.driver().launch(kernel, grid, &out, sizeof out, gpu.compute()); });
  return 1e-9 * operations * 8 * out.turns * grid.blocks_x * (grid.threads / 32) / seconds;
}

}  // namespace

double gpu_product_rate(Device device, DType dtype, cuda::Precision precision) {
  constexpr std::int64_t n = 4096;
  cuda::Gpu& gpu = cuda::gpu(device);
  static const std::shared_ptr<void> kept[] = {random_block(gpu, 2 * n * n, DType::float32),
                                               random_block(gpu, 2 * n * n, DType::float64)};
  const std::shared_ptr<void> product = gpu.allocate(n * n * std::size_t(size_of(dtype)));
  cuda::Multiply multiply;
  multiply.dtype = dtype;
  multiply.precision = precision;
  multiply.m = multiply.n = multiply.k = n;
  multiply.a = kept[dtype == DType::float64].get();
  multiply.b = static_cast<const char*>(multiply.a) + n * n * size_of(dtype);
  multiply.c = product.get();
  multiply.a_stride = multiply.b_stride = multiply.c_stride = n;
  return 2e-9 * double(n * n * n) /
         fastest(gpu, [&] { gpu.driver().multiply(multiply, gpu.compute()); });
}

void gpu_limits(const Options& options, Journal& journal) {
  const Device device = options.device;
  Line line =
      Line()
          .add("device", choose_device(name_of(device)).text)
          .add("float32_gflops", gpu_product_rate(device, DType::float32))
          .add("tf32_gflops", gpu_product_rate(device, DType::float32, cuda::Precision::tf32))
          .add("float64_gflops", gpu_product_rate(device, DType::float64))
          .add("tf32_loop_gflops", loop_rate(device, "tf32", 2 * 16 * 8 * 8))
          .add("fp16_loop_gflops", loop_rate(device, "fp16", 2 * 16 * 8 * 16))
          .add("copy_gigabytes_per_second", copy_rate(device))
          .add("round_trip_us", 1e6 * round_trip(device));
  if (cuda::gpu(device).info().major >= 9)
    line.add("float64_loop_gflops", loop_rate(device, "fp64", 2 * 16 * 8 * 8));
  journal.print(line);
}

}  // namespace pinn::bench
