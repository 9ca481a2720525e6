#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "autograd/core/error.h"

namespace pinn {

/// Things that may be wrong but do not stop a run; printed by --check.
using Warnings = std::vector<Report>;

/// As an error, but for its first word.
std::string warning_text(const Report& report);

/// Bytes [begin, end) of a text.
struct Span {
  std::size_t begin = 0, end = 0;
};

/// A report about a piece of a text: its place, and its line with a caret under the whole piece. A
/// very long line is cut to the part around the caret.
Report report(const Text& text, Span span, std::string what, std::string fix);
/// About all of the text.
Report report(const Text& text, std::string what, std::string fix);

/// Gathers what is wrong with one text, so that a user sees it all at once.
class Mistakes {
 public:
  explicit Mistakes(const Text& text) : text_(text) {}
  /// Notes a mistake; the twentieth is thrown, with all before it.
  void add(Span span, std::string what, std::string fix);
  /// Notes a mistake after which the rest cannot be read, and throws all.
  [[noreturn]] void fail(Span span, std::string what, std::string fix);
  std::size_t count() const { return reports_.size(); }
  /// Throws ConfigError when there is any.
  void raise() const;

 private:
  const Text& text_;
  std::vector<Report> reports_;
};

/// The name in quotes; a very long one is cut.
std::string quoted(std::string_view name);

/// The known name nearest to this one, or empty when none is near: at most a third of its letters
/// differ, or capitals only.
/// Distance: Levenshtein's, with a swap of two neighbors as one step (Damerau; optimal string
/// alignment).
std::string nearest(std::string_view name, const std::vector<std::string>& known);

/// "a, b, c": all of them, for the one that is looked for may be the last.
std::string listed(const std::vector<std::string>& names);

}  // namespace pinn
