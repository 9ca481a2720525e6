#include "tests/autograd/torch/drawing.h"

#include <algorithm>
#include <limits>

#include "autograd/core/error.h"
#include "autograd/tape/functions.h"
#include "tests/autograd/torch/suits.h"

namespace pinn::test {

Drawing::Drawing(std::uint64_t seed, std::uint64_t number, bool is_wild)
    : random_{.seed = seed, .stream = number} {
  program_.is_wild = is_wild;
  program_.dtype = !is_wild && chance(0.25) ? DType::float32 : DType::float64;
}

const Shape& Drawing::any_shape() {
  static const std::vector<Shape> usual = {{},     {1},    {2},    {3},       {2, 1},   {1, 3},
                                           {2, 3}, {3, 2}, {2, 2}, {2, 2, 3}, {1, 3, 2}};
  static const std::vector<Shape> odd = {{0}, {0, 3}, {2, 0}, {1, 1}, {2, 0, 3}, {1, 1, 1}};
  return one_of(chance(0.12) ? odd : usual);
}

Setting Drawing::any_setting() {
  const double which = uniform();
  return which < 0.04   ? Setting::no_grad
         : which < 0.08 ? Setting::checkpoint
         : which < 0.14 ? Setting::packed
                        : Setting::plain;
}

int Drawing::fitting(int other, bool into) {
  for (int tries = 0; tries < 8; ++tries) {
    const int at = any();
    if (tensor(at).dtype() != tensor(other).dtype()) continue;
    if (into ? broadcasts_to(shape(at), shape(other)) : broadcast_together(shape(at), shape(other)))
      return at;
  }
  return -1;
}

void Drawing::add_input() {
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

bool Drawing::are_exact(const std::vector<int>& on) const {
  return std::all_of(on.begin(), on.end(),
                     [&](int at) { return exact_.at(tensor(at).storage_id()); });
}

/// True where a hook and a change meet in one memory: which places on the tape views of it then
/// have is a matter of how an engine keeps them.
bool Drawing::hooks_what_changes(const Call& call) const {
  const void* memory = tensor(call.on[0]).storage_id();
  if (call.op == "double gradient") return changed_.contains(memory);
  return call.op.ends_with("in place") && hooked_.contains(memory);
}

/// True where the engine does the call. One that it refuses may end the program, for the other
/// engine to do likewise.
bool Drawing::is_done(const Call& call) {
  try {
    perform(Call{call.op, call.on, call.whole, call.number}, tensors_);
    return true;
  } catch (const Error&) {
    is_refused_ = chance(0.1);
    if (is_refused_) program_.calls.push_back(call);
    return false;
  }
}

void Drawing::try_call(const Call& call) {
  std::vector<Tensor> on;
  for (const int at : call.on) on.push_back(tensor(at));
  const bool fits = program_.is_wild ? suits_wild(call, on, are_exact(call.on))
                                     : suits(call, on, are_exact(call.on));
  if (!fits || hooks_what_changes(call)) return;
  const std::size_t before = tensors_.size();
  if (!is_done(call)) return;
  const bool is_change = tensors_.size() == before;
  const double size = largest_of(is_change ? on[0] : tensors_.back());
  if (!is_change && !program_.is_wild && !(size <= 30)) return tensors_.pop_back();
  if (!program_.is_wild) program_.largest = std::max(program_.largest, size);
  note(call, is_change);
}

void Drawing::note(const Call& call, bool is_change) {
  const void* memory = (is_change ? tensor(call.on[0]) : tensors_.back()).storage_id();
  exact_.insert_or_assign(memory,
                          is_comparison(call.op) || (keeps_exact(call.op) && are_exact(call.on)));
  if (call.op == "double gradient")
    hooked_.insert(memory);
  else if (is_change)
    changed_.insert(memory);
  program_.calls.push_back(call);
}

}  // namespace pinn::test
