#include "autograd/ops/elementwise.h"

namespace pinn {
namespace {

constexpr Simpler zero = {-1, 0};
constexpr Simpler argument(int n) { return {n, 0}; }

using Numbers = std::array<std::optional<double>, 3>;

std::optional<Simpler> known_binary(int op, const Numbers& x) {
  const bool commutes = op == binary_id<op::Add> || op == binary_id<op::Mul>;
  const bool sum = op == binary_id<op::Add> || op == binary_id<op::Sub>;
  const bool product = op == binary_id<op::Mul> || op == binary_id<op::Masked>;
  if (!sum && !product && op != binary_id<op::Div>) return {};
  if (product && (x[0] == 0.0 || x[1] == 0.0)) return zero;
  const double neutral = sum ? 0 : 1;
  if (x[1] == neutral) return argument(0);
  if (commutes && x[0] == neutral) return argument(1);
  return {};
}

}  // namespace

std::string_view name_of_op(const Elementwise& f) {
  switch (f.kind) {
    case Elementwise::binary:
      return binary_name(f.op);
    case Elementwise::ternary:
      return Ternary::names.at(std::size_t(f.op));
    default:
      return f.kind == Elementwise::copy ? "copy" : unary_name(f.op);
  }
}

std::optional<Simpler> known(const Elementwise& f, const Numbers& x) {
  switch (f.kind) {
    case Elementwise::unary_pullback:
      if (x[2] == 0.0 || visit_unary(f.op, []<class Op>() { return Op::flat; })) return zero;
      return {};
    case Elementwise::binary:
      return known_binary(f.op, x);
    case Elementwise::ternary:
      return x[0] ? std::optional(argument(*x[0] != 0 ? 1 : 2)) : std::nullopt;
    default:
      return {};
  }
}

}  // namespace pinn
