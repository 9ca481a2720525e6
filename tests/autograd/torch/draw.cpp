#include "tests/autograd/torch/draw.h"

#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"
#include "tests/autograd/torch/drawing.h"
#include "tests/autograd/torch/suits.h"

namespace pinn::test {
namespace {

/// Writes one program.
class Author : public Drawing {
 public:
  using Drawing::Drawing;

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
  void write_call() {
    const double which = uniform();
    if (which < 0.25)
      write_unary();
    else if (which < 0.5)
      write_binary();
    else if (which < 0.7)
      write_view();
    else if (which < 0.82)
      write_change();
    else if (which < 0.9)
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
};

void Author::write_view() {
  const int a = any();
  const Shape from = shape(a);
  const int axis = from.rank() == 0 ? 0 : below(from.rank());
  const std::int64_t size = from.rank() == 0 ? 0 : from[axis];
  const int kind = below(7);
  if (kind == 0 || kind == 6) {
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

void Author::write_change() {
  static const std::vector<std::string> changes = {"add in place", "sub in place", "mul in place",
                                                   "div in place", "copy in place"};
  const int inputs = int(program_.inputs.size()), a = any(), b = fitting(a, true);
  if (b >= 0 && (a >= inputs || chance(0.02)))
    try_call({.op = one_of(changes),
              .on = {a, b},
              .setting = chance(0.06) ? Setting::no_grad : Setting::plain});
}

void Author::write_reduction() {
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

void Author::write_product(int a) {
  for (int tries = 0; tries < 8; ++tries) {
    const int w = any();
    const Shape x = shape(a), y = shape(w);
    if (tensor(w).dtype() != tensor(a).dtype() || x.rank() == 0) continue;
    const std::int64_t k = x[x.rank() - 1];
    if (y.rank() == 2 && x.rank() == 3 && y[0] == k && k > 0 && chance(0.5)) {
      try_call({.op = "select", .on = {w}, .whole = {0, below(k)}});  // the bias
      const int b = int(tensors_.size()) - 1;
      if (shape(b) == Shape{y[1]} && tensor(b).dtype() == tensor(a).dtype())
        return try_call({.op = "linear", .on = {a, w, b}, .setting = any_setting()});
    }
    if (chance(0.3) && x.rank() == y.rank() && x.rank() > 1 &&
        x.removed(x.rank() - 1) == y.removed(y.rank() - 1))
      return try_call({.op = "contract", .on = {a, w}, .setting = any_setting()});
    const bool batched = x.rank() == 3 && y.rank() == 3 && x[0] == y[0] && y[1] == k;
    if ((y.rank() == 2 && y[0] == k) || batched)
      return try_call({.op = "matmul", .on = {a, w}, .setting = any_setting()});
  }
}

void Author::write_other() {
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
  return Author(seed, number, is_wild).draw();
}

}  // namespace pinn::test
