#pragma once
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "configs/draft.h"
#include "configs/keys.h"

namespace pinn::config {

namespace syntax {
inline const Syntax boolean{"true or false", Node::boolean};
inline const Syntax number{"a number", Node::number | Node::integer};
inline const Syntax integer{"an integer", Node::integer};
inline const Syntax string{"a string", Node::string};
inline const Syntax constant{"a number or a constant expression",
                             Node::number | Node::integer | Node::string};
inline const Syntax array_or_constant{"a number, a constant expression or an array of these",
                                      Node::number | Node::integer | Node::string | Node::array,
                                      Node::number | Node::integer | Node::string | Node::array};
inline const Syntax interval{"an array of two numbers or constant expressions", Node::array,
                             Node::number | Node::integer | Node::string, 0, 2};
inline const Syntax constants{"an array of numbers or constant expressions", Node::array,
                              Node::number | Node::integer | Node::string};
inline const Syntax points{"an array of points, [[0, 0], [1, 0]]", Node::array, Node::array};
inline const Syntax corners{"an array of points, [[0, 0], [1, 0], [0, 1]], or a CSV or HDF5 file",
                            Node::array | Node::string, Node::array};
inline const Syntax integers{"an array of integers", Node::array, Node::integer};
inline const Syntax strings{"an array of strings", Node::array, Node::string};
inline const Syntax numbers{"a number or an array of numbers",
                            Node::number | Node::integer | Node::array,
                            Node::number | Node::integer};
inline const Syntax weights{"a number, a formula or an array of these",
                            Node::number | Node::integer | Node::string | Node::array,
                            Node::number | Node::integer | Node::string};
inline const Syntax texts{"a string or an array of strings", Node::string | Node::array,
                          Node::string};
inline const Syntax names_or_none{
    "a string or an array of strings", Node::string | Node::array, Node::string, 0, 0, true};
inline const Syntax residual{"a string, an array of strings or a table of strings",
                             Node::string | Node::array | Node::table, Node::string, Node::string};
inline const Syntax string_table{"a table of strings", Node::table, 0, Node::string};
inline const Syntax columns{"a table of names of columns, or of numbers", Node::table, 0,
                            Node::string | Node::number | Node::integer};
inline const Syntax number_or_column{"a number, or the name of a column",
                                     Node::number | Node::integer | Node::string};
inline const Syntax number_table{"a table of numbers", Node::table, 0,
                                 Node::number | Node::integer};
inline const Syntax grid{"a table of integers, or of places", Node::table, 0,
                         Node::integer | Node::number | Node::string};
inline const Syntax duration{"a number of seconds or a text such as \"2h30m\"",
                             Node::number | Node::integer | Node::string};
}  // namespace syntax

// How each type of a member is written in TOML, read from it and printed.

template <class T> const Syntax& syntax_of() {
  if constexpr (std::is_same_v<T, bool>)
    return syntax::boolean;
  else if constexpr (std::is_same_v<T, double>)
    return syntax::number;
  else if constexpr (std::is_integral_v<T>)
    return syntax::integer;
  else if constexpr (std::is_same_v<T, std::string>)
    return syntax::string;
  else if constexpr (std::is_same_v<T, std::vector<int>>)
    return syntax::integers;
  else if constexpr (std::is_same_v<T, std::vector<double>>)
    return syntax::numbers;
  else
    return syntax::texts;
}

template <class T> void assign(T& to, const Node& from) {
  if constexpr (std::is_same_v<T, std::string>)
    to = from.text;
  else if constexpr (std::is_same_v<T, bool>)
    to = from.truth;
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
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_integral_v<T>)
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
  key.syntax = syntax_of<T>();
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

// Helpers that rows of the table are written with.

inline Stage& stage(Draft& d, std::size_t i) { return d.run.stages.at(i); }
inline RunOptions& run(Draft& d, std::size_t) { return d.run.options; }

inline Range above(double x) { return {.lower = x, .open = true}; }
inline Range at_least(double x) { return {.lower = x}; }
inline Range between(double a, double b) { return {.lower = a, .upper = b}; }
inline Range share() { return {.lower = 0, .upper = 1, .open_above = true}; }

inline constexpr double most_points = 1e8;
inline constexpr double many = 1e12;  ///< more steps than any run takes, and exact in a double

/// A key of the format that is refused with "not yet".
inline Key later(std::string path, std::string says, std::string what) {
  return {.path = std::move(path), .says = std::move(says), .not_yet = std::move(what)};
}

/// A key that runs of older programs lack.
inline Key later_key(Key key) {
  key.came_later = true;
  return key;
}

inline const std::vector<std::string> precisions = {"float64", "float32"};

/// One list after the other.
inline std::vector<Key> joined(std::vector<std::vector<Key>> lists) {
  std::vector<Key> all;
  for (std::vector<Key>& list : lists)
    for (Key& key : list) all.push_back(std::move(key));
  return all;
}

/// The parts of the table that say what is asked of the fields, and where.
std::vector<Key> problem_keys();
/// Keys that equations, conditions and data have in common.
std::vector<Key> requirement_keys(const std::string& path, bool has_points);
std::vector<Key> condition_keys();
std::vector<Key> data_keys();
std::vector<Key> sampling_keys();
std::vector<Key> network_keys();
std::vector<Key> stage_keys();
std::vector<Key> run_keys();
std::vector<Key> window_keys();
/// Keys of what a stage adapts.
std::vector<Key> adaptive_keys();
/// Keys of what is kept in memory, what is written, and what it is compared with.
std::vector<Key> result_keys();

}  // namespace pinn::config
