#pragma once
#include <array>
#include <string_view>
#include <type_traits>

#include "autograd/core/error.h"

namespace pinn {

/// A bare list of types; the id of an op is its position in the list it belongs to.
template <class... Ops> struct List {
  static constexpr int size = sizeof...(Ops);
  static constexpr std::array<std::string_view, sizeof...(Ops)> names = {Ops::name...};
  static constexpr std::array<std::string_view, sizeof...(Ops)> says = {Ops::says...};
};

/// The position of Op in a list; the list must contain it.
template <class Op, class... Ops> constexpr int position(List<Ops...>) {
  int at = 0;
  const bool found = ((std::is_same_v<Op, Ops> || (++at, false)) || ...);
  return found ? at : -1;
}

/// The position of the op called `name`; -1 when there is none.
template <class... Ops> constexpr int find(List<Ops...>, std::string_view name) {
  for (int i = 0; i < int(sizeof...(Ops)); ++i)
    if (List<Ops...>::names[i] == name) return i;
  return -1;
}

/// Calls f.operator()<Op>() for the op at position `id` and returns what it returns.
///
///   errors   InternalError when the list has no such position
template <class First, class... Rest, class F>
constexpr decltype(auto) visit(List<First, Rest...>, int id, F&& f) {
  if constexpr (sizeof...(Rest) > 0)
    if (id != 0) return visit(List<Rest...>{}, id - 1, f);
  if (id != 0)
    throw InternalError({"no op has this number", "visit", "take ids from id_of or find"});
  return f.template operator()<First>();
}

}  // namespace pinn
