#pragma once
#include <string_view>
#include <vector>

#include "solvers/problem/mistakes.h"

namespace pinn {

/// A word of a formula: a number, a name, or a sign: + - * / ^ ( ) , = < <= > >=  (`**` reads as
/// ^).
struct Token {
  enum class Kind { number, name, sign, end };
  Kind kind = Kind::end;
  std::string_view text;  ///< as written, but ^ for **; a view into the text read
  Span span;
  double number = 0;
};

/// The words of a text, with one of kind `end` after the last.
///
///   errors   ConfigError for a text over max_text, characters that are not ASCII (with the code
///   point and what
///            to write instead), signs of other languages, numbers out of range
std::vector<Token> tokens(const Text& text);

/// "U+2212 MINUS SIGN" and "-" for a character that looks like one of the language or is often
/// meant for one.
struct LookAlike {
  std::string name;   ///< with the code point; its Unicode name where it is known
  std::string write;  ///< empty when there is nothing to write instead
};
LookAlike look_alike(char32_t code_point);

}  // namespace pinn
