#pragma once
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "configs/draft.h"

namespace pinn::config {

/// Syntax of a key's value: kinds of the value itself, of the items of an array, of the values of a
/// table.
struct Syntax {
  std::string text;  ///< as in "must be ..."
  unsigned kinds = 0, items = 0, values = 0;
  std::size_t count = 0;      ///< items an array must have; 0: any number but none
  bool may_be_empty = false;  ///< or none: the array says that there is nothing
};

/// Range of a number, both ends included unless they are open.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool open = false;         ///< lower itself is not allowed
  bool open_above = false;   ///< upper itself is not allowed
  bool of_integers = false;  ///< and of no other numbers
  /// True if upper is a bound to tell a user, and not what the type of a number can hold.
  bool bounded() const { return upper < std::numeric_limits<int>::max(); }
  bool contains(double x) const {
    return (open ? x > lower : x >= lower) && (open_above ? x < upper : x <= upper);
  }
};

/// "above 0", "at least 0", "1 to 6", "0 to below 1"; empty for all numbers.
std::string to_string(const Range& range);

/// One key of the format. The checks, `--keys`, the manual, `--set` and the effective values all
/// read the one table of these.
struct Key {
  std::string path;  ///< "stage.#.rate": # is a number from 1, * any name
  std::string says;  ///< for the manual
  Syntax syntax = {};
  bool required = false;
  std::string fallback = {};  ///< the default in words, where it is no one value
  Range range = {};
  std::vector<std::string> choices = {};  ///< of a string; empty: any
  std::string chooser = {};            ///< the key beside it that decides whether this one applies
  std::vector<std::string> only = {};  ///< to these of its values; empty: to all
  std::string not_yet = {};            ///< a name for what is legal but not built yet
  /// Runs of programs without it must go on: at its default it is not among the values in force.
  bool came_later = false;

  /// Puts the checked value where it belongs; `index` counts stages or requirements. Empty where
  /// the value needs the rest of the file to be understood.
  std::function<void(Draft&, std::size_t index, const Node&)> set = {};
  /// The value in force, as TOML. Empty: the value in the file.
  std::function<std::string(const Draft&, std::size_t index)> get = {};

  std::string section() const;  ///< "stage.#"
  std::string name() const;     ///< "rate"
};

/// A table of the file.
struct Section {
  std::string path;    ///< "stage.#"
  std::string header;  ///< "[[stage]]"
  std::string says;
};

const std::vector<Section>& sections();
const std::vector<Key>& keys();

/// The key with exactly this path, or null.
const Key* find_key(const std::string& path);
/// True if there are keys below this path.
bool has_keys_below(const std::string& path);
/// The next components below a path: "stage.#" -> name, optimizer, ..., schedule; without what is
/// not built yet.
std::vector<std::string> names_below(const std::string& path);

/// The default as TOML or in words; empty when there is none.
std::string fallback_text(const Key& key);
/// "number, > 0"; "adam, lbfgs or sgd".
std::string allowed_text(const Key& key);

/// The table for `pinn-train --keys`.
std::string keys_as_text();
/// The table as JSON Schema 2020-12, for `pinn-train --schema`: names, types, ranges, choices and
/// what is required. What depends on other values - an optimizer's own options, formulas, files -
/// the program alone can tell.
std::string keys_as_schema();
/// Texts that `--set` may begin with, a line each: `stage.1.steps=`, and `stage.1.optimizer=adam`
/// of every choice. Tables that are numbered or have names are those of `file`, a text in TOML;
/// without one a first stage, equation, condition and data.
std::string settable_as_text(const std::string* file);
/// The table for docs/problem_file.md.
std::string keys_as_markdown();

}  // namespace pinn::config
