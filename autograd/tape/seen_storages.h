#pragma once
#include <map>
#include <memory>

#include "autograd/core/storage.h"

namespace pinn {

/// Remembers things by the storage they were made of, for as long as that lives.
template <class T> class SeenStorages {
 public:
  /// What was noted of this storage last; T() if nothing was.
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
