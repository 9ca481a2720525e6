#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// Names that stand for whole numbers while one formula of many is read: i = 3.
struct Index {
  std::string name;
  long value = 0;
};
using Indices = std::vector<Index>;

/// The most members of a kind, and terms of a sum.
inline constexpr long most_of_a_kind = 10'000;

/// "c" of "c[1:20]" and of "c[3]"; a name without indices is its own.
std::string_view base_of(std::string_view name);
bool has_indices(std::string_view name);

/// One of the names that a declared one stands for, and the indices that it was given names of.
struct OfKind {
  std::string name;
  Indices indices;
};

/// The names that a declared one stands for, the last index first to change: c[1], c[2], ... of
/// "c[1:20]" or "c[i=1:20]"; itself where it has no indices. Bounds are whole numbers or formulas
/// of constants; of what is declared elsewhere, `there`, c[3] is itself, too.
///
///   errors   ConfigError: bounds that are none, nothing between them, more than most_of_a_kind
std::vector<OfKind> names_of_a_kind(const Text& declared, const Problem& problem,
                                    bool there = false);

/// From a to b of "a:b", with a name; checked as above.
std::vector<Index> values_of(const std::string& name, const Text& range, const Problem& problem);

/// The text for these values: names of indices become numbers, and c[i + 1] becomes c[4].
Text with_indices(const Text& text, const Indices& indices, const Problem& problem);

/// "[3,1]"
std::string in_brackets(const Indices& indices);

/// True if a text uses an index.
bool uses_index(std::string_view text, std::string_view name);

/// A word of a formula, c[i + 1]_t, with its indices reckoned: c[4]_t. What is wrong is noted, and
/// the text is empty.
std::string indexed_name(std::string_view word, const Indices& indices, const Problem& problem,
                         Mistakes& mistakes, Span span);

/// "c[1:20]": names that differ in their indices alone become one.
std::vector<std::string> as_kinds(const std::vector<std::string>& names);

}  // namespace pinn
