#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "autograd/cuda/driver/driver.h"
#include "tests/autograd/cuda/driver/simulated_memory.h"
#include "tests/autograd/cuda/driver/simulated_module.h"

/// A driver of GPUs that are not there. Kernels run on the host, with one thread per block (those
/// from text with as many as `threads` says); device memory faults when the host touches it;
/// streams run as late or as strangely as a test wishes, so that work which did not wait for what
/// it needs finds it missing; calls fail on demand.
class SimulatedDriver : public pinn::cuda::Driver {
 public:
  enum class Order : unsigned char {
    at_once,       ///< all work runs when it is begun
    needed_only,   ///< nothing runs before somebody waits for it, and then only what must
    others_first,  ///< when somebody waits for a stream, first all that can run on the others
    shuffled,      ///< when somebody waits, any stream may go on
  };
  struct Options {
    int devices = 1;
    std::size_t memory = std::size_t(256) << 20;  ///< of each device
    std::size_t pinned = std::size_t(256) << 20;
    std::size_t shared_memory = 227 * 1024;
    Order order = Order::at_once;
    unsigned seed = 1;                         ///< of the shuffling
    BlockThreads threads = BlockThreads::one;  ///< of kernels from text
    bool groups = true;                        ///< whether GPUs can meet
  };

  SimulatedDriver();
  explicit SimulatedDriver(const Options& options);
  ~SimulatedDriver() override;

  /// The n-th next call of this name (1 is the next) fails: allocate and allocate_pinned give null,
  /// all others throw DeviceError.
  void fail(const std::string& call, int n = 1);
  /// From now on the device answers every call with an error, as after a kernel that went wrong.
  void lose_device();
  /// How often this call was made.
  int calls(const std::string& call) const;
  /// Pieces of work that were begun and did not run yet.
  int waiting() const;
  void order(Order order);

  int devices() override;
  pinn::cuda::DeviceInfo info(int device) override;
  void use(int device) override;
  void* allocate(std::size_t bytes) override;
  void release(void* memory) override;
  std::size_t free_memory() override;
  void* allocate_pinned(std::size_t bytes) override;
  void release_pinned(void* memory) override;
  pinn::cuda::Stream create_stream() override;
  void destroy(pinn::cuda::Stream stream) override;
  void synchronize(pinn::cuda::Stream stream) override;
  pinn::cuda::Event create_event() override;
  void destroy(pinn::cuda::Event event) override;
  void record(pinn::cuda::Event event, pinn::cuda::Stream stream) override;
  void wait(pinn::cuda::Stream stream, pinn::cuda::Event event) override;
  bool done(pinn::cuda::Event event) override;
  void synchronize(pinn::cuda::Event event) override;
  void copy(void* to, const void* from, std::size_t bytes, pinn::cuda::Stream stream) override;
  void zero(void* to, std::size_t bytes, pinn::cuda::Stream stream) override;
  void launch(const pinn::cuda::Kernel& kernel, const pinn::cuda::Grid& grid, const void* argument,
              std::size_t argument_bytes, pinn::cuda::Stream stream) override;
  void multiply(const pinn::cuda::Multiply& product, pinn::cuda::Stream stream) override;
  std::shared_ptr<pinn::cuda::Module> build(const std::string& text) override;
  void begin_capture(pinn::cuda::Stream stream) override;
  pinn::cuda::Graph end_capture(pinn::cuda::Stream stream) override;
  void launch(pinn::cuda::Graph graph, pinn::cuda::Stream stream) override;
  void destroy(pinn::cuda::Graph graph) override;
  std::string groups() override;
  std::string new_group() override;
  pinn::cuda::Group join(const std::string& name, int rank, int count) override;
  void gather(pinn::cuda::Group group, double* numbers, std::span<const std::size_t> first,
              pinn::cuda::Stream stream) override;
  void require_whole(pinn::cuda::Group group) override;
  void leave(pinn::cuda::Group group) override;

 private:
  struct Mark;
  struct Work;
  struct Capture;
  struct Joint;
  friend struct pinn::cuda::GroupHandle;
  friend struct pinn::cuda::StreamHandle;
  friend struct pinn::cuda::EventHandle;
  friend struct pinn::cuda::GraphHandle;

  bool enter(const std::string& call);
  void refuse_in_capture(const std::string& call) const;
  void begin(pinn::cuda::Stream stream, Work work);
  bool can_run(pinn::cuda::Stream stream) const;
  void run_next(pinn::cuda::Stream stream);
  bool run_something(pinn::cuda::Stream wanted);
  void run_until(pinn::cuda::Stream stream, const std::function<bool()>& enough);
  void run_everything();
  bool run_of_others();
  void let_others_go_on();
  bool has_met(Joint& joint, std::size_t rank, double* numbers,
               const std::vector<std::size_t>& first);
  bool on_device(const void* place) const;
  bool is_pinned(const void* place) const;
  void touch(int device, const std::function<void()>& act);

  const Options options_;
  Order order_;
  mutable std::recursive_mutex mutex_;
  std::mt19937 dice_;
  std::vector<std::unique_ptr<SimulatedMemory>> memory_;
  std::map<const char*, std::pair<std::size_t, std::unique_ptr<char[]>>> pinned_;
  std::size_t pinned_bytes_ = 0;
  std::vector<pinn::cuda::Stream> streams_;
  std::set<pinn::cuda::Event> events_;
  std::set<pinn::cuda::Graph> graphs_;           // lost devices leave some
  std::set<std::shared_ptr<Capture>> captures_;  // that are going on
  std::map<std::string, std::shared_ptr<Joint>> joints_;
  std::set<pinn::cuda::Group> groups_;
  std::map<std::string, int> calls_, failing_;
  bool lost_ = false;
};
