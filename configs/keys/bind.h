#pragma once
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "configs/draft.h"
#include "configs/keys.h"

namespace pinn::config {

namespace form {
inline const Form boolean{"true or false", Node::boolean};
inline const Form number{"a number", Node::number | Node::integer};
inline const Form integer{"an integer", Node::integer};
inline const Form string{"a string", Node::string};
inline const Form constant{"a number or a constant expression",
                           Node::number | Node::integer | Node::string};
inline const Form interval{"an array of two numbers or constant expressions", Node::array,
                           Node::number | Node::integer | Node::string, 0, 2};
inline const Form integers{"an array of integers", Node::array, Node::integer};
inline const Form strings{"an array of strings", Node::array, Node::string};
inline const Form numbers{"a number or an array of numbers",
                          Node::number | Node::integer | Node::array, Node::number | Node::integer};
inline const Form texts{"a string or an array of strings", Node::string | Node::array,
                        Node::string};
inline const Form residual{"a string, an array of strings or a table of strings",
                           Node::string | Node::array | Node::table, Node::string, Node::string};
inline const Form string_table{"a table of strings", Node::table, 0, Node::string};
inline const Form number_table{"a table of numbers", Node::table, 0, Node::number | Node::integer};
inline const Form integer_table{"a table of integers", Node::table, 0, Node::integer};
inline const Form duration{"a number of seconds or a text such as \"2h30m\"",
                           Node::number | Node::integer | Node::string};
}  // namespace form

// How each type of a member is written in TOML, read from it and printed.

template <class T> const Form& form_of() {
  if constexpr (std::is_same_v<T, double>)
    return form::number;
  else if constexpr (std::is_integral_v<T>)
    return form::integer;
  else if constexpr (std::is_same_v<T, std::string>)
    return form::string;
  else if constexpr (std::is_same_v<T, std::vector<int>>)
    return form::integers;
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return form::numbers;
  else
    return form::texts;
}

template <class T> void assign(T& to, const Node& from) {
  if constexpr (std::is_same_v<T, std::string>)
    to = from.text;
  else if constexpr (std::is_same_v<T, double>)
    to = from.real;
  else
    to = T(from.whole);
}
template <class T> void assign(std::vector<T>& to, const Node& from) {
  to.assign(from.kind == Node::array ? from.items.size() : 1, T());
  if (from.kind != Node::array) return assign(to[0], from);
  for (std::size_t i = 0; i < to.size(); ++i) assign(to[i], from.items[i]);
}

/// As TOML; empty for an empty text or list, which stands for a key that is absent.
template <class T> std::string shown(const T& value) {
  if constexpr (std::is_integral_v<T>)
    return std::to_string(value);
  else if constexpr (std::is_same_v<T, std::string>)
    return value.empty() ? "" : to_toml(std::string_view(value));
  else
    return to_toml(value);
}
template <class T> std::string shown(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ", ") + shown(value);
  return text.empty() ? "" : "[" + text + "]";
}

/// Completes a row for a plain member of an option struct; `owner(draft, index)` is the struct.
template <class Struct, class T>
Key bound(Key key, Struct& (*owner)(Draft&, std::size_t), T Struct::*member) {
  key.form = form_of<T>();
  if constexpr (std::is_same_v<T, int>)
    key.range.upper = std::min(key.range.upper, double(std::numeric_limits<int>::max()));
  key.set = [=](Draft& d, std::size_t i, const Node& value) { assign(owner(d, i).*member, value); };
  key.get = [=](const Draft& d, std::size_t i) {
    return shown(owner(const_cast<Draft&>(d), i).*member);
  };
  return key;
}

// Keys of the table whose values need more than a member of an option struct.

/// Reads cpu, cuda, cuda:N or auto.
void set_device(Draft& draft, std::size_t, const Node& value);

/// Reads seconds, or "2h30m", "90s", "1d12h".
void set_max_time(Draft& draft, std::size_t, const Node& value);

/// Points per coordinate as TOML, `{ x = 101, t = 101 }`; empty when points come from a file.
std::string grid_text(const Draft& draft, std::size_t);

/// [sampling] count; empty when it says none, as the default depends on the region.
std::string sampling_count_text(const Draft& draft, std::size_t);

/// The weight of a requirement: one number, or one per residual where they differ.
std::string weight_text(const Draft& draft, std::size_t requirement);
/// The order of a periodic condition, the noise of data; empty for others.
std::string order_text(const Draft& draft, std::size_t requirement);
std::string sigma_text(const Draft& draft, std::size_t requirement);

/// The gauge of the reference as TOML where it is one word; empty for a table.
std::string gauge_text(const Draft& draft, std::size_t);

/// The fields of the output as TOML.
std::string output_fields_text(const Draft& draft, std::size_t);

}  // namespace pinn::config
