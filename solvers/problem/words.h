#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "solvers/problem/mistakes.h"

namespace pinn {

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

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
///            point and what to write instead), signs of other languages, numbers out of range
///   dotted   names may hold dots: part.inlet
std::vector<Token> tokens(const Text& text, bool dotted = false);

/// "U+2212 MINUS SIGN" and "-" for a character that looks like one of the language or is often
/// meant for one.
struct LookAlike {
  std::string name;   ///< with the code point; its Unicode name where it is known
  std::string write;  ///< empty when there is nothing to write instead
};
LookAlike look_alike(char32_t code_point);

/// A function a formula may call.
struct Function {
  std::string_view name;
  int least = 1, most = 1;      ///< number of arguments
  std::string_view usage = {};  ///< how to call it, where that is not plain
  std::string_view says = {};   ///< what it gives; of ops
};

/// "atan2(a, b)"
std::string usage(const Function& function);

/// The function of that name, or null. The pointwise ones are the list of autograd/ops; d,
/// laplacian, grad, div and dot are the language's own.
const Function* find_function(std::string_view name);

/// Names of all functions, for suggestions and the manual.
std::vector<std::string> function_names();
/// Ops that have a name, as rows of a table in Markdown: how to call each, and what it gives.
std::string functions_as_markdown();

/// Words that act before parentheses, and elsewhere mean nothing: integral, mean, at.
bool is_promised(std::string_view name);

/// Words that no coordinate, field, constant, unknown, define or column may be called.
bool is_reserved(std::string_view name);

/// The comparison op of a sign ("<" is "less") and back; empty for anything else.
std::string_view comparison_op(std::string_view sign);
std::string_view comparison_sign(std::string_view op);

}  // namespace pinn
