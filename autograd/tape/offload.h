#pragma once
#include <map>
#include <memory>

#include "autograd/core/storage.h"
#include "autograd/tape/saved_hooks.h"

namespace pinn {

/// Somewhere the bytes of storages can wait: a file, another memory. Both ways are begun and go on
/// by themselves.
class OffloadPlace {
 public:
  /// The bytes of one storage. When it dies its room is free again, and a copy that has not begun
  /// will not.
  struct Copy {
    virtual ~Copy() = default;
    std::size_t bytes = 0;
  };
  virtual ~OffloadPlace() = default;

  /// True if a storage is for this place; others stay where they are.
  virtual bool takes(const Storage&) const { return true; }
  /// Copies the bytes out; they may not change until that is done.
  virtual std::shared_ptr<Copy> begin_write(const std::shared_ptr<Storage>& from) = 0;
  /// Memory for the bytes of a copy, where they were.
  virtual std::shared_ptr<Storage> memory_for(const Copy& copy) { return make_storage(copy.bytes); }
  /// Copies them back, after what was begun before.
  virtual void begin_read(const std::shared_ptr<Copy>& copy,
                          const std::shared_ptr<Storage>& into) = 0;
  /// Makes what the caller does from now on find all done that was begun with this copy. Errors:
  /// whatever went wrong with it.
  virtual void wait(const Copy& copy) = 0;
};

struct OffloadOptions {
  std::size_t threshold = std::size_t(1) << 16;  ///< bytes; smaller tensors stay where they are
  /// Bytes that may stay in memory because they are being written, or were read ahead: at least one
  /// storage. What is written last is read first, and then need not be read at all.
  std::size_t in_flight = std::size_t(16) << 20;
};

/// Counts of what was moved, for tests and reports.
struct OffloadCounts {
  std::int64_t tensors = 0;  ///< slots whose tensor was offloaded
  std::int64_t copies = 0;   ///< storages written
  std::int64_t bytes_out = 0;
  std::int64_t reads = 0;  ///< storages read back, those read ahead among them
  std::int64_t waits = 0;  ///< unpacked tensors that had not been read ahead
};

/// Hooks that move the storages of saved tensors to a place and bring them back, and with each the
/// ones that the pass will read next. Those are known for the formulas of the engine, as far as
/// their gradients arrive: nothing is brought back that pruning leaves out. What a custom function
/// keeps is brought when it asks.
///
/// A storage is moved once per version, however many tensors were saved of it, and its tensors keep
/// their strides. Leaves are not moved - parameters and inputs stay alive anyway - nor views of
/// their memory, nor what is smaller than the threshold. As without hooks, a tensor that is changed
/// in place while a handle still holds it is an error where the derivative needs it.
class Offload {
 public:
  explicit Offload(std::shared_ptr<OffloadPlace> place, const OffloadOptions& options = {});
  const SavedHooksPtr& hooks() const { return hooks_; }
  OffloadCounts counts() const;

 private:
  class State;
  std::shared_ptr<State> state_;
  SavedHooksPtr hooks_;
};

/// Remembers things by the storage they were made of, for as long as that lives.
template <class T> class SeenStorages {
 public:
  /// Value that was noted last of this storage; T() if none was.
  T find(const std::shared_ptr<Storage>& storage) const {
    const auto at = seen_.find(storage.get());
    // Another storage may have come to stand where one was.
    return at != seen_.end() && at->second.storage.lock() == storage ? at->second.value : T();
  }
  void note(const std::shared_ptr<Storage>& storage, T value) {
    if (seen_.size() >= most_) forget_dead();
    seen_.insert_or_assign(storage.get(), Entry{storage, std::move(value)});
  }

 private:
  struct Entry {
    std::weak_ptr<Storage> storage;
    T value;
  };
  void forget_dead() {
    std::erase_if(seen_, [](const auto& entry) { return entry.second.storage.expired(); });
    most_ = 64 + 2 * seen_.size();
  }

  std::map<const Storage*, Entry> seen_;
  std::size_t most_ = 64;
};

}  // namespace pinn
