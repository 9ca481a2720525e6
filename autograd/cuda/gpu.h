#pragma once
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "autograd/core/numbers.h"
#include "autograd/cuda/driver/driver.h"
#include "autograd/cuda/memory/allocator.h"
#include "autograd/cuda/memory/pinned.h"

namespace pinn::cuda {

/// One GPU: its driver, the stream where it computes, the stream where it copies at the same time,
/// and its memory. It lives as long as blocks of its memory do.
class Gpu : public std::enable_shared_from_this<Gpu> {
 public:
  /// Errors: DeviceError when the driver has no such device.
  Gpu(std::shared_ptr<Driver> driver, Device device);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  Device device() const { return device_; }
  const DeviceInfo& info() const { return info_; }
  /// The driver, with this device chosen for the calling thread.
  Driver& driver();
  Stream compute() const { return compute_; }
  Stream copies() const { return copies_; }

  /// A block of device memory for work on the compute stream, or on another; it is reused once
  /// what was begun there before the last owner left is done.
  std::shared_ptr<void> allocate(std::size_t bytes);
  std::shared_ptr<void> allocate(std::size_t bytes, Stream stream);
  /// A block of pinned memory of the host.
  std::shared_ptr<void> allocate_pinned(std::size_t bytes);
  /// Bytes that never change, for work on the compute stream: copied there when they are first
  /// asked for, and kept.
  const void* constant(const void* from, std::size_t bytes);
  Allocator& memory();
  PinnedPool& pinned();

  /// Makes what is begun on `second` from now on wait for what was begun on `first` up to now.
  void order(Stream first, Stream second);
  /// Waits for the compute stream.
  void synchronize();
  /// The same where the calling thread has a way of its own to wait; before calls of CUDA that wait
  /// themselves.
  void wait_in_own_way();
  /// How the calling thread does that from now on, given what looks whether the stream is done;
  /// empty: it just waits, as others always do.
  using Wait = std::function<void(const std::function<bool()>& done)>;
  void wait_by(Wait wait);
  /// Graph of what is begun there by `begin`, kept instead of run. The caller destroys it.
  Graph captured(const std::function<void()>& begin);
  /// Copies between the device and memory of the host, after what was begun on the compute stream;
  /// done when this returns.
  void read(void* host, const void* device, std::size_t bytes);
  void write(void* device, const void* host, std::size_t bytes);

 private:
  std::shared_ptr<Driver> driver_;
  const Device device_;
  const DeviceInfo info_;
  Stream compute_ = nullptr, copies_ = nullptr;
  std::mutex mark_mutex_;
  Event mark_ = nullptr, awaited_ = nullptr;
  Wait wait_;
  std::atomic<std::thread::id> waits_;  ///< who waits so
  std::unique_ptr<Allocator> memory_;
  std::unique_ptr<PinnedPool> pinned_;
  std::mutex constants_mutex_;
  std::unordered_map<std::string, void*> constants_;  ///< by what they are
};

/// The GPU that a device names, made when it is first asked for.
/// Errors: DeviceError when there is none; EngineError for the CPU.
Gpu& gpu(Device device);
/// How many GPUs this machine has. Errors: DeviceError, saying why none can be used.
int gpus();

/// Puts another driver in the place of the machine's, for tests, until it is destroyed. GPUs that
/// were in use before come back then.
class DriverForNow {
 public:
  explicit DriverForNow(std::shared_ptr<Driver> driver);
  ~DriverForNow();
  DriverForNow(const DriverForNow&) = delete;
  DriverForNow& operator=(const DriverForNow&) = delete;

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace pinn::cuda
