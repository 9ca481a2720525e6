#include "autograd/tape/offload.h"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/seen_storages.h"

namespace pinn {
namespace {

constexpr int most_looked_at = 256;  ///< parcels, for some to read ahead

}  // namespace

/// Storages on their way, in the order in which they were packed.
class Offload::State : public std::enable_shared_from_this<Offload::State> {
 public:
  /// One version of a storage, somewhere else.
  struct Parcel : std::enable_shared_from_this<Parcel> {
    ~Parcel() {
      const std::lock_guard guard(state->lock_);
      state->parcels_.erase(number);
      copy.reset();
      if (memory) state->let_go(*this);
    }
    std::shared_ptr<State> state;
    std::uint64_t number;
    std::size_t bytes;
    std::weak_ptr<Storage> original;  ///< it may live on elsewhere
    std::uint32_t version;            ///< of the original, when it was packed
    bool changed = false;             ///< in place, while it was being written
    std::shared_ptr<OffloadPlace::Copy> copy;
    std::shared_ptr<Storage> memory;     ///< while it is being written, or after it was read ahead
    bool is_ahead = false;               ///< the latter
    std::weak_ptr<Storage> restored;     ///< what was handed out last
    std::uint32_t restored_version = 0;  ///< of it, or of memory, before anybody changed it
  };
  /// What a slot keeps: a window on a parcel.
  struct Window {
    std::shared_ptr<Parcel> parcel;
    std::int64_t offset;
    Shape shape;
    Sizes strides;
    DType dtype;
  };

  State(std::shared_ptr<OffloadPlace> place, const OffloadOptions& options)
      : place_(std::move(place)), options_(options) {}

  std::optional<Packed> pack(const Tensor& t, const SavedContext& context) {
    const std::lock_guard guard(lock_);
    const TensorBody& body = *t.body();
    if (context.is_leaf) leaves_.note(body.storage, true);
    if (!place_ || !place_->takes(*body.storage)) return {};
    if (context.bytes < options_.threshold || leaves_.find(body.storage)) return {};
    ++counts_.tensors;
    return Packed{{},
                  std::make_shared<Window>(Window{parcel_for(body.storage), body.offset, body.shape,
                                                  body.strides, body.dtype})};
  }

  Tensor unpack(const Window& window) {
    const std::lock_guard guard(lock_);
    auto body = std::make_shared<TensorBody>();
    body->storage = bytes_of(*window.parcel);
    body->offset = window.offset;
    body->shape = window.shape;
    body->strides = window.strides;
    body->dtype = window.dtype;
    return Tensor(std::move(body));
  }

  OffloadCounts counts() const {
    const std::lock_guard guard(lock_);
    return counts_;
  }

 private:
  struct Packing {
    std::weak_ptr<Parcel> parcel;
    std::uint32_t version = 0;  ///< of the storage, when it had what the parcel has
  };

  std::shared_ptr<Parcel> parcel_for(const std::shared_ptr<Storage>& storage) {
    const Packing found = packed_.find(storage);
    if (std::shared_ptr<Parcel> before = found.parcel.lock();
        before && found.version == storage->version)
      return before;
    make_room(storage->bytes());
    auto parcel = std::make_shared<Parcel>();
    parcel->state = shared_from_this();
    parcel->number = next_number_++;
    parcel->bytes = storage->bytes();
    parcel->original = storage;
    parcel->version = parcel->restored_version = storage->version;
    parcel->copy = place_->begin_write(storage);
    parcels_[parcel->number] = parcel.get();
    stay(*parcel, storage);
    packed_.note(storage, {parcel, parcel->version});
    ++counts_.copies;
    counts_.bytes_out += std::int64_t(parcel->bytes);
    return parcel;
  }

  /// The bytes of a parcel, in memory, and with them the next ones begun.
  std::shared_ptr<Storage> bytes_of(Parcel& parcel) {
    must_be_unchanged(parcel);
    std::shared_ptr<Storage> bytes = parcel.memory;
    if (bytes) {
      if (parcel.is_ahead) place_->wait(*parcel.copy);
      let_go(parcel);
    } else if (bytes = parcel.restored.lock();
               !bytes || bytes->version != parcel.restored_version) {
      bytes = begin_read(parcel);
      ++counts_.waits;
      read_ahead(parcel.number);
      place_->wait(*parcel.copy);
    }
    read_ahead(parcel.number);
    parcel.restored = bytes;
    // A pass that is recorded saves what it unpacked: that need not be written again.
    packed_.note(bytes, {parcel.weak_from_this(), parcel.restored_version});
    return bytes;
  }

