#include "tests/autograd/torch/draw.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "autograd/core/error.h"
#include "autograd/core/random.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "tests/autograd/torch/suits.h"

namespace pinn::test {
namespace {

/// Writes one program, and computes it on the way: the shapes and values of what there is say which
/// calls may come next.
class Drawing {
 public:
  Drawing(std::uint64_t seed, std::uint64_t number, bool is_wild)
      : random_{.seed = seed, .stream = number} {
    program_.is_wild = is_wild;
    program_.dtype = !is_wild && chance(0.25) ? DType::float32 : DType::float64;
  }

  CallProgram draw() {
    const NoGrad values_only;
    const int inputs = 1 + below(3);
    for (int i = 0; i < inputs; ++i) add_input();
    for (int i = 0; i < inputs; ++i)
      if (chance(0.7)) try_call({.op = "clone", .on = {i}});
    const int calls = 3 + below(10);
    for (int tries = 0; tries < 4 * calls && !is_refused_ && int(program_.calls.size()) < calls;
         ++tries)
      write_call();
    const int made = int(tensors_.size());
    for (int i = made - 1; i >= 0 && program_.results.size() < 3; --i)
      if (i + 1 == made || chance(0.4)) program_.results.push_back(i);
    return std::move(program_);
  }

 private:
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

  const Shape& any_shape() {
    static const std::vector<Shape> usual = {{},     {1},    {2},    {3},       {2, 1},   {1, 3},
                                             {2, 3}, {3, 2}, {2, 2}, {2, 2, 3}, {1, 3, 2}};
    static const std::vector<Shape> odd = {{0}, {0, 3}, {2, 0}, {1, 1}, {2, 0, 3}, {1, 1, 1}};
    return one_of(chance(0.12) ? odd : usual);
  }

  void add_input() {
    static const std::vector<double> exact = {-2, -1.5, -1, -0.5, 0, -0.0, 0.25, 0.5, 1, 1, 1.5, 2};
    static const double infinity = std::numeric_limits<double>::infinity();
    static const std::vector<double> wild = {0, 0, 1, -1, 0.5, 2, infinity, -infinity};
    Start start{.shape = any_shape(), .values = {}};
    const double kind = program_.is_wild ? 0 : uniform();
    for (std::int64_t i = 0; i < start.shape.numel(); ++i) {
      const double smooth = kind < 0.7 ? 0.8 * random_.normal(count_++) : 0.3 + 1.5 * uniform();
      start.values.push_back(program_.is_wild ? one_of(wild)
                             : kind < 0.4     ? one_of(exact)
                                              : double(float(smooth)));
    }
    tensors_.push_back(from_values(start.values, start.shape, program_.dtype));
    exact_.insert_or_assign(tensors_.back().storage_id(), kind < 0.4);
    program_.inputs.push_back(std::move(start));
  }

  /// A tensor of the type of another that it broadcasts with, or -1.
  int fitting(int other, bool into = false) {
    for (int tries = 0; tries < 8; ++tries) {
      const int at = any();
      if (tensor(at).dtype() != tensor(other).dtype()) continue;
      if (into ? broadcasts_to(shape(at), shape(other))
               : broadcast_together(shape(at), shape(other)))
        return at;
    }
    return -1;
  }

  bool is_exact(int at) const { return exact_.at(tensor(at).storage_id()); }

  /// Does the call if it suits its operands, and what it makes is of moderate size.
  void try_call(const Call& call) {
    std::vector<Tensor> on;
    bool exact = keeps_exact(call.op);
    for (const int at : call.on) {
      on.push_back(tensor(at));
      exact &= is_exact(at);
    }
    if (hooks_what_changes(call)) return;
    const bool exact_on = exact_operands(call.on);
    if (program_.is_wild ? !suits_wild(call, on, exact_on) : !suits(call, on, exact_on)) return;
    const std::size_t before = tensors_.size();
    try {
      perform(Call{call.op, call.on, call.whole, call.number}, tensors_);
    } catch (const Error&) {
      if (!chance(0.1)) return;
      is_refused_ = true;  // for the other engine to do likewise
      return program_.calls.push_back(call);
    }
    const Tensor& changed = tensors_.size() > before ? tensors_.back() : on[0];
    const double size = largest_of(changed);
    const bool is_change = tensors_.size() == before;
    if (!is_change && !program_.is_wild && !(size <= 30)) return tensors_.pop_back();
    exact_.insert_or_assign(changed.storage_id(), exact || (is_comparison(call.op)));
    if (!program_.is_wild) program_.largest = std::max(program_.largest, size);
    program_.calls.push_back(call);
    if (call.op == "double gradient") hooked_.insert(on[0].storage_id());
    if (is_change && call.op != "double gradient") changed_.insert(on[0].storage_id());
  }

