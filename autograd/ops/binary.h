#pragma once
#include "autograd/ops/binary_functions.h"
#include "autograd/ops/list.h"

/// The list of functions of two numbers; binary_functions.h explains what an op is.
namespace pinn {

using Binary = List<op::Add, op::Sub, op::Mul, op::Div, op::Pow, op::Atan2, op::Min, op::Max,
                    op::Less, op::LessEqual, op::Greater, op::GreaterEqual, op::Masked>;

/// The number of an op: its position in Binary.
template <class Op>
requires(position<Op>(Binary{}) >= 0) inline constexpr int binary_id = position<Op>(Binary{});

/// The number of the op called `name`, -1 when there is none.
constexpr int find_binary(std::string_view name) { return find(Binary{}, name); }
constexpr std::string_view binary_name(int id) { return Binary::names.at(id); }

/// f.operator()<Op>() for the op with this number.
template <class F> constexpr decltype(auto) visit_binary(int id, F&& f) {
  return visit(Binary{}, id, f);
}

}  // namespace pinn
