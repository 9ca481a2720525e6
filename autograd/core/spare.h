#pragma once
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace pinn {

/// Things that tasks borrow, one each, and that outlive them: one more is made when all are lent.
template <class T> class Spare {
 public:
  template <class Make> auto borrow(Make&& make) {
    std::unique_ptr<T> thing;
    {
      const std::lock_guard guard(lock_);
      if (!idle_.empty()) {
        thing = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (!thing) thing = std::make_unique<T>(make());
    return Loan{this, std::move(thing)};
  }
  auto borrow() {
    return borrow([] { return T(); });
  }

  /// Gives the thing back in the end.
  struct Loan {
    Loan(Spare* from, std::unique_ptr<T> thing) : from(from), thing(std::move(thing)) {}
    Loan(Loan&&) = default;
    ~Loan() {
      if (!thing) return;
      const std::lock_guard guard(from->lock_);
      from->idle_.push_back(std::move(thing));
    }
    T& operator*() const { return *thing; }
    T* operator->() const { return thing.get(); }

    Spare* from;
    std::unique_ptr<T> thing;
  };

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace pinn