  /// Whether a hook and a change meet in one memory: which places on the tape views of it then have
  /// is a matter of how an engine keeps them.
  bool hooks_what_changes(const Call& call) const {
    const void* memory = tensor(call.on[0]).storage_id();
    if (call.op == "double gradient") return changed_.contains(memory);
    return call.op.ends_with("in place") && hooked_.contains(memory);
  }

  bool exact_operands(const std::vector<int>& on) const {
    for (const int at : on)
      if (!is_exact(at)) return false;
    return true;
  }

  Setting any_setting() {
    const double which = uniform();
    return which < 0.04   ? Setting::no_grad
           : which < 0.08 ? Setting::checkpoint
           : which < 0.14 ? Setting::packed
                          : Setting::plain;
  }

  void write_call() {
    const double which = uniform();
    if (which < 0.25)
      write_unary();
    else if (which < 0.5)
      write_binary();
    else if (which < 0.7)
      write_view();
    else if (which < 0.78)
      write_change();
    else if (which < 0.88)
      write_reduction();
    else
      write_other();
  }

  void write_unary() {
    static const std::vector<double> exponents = {0, 1, 2, 3, -1, -2, 0.5, 1.5, 2.5, -0.5};
    const int id = below(Unary::size + 2), a = any();
    Call call{.op = "add number", .on = {a}, .number = one_of(exponents), .setting = any_setting()};
    if (id < Unary::size) call.op = unary_name(id);
    if (id == Unary::size) call.op = "mul number";
    try_call(call);
  }

  void write_binary() {
    const int a = any(), b = fitting(a);
    if (b < 0) return;
    Call call{.op = std::string(binary_name(below(Binary::size))), .on = {a, b}};
    call.setting = any_setting();
    const int mask = fitting(a);
    if (chance(0.1) && mask >= 0 && broadcast_together(shape(mask), broadcast(shape(a), shape(b))))
      call = {.op = "where", .on = {mask, a, b}};
    try_call(call);
  }

  void write_view();
  void write_change();
  void write_reduction();
  void write_other();
  void write_product(int a);

