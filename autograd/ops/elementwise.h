#pragma once
#include <array>
#include <optional>

#include "autograd/ops/binary.h"
#include "autograd/ops/unary.h"

namespace pinn {

/// The list of functions of three numbers.
using Ternary = List<op::Where>;
/// The number of an op: its position in Ternary.
template <class Op> inline constexpr int ternary_id = position<Op>(Ternary{});

/// A function of up to three numbers that is applied element by element: y = f(a, b, c).
struct Elementwise {
  enum Kind : unsigned char {
    copy,            ///< a
    unary,           ///< f(a)
    unary_pullback,  ///< f'(a) c, or c masked by f'(a), with b = f(a); a or b is absent where the
                     ///< slope does not read it
    binary,          ///< f(a, b)
    ternary,         ///< f(a, b, c)
  };
  Kind kind = copy;
  int op = 0;  ///< its number in Unary, Binary or Ternary
  double parameter = 0;

  bool operator==(const Elementwise&) const = default;
};

/// An op of the list of binary ones.
template <class Op>
inline constexpr Elementwise binary_function = {Elementwise::binary, binary_id<Op>};

/// The kinds as functions of numbers, or of vectors of numbers.
namespace elementwise {

struct Copy {
  template <class T> static T value(T a, T, T, double) { return a; }
};
template <class Op> struct Of1 {
  template <class T> static T value(T a, T, T, double p) { return value_of<Op>(a, p); }
};
template <class Op> struct Pullback {
  template <class T> static T value(T a, T b, T c, double p) { return pullback_of<Op>(a, b, c, p); }
};
template <class Op> struct Of2 {
  template <class T> static T value(T a, T b, T, double) { return Op::value(a, b); }
};
template <class Op> struct Of3 {
  template <class T> static T value(T a, T b, T c, double) { return Op::value(a, b, c); }
};

}  // namespace elementwise

/// g.operator()<F>() for the struct F whose value(a, b, c, parameter) this function is.
template <class G> decltype(auto) visit_elementwise(const Elementwise& f, G&& g) {
  using namespace elementwise;
  switch (f.kind) {
    case Elementwise::unary:
      return visit_unary(f.op, [&]<class Op>() { return g.template operator()<Of1<Op>>(); });
    case Elementwise::unary_pullback:
      return visit_unary(f.op, [&]<class Op>() { return g.template operator()<Pullback<Op>>(); });
    case Elementwise::binary:
      return visit_binary(f.op, [&]<class Op>() { return g.template operator()<Of2<Op>>(); });
    case Elementwise::ternary:
      return visit(Ternary{}, f.op, [&]<class Op>() { return g.template operator()<Of3<Op>>(); });
    default:
      return g.template operator()<Copy>();
  }
}

/// f(a, b, c); what f does not read may be any number.
template <class T> T applied(const Elementwise& f, T a, T b, T c) {
  return visit_elementwise(f, [&]<class F>() { return F::value(a, b, c, f.parameter); });
}

/// f's op by name.
std::string_view name_of_op(const Elementwise& f);

/// Simpler form of a function: one of its arguments, or a number if that is -1.
struct Simpler {
  int argument;
  double number;
};

/// Known form of f(a, b, c), whatever the arguments are of which no number is given here: neutral
/// elements, zeros, a decided choice. A zero that stands in the program itself wins over any value
/// (graph/rewrite_arithmetic.cpp says why).
std::optional<Simpler> known(const Elementwise& f,
                             const std::array<std::optional<double>, 3>& arguments);

}  // namespace pinn
