#include "tests/autograd/torch/calls.h"

#include <functional>
#include <map>

#include "autograd/core/error.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/hooks.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/save_on.h"
#include "autograd/tape/saved_hooks.h"

namespace pinn::test {
namespace {

using Tensors = std::vector<Tensor>;
using Maker = std::function<Tensor(const Call&, const Tensors&)>;

/// The sum or mean over the axes, of which the last whole number says whether they stay.
Tensor reduced(const Call& c, const Tensor& x, bool is_mean) {
  const bool keep = c.whole.back() != 0;
  const auto over = [&](std::initializer_list<int> axes) {
    return is_mean ? mean(x, axes, keep) : sum(x, axes, keep);
  };
  const int a = int(c.whole[0]);
  return c.whole.size() == 2 ? over({a}) : over({a, int(c.whole[1])});
}

/// The work of ops that are in no list of ops.
const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all = {
      {"power", [](const Call& c, const Tensors& in) { return power(in[0], c.number); }},
      {"add number", [](const Call& c, const Tensors& in) { return in[0] + c.number; }},
      {"mul number", [](const Call& c, const Tensors& in) { return c.number * in[0]; }},
      {"where", [](const Call&, const Tensors& in) { return where(in[0], in[1], in[2]); }},
      {"cast",
       [](const Call& c, const Tensors& in) { return cast(in[0], DType(int(c.whole[0]))); }},
      {"sum", [](const Call&, const Tensors& in) { return sum(in[0]); }},
      {"mean", [](const Call&, const Tensors& in) { return mean(in[0]); }},
      {"sum over", [](const Call& c, const Tensors& in) { return reduced(c, in[0], false); }},
      {"mean over", [](const Call& c, const Tensors& in) { return reduced(c, in[0], true); }},
      {"sum to",
       [](const Call& c, const Tensors& in) { return sum_to(in[0], shape_from(c.whole)); }},
      {"reshape",
       [](const Call& c, const Tensors& in) { return reshape(in[0], shape_from(c.whole, 1)); }},
      {"transpose",
       [](const Call& c, const Tensors& in) {
         return transpose(in[0], int(c.whole[0]), int(c.whole[1]));
       }},
      {"slice",
       [](const Call& c, const Tensors& in) {
         return slice(in[0], int(c.whole[0]), c.whole[1], c.whole[2]);
       }},
      {"select",
       [](const Call& c, const Tensors& in) { return select(in[0], int(c.whole[0]), c.whole[1]); }},
      {"expand",
       [](const Call& c, const Tensors& in) { return expand(in[0], shape_from(c.whole)); }},
      {"embed",
       [](const Call& c, const Tensors& in) {
         return embed(in[0], shape_from(c.whole, 2), int(c.whole[0]), c.whole[1]);
       }},
      {"concat", [](const Call& c, const Tensors& in) { return concat(in, int(c.whole[0])); }},
      {"stack", [](const Call& c, const Tensors& in) { return stack(in, int(c.whole[0])); }},
      {"gather",
       [](const Call& c, const Tensors& in) {
         return gather(in[0], int(c.whole[0]), {c.whole.begin() + 1, c.whole.end()});
       }},
      {"matmul", [](const Call&, const Tensors& in) { return matmul(in[0], in[1]); }},
      {"contract", [](const Call&, const Tensors& in) { return contract(in[0], in[1]); }},
      {"linear", [](const Call&, const Tensors& in) { return linear(in[0], in[1], in[2]); }},
      {"clone", [](const Call&, const Tensors& in) { return in[0].clone(); }},
      {"detach", [](const Call&, const Tensors& in) { return in[0].detach(); }},
      {"same", [](const Call&, const Tensors& in) { return in[0]; }},
  };
  return all;
}

Tensor made(const Call& c, const Tensors& in) {
  if (const auto at = makers().find(c.op); at != makers().end()) return at->second(c, in);
  if (const int id = find_unary(c.op); id >= 0) return apply_unary(id, in[0], c.number);
  if (const int id = find_binary(c.op); id >= 0) return apply_binary(id, in[0], in[1]);
  throw EngineError({"no op is called " + c.op, "a program", "see calls.cpp"});
}

/// True where the call changes a tensor, or only looks at it; then it is done.
bool changes(const Call& c, Tensors& in) {
  if (c.op == "add in place") return add_in_place(in[0], in[1]), true;
  if (c.op == "sub in place") return sub_in_place(in[0], in[1]), true;
  if (c.op == "mul in place") return mul_in_place(in[0], in[1]), true;
  if (c.op == "div in place") return div_in_place(in[0], in[1]), true;
  if (c.op == "copy in place") return copy_in_place(in[0], in[1]), true;
  if (c.op != "double gradient") return false;
  if (in[0].requires_grad()) on_gradient(in[0], [](const Tensor& g) { return 2.0 * g; });
  return true;
}

/// Hooks that keep twice of what they are given.
const SavedHooksPtr& doubling() {
  static const SavedHooksPtr hooks = [] {
    SavedHooks h;
    h.name = "doubling";
    h.pack = [](const Tensor& t, const SavedContext&) { return Packed{{2.0 * t}, nullptr}; };
    h.unpack = [](const Packed& packed) { return 0.5 * packed.tensors[0]; };
    return std::make_shared<const SavedHooks>(std::move(h));
  }();
  return hooks;
}

}  // namespace

Shape shape_from(const std::vector<std::int64_t>& sizes, std::size_t begin) {
  Shape shape;
  for (std::size_t i = begin; i < sizes.size(); ++i) shape = shape.inserted(shape.rank(), sizes[i]);
  return shape;
}

void perform(const Call& call, Tensors& tensors) {
  const RecordingGuard mode(recording() && call.setting != Setting::no_grad);
  Tensors in;
  for (const int at : call.on) in.push_back(tensors[std::size_t(at)]);
  if (changes(call, in)) return;
  if (call.setting == Setting::checkpoint)
    return tensors.push_back(checkpoint([call](const Tensors& x) { return made(call, x); }, in));
  if (call.setting != Setting::packed) return tensors.push_back(made(call, in));
  const SavedHooksScope scope(doubling());
  tensors.push_back(made(call, in));
}

Tensors perform(const CallProgram& program, const Tensors& inputs) {
  Tensors tensors = inputs, results;
  for (const Call& call : program.calls) perform(call, tensors);
  for (const int at : program.results) results.push_back(tensors[std::size_t(at)]);
  return results;
}

bool CallProgram::makes_only_derivatives() const {
  for (const Call& c : calls)
    if (c.op == "detach" || c.op == "double gradient" || c.setting == Setting::no_grad)
      return false;
  return true;
}

}  // namespace pinn::test
