#include "bench/gpu_limits.h"

#include <functional>

#include "autograd/choose_device.h"
#include "autograd/cuda/gpu.h"
#include "bench/clock.h"
#include "bench/tensors.h"
#include "bench/workloads.h"

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
  journal.print(
      Line()
          .add("device", choose_device(name_of(device)).text)
          .add("float32_gflops", gpu_product_rate(device, DType::float32))
          .add("tf32_gflops", gpu_product_rate(device, DType::float32, cuda::Precision::tf32))
          .add("float64_gflops", gpu_product_rate(device, DType::float64))
          .add("copy_gigabytes_per_second", copy_rate(device))
          .add("round_trip_us", 1e6 * round_trip(device)));
}

}  // namespace pinn::bench
