#include "autograd/tape/offload.h"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <unordered_map>

#include "autograd/core/error.h"
#include "autograd/tape/body.h"
#include "autograd/tape/engine/task.h"

namespace pinn {
/// Storages on their way, in the order in which they were packed.
class Offload::State : public std::enable_shared_from_this<Offload::State> {
 public:
  /// One version of a storage, somewhere else.
  struct Plan;
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
    const Plan* plan = nullptr;          ///< of the pass that it was read ahead for
    std::size_t item = 0;                ///< of that plan
    std::weak_ptr<Storage> restored;     ///< what was handed out last
    std::uint32_t restored_version = 0;  ///< of it, or of memory, before anybody changed it
  };
  /// Content of a slot: a window on a parcel.
  struct Window {
    Window(std::shared_ptr<Parcel> of, const Tensor& t, const SavedContext& context)
        : parcel(std::move(of)),
          node(context.node),
          slot(context.slot_number),
          offset(t.body()->offset),
          shape(t.shape()),
          strides(t.strides()),
          dtype(t.dtype()) {
      parcel->state->windows_[node].push_back(this);
    }
    ~Window() { parcel->state->forget(*this); }
    Window(const Window&) = delete;
    const std::shared_ptr<Parcel> parcel;
    const Node* const node;
    const int slot;
    std::int64_t offset;
    Shape shape;
    Sizes strides;
    DType dtype;
  };
  /// The parcels that one pass will read, in the order of its nodes.
  struct Plan {
    struct Item {
      std::uint64_t node;  ///< its sequence number: the youngest runs first
      int slot;
      std::uint64_t parcel;
      bool is_asked_for = false;
    };
    ~Plan() {
      const std::lock_guard guard(state->lock_);
      state->let_go_of_passed(*this, items.size());
    }
    std::shared_ptr<State> state;
    std::vector<Item> items;
    std::size_t next = 0;  ///< the first that may still be read ahead
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
    return Packed{{}, std::make_shared<Window>(parcel_for(body.storage), t, context)};
  }

  Tensor unpack(const Window& window) {
    const std::lock_guard guard(lock_);
    auto body = std::make_shared<TensorBody>();
    body->storage = bytes_of(window);
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
    if (has_room(parcel->bytes))
      stay(*parcel, storage);
    else
      place_->wait(*parcel->copy);  // what was read ahead stays: it would have to be read again
    packed_.note(storage, {parcel, parcel->version});
    ++counts_.copies;
    counts_.bytes_out += std::int64_t(parcel->bytes);
    return parcel;
  }

  /// The bytes that a window shows, in memory, and with them the next ones begun.
  std::shared_ptr<Storage> bytes_of(const Window& window) {
    Parcel& parcel = *window.parcel;
    must_be_unchanged(parcel);
    std::shared_ptr<Storage> bytes = parcel.memory;
    bool is_begun = parcel.plan;
    if (bytes) {
      let_go(parcel);
    } else if (bytes = restored(parcel); !bytes) {
      bytes = begin_read(parcel);
      is_begun = true;
      ++counts_.waits;
    }
    parcel.restored = bytes;
    if (Task* pass = current_task(); pass && pass->running_node()) read_ahead(*pass, window);
    if (is_begun) place_->wait(*parcel.copy);
    // A pass that is recorded saves what it unpacked: that need not be written again.
    packed_.note(bytes, {parcel.weak_from_this(), parcel.restored_version});
    return bytes;
  }

  /// Storage that was handed out last, if it is still there and as it was.
  std::shared_ptr<Storage> restored(const Parcel& parcel) const {
    std::shared_ptr<Storage> bytes = parcel.restored.lock();
    return bytes && bytes->version == parcel.restored_version ? bytes : nullptr;
  }

  std::shared_ptr<Storage> begin_read(Parcel& parcel) {
    // Made by the thread that will free it: what threads free they keep for themselves.
    auto bytes = place_->memory_for(*parcel.copy);
    place_->begin_read(parcel.copy, bytes);
    parcel.restored_version = 0;
    ++counts_.reads;
    return bytes;
  }