  Random random_;
  std::uint64_t count_ = 0;
  CallProgram program_;
  bool is_refused_ = false;  ///< its last call
  std::vector<Tensor> tensors_;
  std::set<const void*> hooked_, changed_;  ///< memory
  std::map<const void*, bool> exact_;       ///< memory whose numbers have no rounding errors
};

void Drawing::write_view() {
  const int a = any();
  const Shape from = shape(a);
  const int axis = from.rank() == 0 ? 0 : below(from.rank());
  const std::int64_t size = from.rank() == 0 ? 0 : from[axis];
  const int kind = below(6);
  if (kind == 0) {
    const Shape& to = any_shape();
    if (to.numel() != from.numel()) return;
    std::vector<std::int64_t> whole = {tensor(a).is_contiguous()};
    for (int i = 0; i < to.rank(); ++i) whole.push_back(to[i]);
    return try_call({.op = "reshape", .on = {a}, .whole = whole});
  }
  if (kind == 1) {
    const Shape& to = any_shape();
    std::vector<std::int64_t> whole;
    for (int i = 0; i < to.rank(); ++i) whole.push_back(to[i]);
    if (broadcasts_to(from, to)) try_call({.op = "expand", .on = {a}, .whole = whole});
    return;
  }
  if (from.rank() == 0) return;
  if (kind == 2)
    return try_call({.op = "transpose", .on = {a}, .whole = {axis, below(from.rank())}});
  if (kind == 3 && size > 0)
    return try_call({.op = "select", .on = {a}, .whole = {axis, below(size)}});
  const std::int64_t begin = below(size + 1), end = begin + below(size - begin + 1);
  if (begin < end || chance(0.2)) try_call({.op = "slice", .on = {a}, .whole = {axis, begin, end}});
}

void Drawing::write_change() {
  static const std::vector<std::string> changes = {"add in place", "sub in place", "mul in place",
                                                   "div in place", "copy in place"};
  const int inputs = int(program_.inputs.size()), a = any(), b = fitting(a, true);
  if (b >= 0 && (a >= inputs || chance(0.02)))
    try_call({.op = one_of(changes),
              .on = {a, b},
              .setting = chance(0.06) ? Setting::no_grad : Setting::plain});
}

void Drawing::write_reduction() {
  const int a = any(), rank = shape(a).rank();
  if (chance(0.2) || rank == 0)
    return try_call({.op = chance(0.5) ? "sum" : "mean", .on = {a}, .setting = any_setting()});
  if (chance(0.2)) {
    Call call{.op = "sum to", .on = {a}};
    for (int i = below(rank); i < rank; ++i) call.whole.push_back(chance(0.4) ? 1 : shape(a)[i]);
    return try_call(call);
  }
  Call call{.op = chance(0.5) ? "sum over" : "mean over", .on = {a}, .whole = {below(rank)}};
  if (rank > 1 && chance(0.4)) call.whole.push_back((call.whole[0] + 1) % rank);
  call.whole.push_back(chance(0.5));
  try_call(call);
}

void Drawing::write_product(int a) {
  for (int tries = 0; tries < 8; ++tries) {
    const int w = any(), b = any();
    const Shape x = shape(a), y = shape(w), z = shape(b);
    if (tensor(w).dtype() != tensor(a).dtype() || x.rank() == 0) continue;
    const std::int64_t k = x[x.rank() - 1];
    if (y.rank() == 2 && x.rank() == 3 && y[0] == k && z == Shape{y[1]} &&
        tensor(b).dtype() == tensor(a).dtype())
      return try_call({.op = "linear", .on = {a, w, b}, .setting = any_setting()});
    if (chance(0.3) && x.rank() == y.rank() && x.rank() > 1 &&
        x.removed(x.rank() - 1) == y.removed(y.rank() - 1))
      return try_call({.op = "contract", .on = {a, w}, .setting = any_setting()});
    const bool batched = x.rank() == 3 && y.rank() == 3 && x[0] == y[0] && y[1] == k;
    if ((y.rank() == 2 && y[0] == k) || batched)
      return try_call({.op = "matmul", .on = {a, w}, .setting = any_setting()});
  }
}

void Drawing::write_other() {
  const int a = any(), rank = shape(a).rank(), kind = below(9);
  const Shape from = shape(a);
  if (kind < 3) return write_product(a);
  if (kind == 3) return try_call({.op = chance(0.4) ? "detach" : "double gradient", .on = {a}});
  if (kind == 4)
    return try_call({.op = "cast", .on = {a}, .whole = {tensor(a).dtype() == DType::float64}});
  const int b = fitting(a), axis = rank == 0 ? 0 : below(rank);
  if (kind == 5) {
    if (b >= 0 && shape(b) == from && rank < max_rank)
      try_call({.op = "stack", .on = {a, b}, .whole = {below(rank + 1)}, .setting = any_setting()});
    return;
  }
  if (rank == 0) return try_call({.op = chance(0.5) ? "same" : "clone", .on = {a}});
  if (kind == 6) {
    if (b >= 0 && shape(b).rank() == rank && shape(b).removed(axis) == from.removed(axis))
      try_call({.op = "concat", .on = {a, b}, .whole = {axis}, .setting = any_setting()});
  } else if (kind == 7) {
    Call call{.op = "gather", .on = {a}, .whole = {axis}, .setting = any_setting()};
    for (int i = below(4); i > 0 && from[axis] > 0; --i) call.whole.push_back(below(from[axis]));
    try_call(call);
  } else {
    const std::int64_t before = below(2), after = below(2);
    Call call{.op = "embed", .on = {a}, .whole = {axis, before}, .setting = any_setting()};
    for (int i = 0; i < rank; ++i) call.whole.push_back(from[i] + (i == axis ? before + after : 0));
    try_call(call);
  }
}

}  // namespace

CallProgram drawn_program(std::uint64_t seed, std::uint64_t number, bool is_wild) {
  return Drawing(seed, number, is_wild).draw();
}

}  // namespace pinn::test
