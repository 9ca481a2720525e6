#include "tests/autograd/tape/run_program.h"

#include <optional>

#include "autograd/tape/functions.h"
#include "autograd/tape/modes.h"

namespace pinn::test {
namespace {

void change(const Line& l, Tensor& a, const Tensor& by) {
  if (l.act == Act::add_in_place) add_in_place(a, by);
  if (l.act == Act::sub_in_place) sub_in_place(a, by);
  if (l.act == Act::mul_in_place) mul_in_place(a, by);
  if (l.act == Act::div_in_place) div_in_place(a, by);
  if (l.act == Act::copy_in_place) copy_in_place(a, by);
}

/// What a line makes.
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

}  // namespace

Tensor run_program(const RandomProgram& program, const Tensor& z) {
  const std::int64_t half = RandomProgram::inputs / 2;
  std::vector<Tensor> t = {z, slice(z, 0, 0, half), slice(z, 0, half, 2 * half)};
  Tensor result = zeros({});
  for (const Line& l : program.lines) {
    const RecordingGuard mode(recording() && !l.in_no_grad);
    Tensor a = t[std::size_t(l.a)];
    const Tensor b = l.b >= 0 ? t[std::size_t(l.b)] : Tensor(l.number);
    if (l.act == Act::read)
      result = result + sum(a * from_values(numbers_of(l.number, a.numel()), a.shape()));
    else if (l.act >= Act::add_in_place)
      change(l, a, b);
    else
      t.push_back(made_by(l, a, b));
  }
  return result;
}

}  // namespace pinn::test
