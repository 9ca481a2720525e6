#pragma once
#include <map>
#include <set>

#include "autograd/core/random.h"
#include "tests/autograd/torch/calls.h"

namespace pinn::test {

/// A program in the making, computed on the way: the shapes and values of what there is say which
/// calls may come next.
class Drawing {
 public:
  Drawing(std::uint64_t seed, std::uint64_t number, bool is_wild);

 protected:
  double uniform() { return random_.uniform(count_++); }
  bool chance(double p) { return uniform() < p; }
  int below(int n) { return int(uniform() * n); }
  int below(std::int64_t n) { return below(int(n)); }
  template <class T> const T& one_of(const std::vector<T>& list) {
    return list[std::size_t(below(int(list.size())))];
  }
  int any() { return below(int(tensors_.size())); }
  const Tensor& tensor(int at) const { return tensors_[std::size_t(at)]; }
  const Shape& shape(int at) const { return tensor(at).shape(); }
  const Shape& any_shape();
  Setting any_setting();
  /// A tensor of the type of another that broadcasts with it, or into it; -1 if none is found.
  int fitting(int other, bool into = false);

  void add_input();
  /// Does the call if it suits its operands, and what it makes is of moderate size.
  void try_call(const Call& call);

  CallProgram program_;
  bool is_refused_ = false;  ///< its last call
  std::vector<Tensor> tensors_;

 private:
  bool are_exact(const std::vector<int>& on) const;
  bool hooks_what_changes(const Call& call) const;
  bool is_done(const Call& call);
  void note(const Call& call, bool is_change);

  Random random_;
  std::uint64_t count_ = 0;
  std::set<const void*> hooked_, changed_;  ///< memory
  std::map<const void*, bool> exact_;       ///< memory whose numbers have no rounding errors
};

}  // namespace pinn::test