  std::shared_ptr<Storage> begin_read(Parcel& parcel) {
    // Made by the thread that will free it: what threads free they keep for themselves.
    auto bytes = place_->memory_for(*parcel.copy);
    place_->begin_read(parcel.copy, bytes);
    parcel.restored_version = 0;
    ++counts_.reads;
    counts_.bytes_back += std::int64_t(parcel.bytes);
    return bytes;
  }

  /// Begins to read parcels packed before this one, as many as there is room for.
  void read_ahead(std::uint64_t number) {
    // Those packed after it were passed over: their formulas were not wanted.
    while (Parcel* passed =
               first_resident([&](const Parcel& p) { return p.is_ahead && p.number > number; })) {
      place_->wait(*passed->copy);
      let_go(*passed);
    }
    auto at = parcels_.lower_bound(number);
    for (int looked = 0; at != parcels_.begin() && looked < most_looked_at; ++looked) {
      Parcel& next = *(--at)->second;
      if (next.memory || !next.restored.expired()) continue;
      if (!resident_.empty() && resident_bytes_ + next.bytes > options_.in_flight) return;
      stay(next, begin_read(next));
      next.is_ahead = true;
    }
  }

  void stay(Parcel& parcel, std::shared_ptr<Storage> memory) {
    parcel.memory = std::move(memory);
    resident_.push_back(&parcel);
    resident_bytes_ += parcel.bytes;
    // In the order of packing, whichever way they came.
    for (auto at = std::prev(resident_.end());
         at != resident_.begin() && (*std::prev(at))->number > (*at)->number; --at)
      std::swap(*at, *std::prev(at));
  }

  void let_go(Parcel& parcel) {
    resident_.remove(&parcel);
    resident_bytes_ -= parcel.bytes;
    if (parcel.memory->version != parcel.restored_version) parcel.changed = true;
    parcel.memory.reset();
    parcel.is_ahead = false;
  }

  /// What was packed first is wanted last; what was read ahead is wanted soonest.
  void make_room(std::size_t bytes) {
    while (!resident_.empty() && resident_bytes_ + bytes > options_.in_flight) {
      Parcel* oldest = first_resident([](const Parcel& p) { return !p.is_ahead; });
      Parcel& leaves = oldest ? *oldest : *resident_.front();
      place_->wait(*leaves.copy);
      let_go(leaves);
    }
  }

  template <class Holds> Parcel* first_resident(Holds holds) const {
    const auto at = std::find_if(resident_.begin(), resident_.end(),
                                 [&](const Parcel* p) { return holds(*p); });
    return at == resident_.end() ? nullptr : *at;
  }

  void must_be_unchanged(Parcel& parcel) const {
    const std::shared_ptr<Storage> original = parcel.original.lock();
    const std::uint32_t now = original ? original->version.load() : parcel.version;
    if (now == parcel.version && !parcel.changed) return;
    throw EngineError(
        {"a tensor needed for a derivative was modified by an inplace operation after it was saved",
         std::to_string(parcel.bytes) + " bytes that hooks had moved away" +
             (parcel.changed ? ""
                             : ", is at version " + std::to_string(now) + "; expected version " +
                                   std::to_string(parcel.version)),
         "change a clone() instead, or make the change after the backward pass"});
  }

  const std::shared_ptr<OffloadPlace> place_;
  const OffloadOptions options_;
  mutable std::recursive_mutex lock_;  ///< a parcel that dies while it is held takes it again
  OffloadCounts counts_;
  std::uint64_t next_number_ = 0;
  std::map<std::uint64_t, Parcel*> parcels_;  ///< those alive
  SeenStorages<Packing> packed_;
  SeenStorages<bool> leaves_;
  std::list<Parcel*> resident_;  ///< those that hold memory, in the order of packing
  std::size_t resident_bytes_ = 0;
};

Offload::Offload(std::shared_ptr<OffloadPlace> place, const OffloadOptions& options)
    : state_(std::make_shared<State>(std::move(place), options)) {
  SavedHooks hooks;
  hooks.name = "offload";
  hooks.pack = [state = state_](const Tensor& t, const SavedContext& context) {
    return state->pack(t, context);
  };
  hooks.unpack = [](const Packed& packed) {
    const auto& window = *static_cast<const State::Window*>(packed.object.get());
    return window.parcel->state->unpack(window);
  };
  hooks_ = std::make_shared<const SavedHooks>(std::move(hooks));
}

OffloadCounts Offload::counts() const { return state_->counts(); }

}  // namespace pinn