  /// Plan of what the pass will read of what is packed here.
  Plan& plan_of(Task& pass) {
    std::shared_ptr<void>& memory = pass.memory(this);
    if (!memory) {
      const auto plan = std::make_shared<Plan>();
      plan->state = shared_from_this();
      pass.each_needed([&](const Node& node) {
        const auto at = windows_.find(&node);
        if (at == windows_.end()) return;
        for (const Window* w : at->second)
          if (node.will_read(w->slot))
            plan->items.push_back({node.sequence_number(), w->slot, w->parcel->number});
      });
      std::sort(plan->items.begin(), plan->items.end(), [](const auto& a, const auto& b) {
        return std::pair(a.node, a.slot) > std::pair(b.node, b.slot);
      });
      memory = plan;
    }
    return *static_cast<Plan*>(memory.get());
  }

  /// Begins to read what the running node, which asks for this window, and those after it will
  /// read, as far as there is room. What is needed again soon is not let go.
  void read_ahead(Task& pass, const Window& asked) {
    Plan& plan = plan_of(pass);
    const std::uint64_t now = pass.running_node()->sequence_number();
    const auto reached = std::partition_point(plan.items.begin(), plan.items.end(),
                                              [&](const auto& item) { return item.node > now; });
    for (auto item = reached; item != plan.items.end() && item->node == now; ++item)
      if (item->slot == asked.slot) item->is_asked_for = true;
    const std::size_t first = std::size_t(reached - plan.items.begin());
    let_go_of_passed(plan, first);
    // An item whose parcel was there for another one is passed by: now it has to be kept for it.
    for (std::size_t i = first; i < plan.next; ++i)
      if (plan.items[i].parcel == asked.parcel->number) hold_for(plan, i);
    plan.next = std::max(plan.next, first);
    while (plan.next < plan.items.size() && hold_for(plan, plan.next)) ++plan.next;
  }

  /// Has the bytes of an item in memory, or on the way there; false when there is no room for them.
  bool hold_for(const Plan& plan, std::size_t i) {
    const Plan::Item& item = plan.items[i];
    const auto at = parcels_.find(item.parcel);
    if (item.is_asked_for || at == parcels_.end() || at->second->memory) return true;
    Parcel& parcel = *at->second;
    if (!has_room(parcel.bytes)) return false;
    std::shared_ptr<Storage> bytes = restored(parcel);
    stay(parcel, bytes ? std::move(bytes) : begin_read(parcel));
    parcel.plan = &plan;
    parcel.item = i;
    return true;
  }

  /// Lets go of what was read ahead for items before this one, and not asked for: no gradient
  /// arrived there.
  void let_go_of_passed(const Plan& plan, std::size_t item) {
    while (Parcel* passed =
               first_resident([&](const Parcel& p) { return p.plan == &plan && p.item < item; }))
      let_go(*passed);
  }

  void forget(const Window& window) {
    const std::lock_guard guard(lock_);
    const auto at = windows_.find(window.node);
    std::erase(at->second, &window);
    if (at->second.empty()) windows_.erase(at);
  }

  bool has_room(std::size_t bytes) const {
    return resident_.empty() || resident_bytes_ + bytes <= options_.in_flight;
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
    parcel.plan = nullptr;
  }

  /// Lets go of what was packed first, which is wanted last.
  void make_room(std::size_t bytes) {
    while (!has_room(bytes)) {
      Parcel* oldest = first_resident([](const Parcel& p) { return !p.plan; });
      if (!oldest) return;
      place_->wait(*oldest->copy);
      let_go(*oldest);
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
  std::map<std::uint64_t, Parcel*> parcels_;                             ///< those alive
  std::unordered_map<const Node*, std::vector<const Window*>> windows_;  ///< those alive, by owner
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
