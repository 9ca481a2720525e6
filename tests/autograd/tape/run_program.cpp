#include "tests/autograd/tape/run_program.h"

#include "autograd/tape/custom_function.h"
#include "autograd/tape/functions.h"
#include "autograd/tape/hooks.h"
#include "autograd/tape/modes.h"
#include "autograd/tape/save_on.h"
#include "autograd/tape/trace.h"
#include "tests/autograd/tape/saved_helpers.h"

namespace pinn::test {
namespace {

void change(const Line& l, Tensor& a, const Tensor& by) {
  if (l.act == Act::add_in_place) add_in_place(a, by);
  if (l.act == Act::sub_in_place) sub_in_place(a, by);
  if (l.act == Act::mul_in_place) mul_in_place(a, by);
  if (l.act == Act::div_in_place) div_in_place(a, by);
  if (l.act == Act::copy_in_place) copy_in_place(a, by);
}

/// Tensor that a line makes.
Tensor made_by(const Line& l, const Tensor& a, const Tensor& b) {
  switch (l.act) {
    case Act::fresh:
      return from_values(numbers_of(l.number, l.shape.numel()), l.shape);
    case Act::unary:
      return smooth_ops()[std::size_t(l.kind)].of(a);
    case Act::binary:
      return l.kind == 0 ? a + b : l.kind == 1 ? a - b : a * b;
    case Act::slice:
      return slice(a, l.axis, l.begin, l.end);
    case Act::select:
      return select(a, l.axis, l.begin);
    case Act::transpose:
      return transpose(a, l.axis, l.other_axis);
    case Act::reshape:
      return reshape(a, l.shape);
    case Act::expand:
      return expand(a, l.shape);
    case Act::concat:
      return concat({a, b}, l.axis);
    case Act::clone:
      return a.clone();
    case Act::detach:
      return a.detach();
    default:
      return a;
  }
}

/// Kind 2 is a product, which forward makes in place where it can; the others are sums.
Gradients slopes(const Line& l, const Tensor& a, const Tensor& b) {
  if (l.act == Act::unary) return {smooth_ops()[std::size_t(l.kind)].slope(a)};
  if (l.kind == 2) return {b, a};
  return {Tensor(1.0), Tensor(l.kind == 0 ? 1.0 : -1.0)};
}

CustomFunctionPtr custom_for(const Line& l) {
  CustomFunction f;
  f.name = "by hand";
  f.forward = [l](CustomCall& call, const std::vector<Tensor>& in) {
    for (const Tensor& x : in) call.save(x);
    if (l.act == Act::unary || l.kind != 2 || is_traced(in[0]) || is_traced(in[1]))
      return std::vector<Tensor>{made_by(l, in[0], in.back())};
    Tensor product = in[0].clone();
    mul_in_place(product, in[1]);
    return std::vector<Tensor>{product};
  };
  f.backward = [l](CustomCall& call, const Gradients& g) {
    const bool unary = l.act == Act::unary;
    Gradients out = slopes(l, call.saved(0), unary ? Tensor() : call.saved(1));
    for (int i = 0; i < int(out.size()); ++i)
      out[std::size_t(i)] = call.wanted(i) ? g[0] * out[std::size_t(i)] : Tensor();
    return out;
  };
  f.tangent = [l](const std::vector<Tensor>& in, const std::vector<Tensor>&,
                  const std::vector<Tensor>& tangents) {
    const Gradients by = slopes(l, in[0], in.back());
    Tensor sum;
    for (std::size_t i = 0; i < tangents.size(); ++i)
      if (tangents[i].defined())
        sum = sum.defined() ? sum + tangents[i] * by[i] : tangents[i] * by[i];
    return std::vector<Tensor>{sum};
  };
  return std::make_shared<const CustomFunction>(std::move(f));
}

Tensor times(Tensor t, double number) {
  if (is_traced(t)) return t * number;
  mul_in_place(t, number);
  return t;
}

Tensor made_in_manner(const Line& l, const Tensor& a, const Tensor& b) {
  std::vector<Tensor> inputs = {a};
  if (l.act == Act::binary) inputs.push_back(b);
  switch (l.manner) {
    case Manner::checkpoint:
      return checkpoint(TensorFunction([l](const auto& in) {
                          return times(made_by(l, in[0], in.back()), l.number);
                        }),
                        inputs);
    case Manner::custom:
      return call(custom_for(l), inputs)[0];
    case Manner::packed: {
      const SavedHooksScope scope(scaling(2, 0.5));
      return made_by(l, a, b);
    }
    case Manner::inference: {
      Tensor made;
      {
        const InferenceMode mode;
        made = made_by(l, a, b);
      }
      return made.clone();
    }
    default:
      break;
  }
  const Tensor made = made_by(l, a, b);
  if (l.manner == Manner::scaled && made.requires_grad())
    on_gradient(made, [](const Tensor& g) { return 2.0 * g; });
  return made;
}

}  // namespace

Tensor run_program(const RandomProgram& program, const Tensor& z) {
  const std::int64_t half = RandomProgram::inputs / 2;
  std::vector<Tensor> t = {z, slice(z, 0, 0, half), slice(z, 0, half, 2 * half)};
  Tensor result = 0.0;
  for (const Line& l : program.lines) {
    const RecordingGuard mode(recording() && !l.in_no_grad);
    Tensor a = t[std::size_t(l.a)];
    const Tensor b = l.b >= 0 ? t[std::size_t(l.b)] : Tensor(l.number);
    if (l.act == Act::read)
      result = result + sum(a * from_values(numbers_of(l.number, a.numel()), a.shape()));
    else if (l.act >= Act::add_in_place)
      change(l, a, b);
    else
      t.push_back(made_in_manner(l, a, b));
  }
  return result;
}

}  // namespace pinn::test
