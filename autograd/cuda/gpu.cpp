#include "autograd/cuda/gpu.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "autograd/core/error.h"
#include "autograd/core/storage.h"
#include "autograd/cuda/driver/driver.h"
#include "autograd/cuda/storage.h"

namespace pinn::cuda {
namespace {

/// The driver and the GPUs in use. Never destroyed: storages may outlive everything else, and at
/// the end of a process CUDA takes its memory back by itself.
struct Machine {
  std::mutex mutex;
  std::shared_ptr<Driver> driver;
  std::map<int, std::shared_ptr<Gpu>> gpus;

  Driver& with_driver() {
    if (!driver) driver = make_driver();
    return *driver;
  }
};

Machine& machine() {
  static Machine& value = *new Machine;
  return value;
}

DeviceInfo info_of(Driver& driver, Device device) {
  const int count = driver.devices();
  if (device.gpu >= count || device.gpu >= most_gpus)
    throw DeviceError(
        {fmt::format("there is no {}: this machine has {} GPU{}", name_of(device), count,
                     count == 1 ? "" : "s"),
         "run.device",
         count ? fmt::format("name one from cuda:0 to cuda:{}, or take device = \"cpu\"", count - 1)
               : "take device = \"cpu\""});
  return driver.info(device.gpu);
}

}  // namespace

Gpu::Gpu(std::shared_ptr<Driver> driver, Device device)
    : driver_(std::move(driver)), device_(device), info_(info_of(*driver_, device)) {
  driver_->use(device_.gpu);
  compute_ = driver_->create_stream();
  copies_ = driver_->create_stream();
  mark_ = driver_->create_event();
  memory_ = std::make_unique<Allocator>(*driver_, device_);
  pinned_ = std::make_unique<PinnedPool>(*driver_);
}

Gpu::~Gpu() {
  quietly([&] { driver_->use(device_.gpu); });
  for (const auto& constant : constants_) quietly([&] { memory_->release(constant.second); });
  pinned_.reset();
  memory_.reset();
  quietly([&] {
    driver_->destroy(mark_);
    if (awaited_) driver_->destroy(awaited_);
    driver_->destroy(copies_);
    driver_->destroy(compute_);
  });
}

Driver& Gpu::driver() {
  driver_->use(device_.gpu);
  return *driver_;
}

Allocator& Gpu::memory() {
  driver_->use(device_.gpu);
  return *memory_;
}

PinnedPool& Gpu::pinned() {
  driver_->use(device_.gpu);
  return *pinned_;
}

const void* Gpu::constant(const void* from, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::lock_guard lock(constants_mutex_);
  const auto made = constants_.try_emplace({static_cast<const char*>(from), bytes}, nullptr);
  const auto at = made.first;
  if (made.second) try {
      at->second = memory().allocate(bytes, compute_);
      upload(*this, at->second, from, bytes);
    } catch (...) {
      if (at->second) quietly([&] { memory_->release(at->second); });
      constants_.erase(at);
      throw;
    }
  return at->second;
}

std::shared_ptr<void> Gpu::allocate(std::size_t bytes) { return allocate(bytes, compute_); }

std::shared_ptr<void> Gpu::allocate(std::size_t bytes, Stream stream) {
  return {memory().allocate(bytes, stream), [gpu = shared_from_this()](void* block) {
            quietly([&] { gpu->driver_->use(gpu->device_.gpu); });
            quietly([&] { gpu->memory_->release(block); });
          }};
}

std::shared_ptr<void> Gpu::allocate_pinned(std::size_t bytes) {
  return {pinned().allocate(bytes), [gpu = shared_from_this()](void* block) {
            quietly([&] { gpu->pinned_->release(block); });
          }};
}

void Gpu::order(Stream first, Stream second) {
  const std::lock_guard lock(mark_mutex_);
  driver().record(mark_, first);
  driver_->wait(second, mark_);
}

void Gpu::synchronize() {
  wait_in_own_way();
  driver().synchronize(compute_);
}

void Gpu::wait_in_own_way() {
  if (waits_.load() != std::this_thread::get_id() || !wait_) return;
  const Wait wait = wait_;  // which may be taken back in it
  driver().record(awaited_, compute_);
  wait([this] { return driver_->done(awaited_); });
}

void Gpu::wait_by(Wait wait) {
  if (wait && !awaited_) awaited_ = driver().create_event();
  waits_ = std::this_thread::get_id();
  wait_ = std::move(wait);
}

Graph Gpu::captured(const std::function<void()>& begin) {
  driver().begin_capture(compute_);
  try {
    begin();
  } catch (...) {  // nothing else could be done on the stream until this ends
    quietly([&] { driver_->destroy(driver_->end_capture(compute_)); });
    throw;
  }
  return driver_->end_capture(compute_);
}

void Gpu::read(void* host, const void* device, std::size_t bytes) {
  wait_in_own_way();
  driver().copy(host, device, bytes, compute_);
  synchronize();
}

void Gpu::write(void* device, const void* host, std::size_t bytes) {
  wait_in_own_way();
  driver().copy(device, host, bytes, compute_);
  synchronize();
}

Gpu& gpu(Device device) {
  if (device.is_cpu())
    throw EngineError({"a GPU was asked for, and the device is the CPU", "cuda::gpu",
                       "ask for a device that is not the CPU"});
  Machine& at = machine();
  const std::lock_guard lock(at.mutex);
  std::shared_ptr<Gpu>& found = at.gpus[device.gpu];
  if (!found) {
    at.with_driver();
    found = std::make_shared<Gpu>(at.driver, device);
  }
  return *found;
}

int gpus() {
  Machine& at = machine();
  const std::lock_guard lock(at.mutex);
  return at.with_driver().devices();
}

struct DriverForNow::Before {
  std::shared_ptr<Driver> driver;
  std::map<int, std::shared_ptr<Gpu>> gpus;
};

DriverForNow::DriverForNow(std::shared_ptr<Driver> driver) : before_(std::make_unique<Before>()) {
  Machine& at = machine();
  const std::lock_guard lock(at.mutex);
  before_->driver = std::exchange(at.driver, std::move(driver));
  before_->gpus = std::exchange(at.gpus, {});
}

DriverForNow::~DriverForNow() {
  Machine& at = machine();
  const std::lock_guard lock(at.mutex);
  at.gpus = std::move(before_->gpus);
  at.driver = std::move(before_->driver);
}

}  // namespace pinn::cuda
