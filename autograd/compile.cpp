#include "autograd/compile.h"

#include <fmt/format.h>

#include "autograd/choose_device.h"
#include "autograd/core/error.h"
#include "autograd/cpu/executor/executor.h"
#include "autograd/cuda/gpu.h"

namespace pinn {

std::unique_ptr<Executor> make_executor(Program program, Device device, Products products) {
  if (device.is_cpu()) return cpu::make_executor(std::move(program), products);
  return cuda::make_executor(std::move(program), cuda::gpu(device), {.products = products});
}

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
