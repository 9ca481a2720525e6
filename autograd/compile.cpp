#include "autograd/compile.h"

#include <fmt/format.h>

#include "autograd/choose_device.h"
#include "autograd/core/error.h"
#include "autograd/cpu/block/row_algebra.h"
#include "autograd/cpu/executor/executor.h"
#include "autograd/cpu/tiles/amx.h"
#include "autograd/cpu/vectors/processor.h"
#include "autograd/cuda/executor/executor.h"
#include "autograd/cuda/gpu.h"

namespace pinn {

std::unique_ptr<Executor> make_executor(Program program, Device device, Products products,
                                        std::size_t block) {
  if (device.is_cpu()) return cpu::make_executor(std::move(program), products);
  return cuda::make_executor(std::move(program), cuda::gpu(device),
                             {.block = block, .products = products});
}

bool keeps_points(Device device) { return !device.is_cpu(); }

std::shared_ptr<AllGather> make_all_gather(Device device, Ranks& ranks,
                                           std::function<void(const std::string&)> tell) {
  return cuda::gather_when_needed(cuda::gpu(device), ranks, std::move(tell));
}
std::shared_ptr<AllGather> all_gather_on_host(Device device, Ranks& ranks) {
  return cuda::gather_on_host(cuda::gpu(device), ranks);
}

template <class T> std::unique_ptr<RowWriter<T>> make_row_writer() {
  return cpu::make_row_writer<T>();
}
template std::unique_ptr<RowWriter<float>> make_row_writer<float>();
template std::unique_ptr<RowWriter<double>> make_row_writer<double>();
std::unique_ptr<Gram> make_gram(DType dtype, std::span<const std::vector<RowFactor>> layouts) {
  return cpu::make_gram(dtype, layouts);
}
std::unique_ptr<KroneckerSums> make_kronecker_sums(std::map<std::size_t, std::size_t> columns) {
  return cpu::make_kronecker_sums(std::move(columns));
}

double peak_flops(DType dtype, ThreadPool& pool) { return cpu::fma_peak(dtype, pool); }
bool multiplies_tiles() { return cpu::amx_available(); }

namespace {

ChosenDevice described(Device device) {
  const cuda::DeviceInfo& info = cuda::gpu(device).info();
  return {device,
          fmt::format("{} ({}, {:.1f} GiB)", name_of(device), info.name,
                      double(info.memory) / double(1 << 30)),
          fmt::format("{}, compute capability {}.{}", info.name, info.major, info.minor)};
}

/// As asked for, with the words of CUDA for why it cannot be.
ChosenDevice gpu_called(const std::string& name, int number) {
  try {
    return described(Device{number});
  } catch (const DeviceError& error) {
    throw DeviceError({fmt::format("{} cannot be used: {}", name, error.report.what),
                       fmt::format("device = \"{}\"", name), error.report.fix});
  }
}

ChosenDevice gpu_or_cpu(int turn) {
  std::string why = "this machine has none";
  try {
    if (const int gpus = cuda::gpus(); gpus > 0) return described(Device{turn % gpus});
  } catch (const DeviceError& error) {
    why = error.report.what;
  }
  return {Device::cpu, "cpu (no GPU: " + why + ")"};
}

}  // namespace

ChosenDevice choose_device(const std::string& name, int turn) {
  if (name == "cpu") return {Device::cpu, "cpu"};
  if (name == "auto") return gpu_or_cpu(turn);
  if (name == "cuda" && turn > 0) return gpu_called(name, has_gpu() ? turn % cuda::gpus() : 0);
  constexpr std::size_t prefix = std::string_view("cuda:").size();
  // More digits than any machine has GPUs: no number that there is.
  const std::string number = name.size() > prefix ? name.substr(prefix) : "0";
  return gpu_called(name, number.size() > 6 ? 999999 : std::stoi(number));
}

bool has_gpu() {
  try {
    return cuda::gpus() > 0;
  } catch (const DeviceError&) {
    return false;
  }
}

void limit_memory(Device gpu, std::size_t bytes) { cuda::gpu(gpu).memory().limit(bytes); }

}  // namespace pinn
