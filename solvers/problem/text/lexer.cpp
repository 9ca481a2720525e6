#include "solvers/problem/words.h"

#include <fmt/format.h>

#include <charconv>

#include "solvers/problem/expression.h"

namespace pinn {
namespace {

class Lexer {
 public:
  Lexer(const Text& text, bool dotted)
      : text_(text), s_(text.value), dotted_(dotted), mistakes_(text) {}

  std::vector<Token> run() {
    if (s_.size() > max_text)
      mistakes_.fail(
          {0, 1}, fmt::format("a formula of {} bytes", s_.size()),
          fmt::format("write at most {} bytes; name parts in [problem.define]", max_text));
    while (at_ < s_.size()) word();
    tokens_.push_back({Token::Kind::end, {}, {s_.size(), s_.size()}});
    mistakes_.raise();
    return std::move(tokens_);
  }

 private:
  char ahead(std::size_t n = 1) const { return at_ + n < s_.size() ? s_[at_ + n] : '\0'; }

  void word() {
    const char c = s_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
      ++at_;
    else if (is_digit(c) || (c == '.' && is_digit(ahead())))
      number();
    else if (is_letter(c))
      name();
    else if (static_cast<unsigned char>(c) >= 0x80)
      foreign();
    else
      sign();
  }

  void push(Token::Kind kind, std::size_t length, std::string_view text, double number = 0) {
    tokens_.push_back({kind, text, {at_, at_ + length}, number});
    at_ += length;
  }

  /// With its indices, if it has any: c[i + 1]_t is one word.
  void name() {
    std::size_t end = at_;
    bool suffixed = false;
    while (end < s_.size()) {
      const char c = s_[end];
      suffixed = suffixed || c == '_';
      if (c == '[')
        end = closing(end);
      else if (s_[end - (end > at_)] == ']' ? c == '_' || (suffixed && is_letter(c))
                                            : is_of_name(c))
        ++end;
      else
        break;
    }
    push(Token::Kind::name, end - at_, s_.substr(at_, end - at_));
  }

  bool is_of_name(char c) const {
    return is_letter(c) || is_digit(c) || c == '_' || (dotted_ && c == '.');
  }

  /// After the bracket that closes the one at a byte.
  std::size_t closing(std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < s_.size(); ++i) {
      depth += (s_[i] == '[') - (s_[i] == ']');
      if (depth == 0) return i + 1;
    }
    mistakes_.fail({open, open + 1}, "this '[' is never closed", "add ']'");
  }

  void number() {
    double value = 0;
    const char* first = s_.data() + at_;
    const auto [last, error] = std::from_chars(first, s_.data() + s_.size(), value);
    const std::size_t length = std::size_t(last - first);
    if (error != std::errc())
      mistakes_.add({at_, at_ + length},
                    fmt::format("the number {} is out of the range of float64",
                                quoted(s_.substr(at_, length))),
                    "write a magnitude between 5e-324 and 1.7e308, or 0");
    push(Token::Kind::number, length, s_.substr(at_, length), value);
  }

  void sign() {
    constexpr std::string_view plain = "+-*/^(),=<>";
    const std::string_view two = s_.substr(at_, 2);
    if (two == "**") return push(Token::Kind::sign, 2, "^");
    if (two == "<=" || two == ">=") return push(Token::Kind::sign, 2, two);
    if (two == "==")
      return refuse(2, "there is no '=='",
                    "write lhs = rhs once in a residual, or compare with <, <=, >, >=");
    if (two == "!=") return refuse(2, "there is no '!='", "compare with <, <=, > or >=");
    if (two == "&&" || two == "||")
      return refuse(2, fmt::format("there is no '{}'", two),
                    "multiply comparisons for 'and': (x > 0)*(x < 1)");
    if (plain.find(s_[at_]) != std::string_view::npos)
      return push(Token::Kind::sign, 1, s_.substr(at_, 1));
    stray();
  }

  /// An ASCII character the language has no use for.
  void stray() {
    const char c = s_[at_];
    if (c == '\0') return refuse(1, "a NUL byte in a formula", "remove it");
    if (static_cast<unsigned char>(c) < 32 || c == 127)
      return refuse(1, fmt::format("the control character U+{:04X} in a formula", unsigned(c)),
                    "remove it");
    if (c == '_')
      return refuse(1, "a name starts with '_'", "start names with a letter; numbers have no '_'");
    if (c == '[')
      return refuse(1, "'[' has no meaning here",
                    "write (, or an index right after its name: c[1]");
    if (c == '{') return refuse(1, "'{' has no meaning here", "write (");
    if (c == ']' || c == '}')
      return refuse(1, fmt::format("'{}' has no meaning here", c), "write )");
    if (c == '\'')
      return refuse(1, "a prime has no meaning here", "write a derivative as u_x or d(u, x)");
    if (c == '.')
      return refuse(1, "'.' has no meaning here",
                    "functions stand by themselves, sin(x) and not np.sin(x), and a derivative is "
                    "u_x or d(u, x)");
    if (c == ';')
      return refuse(1, "';' has no meaning here",
                    "give each residual a string of its own in an array");
    refuse(1, fmt::format("'{}' has no meaning here", c),
           "use + - * / ^ ( ) , = < <= > >=, numbers and names");
  }

  void refuse(std::size_t length, std::string what, std::string fix) {
    mistakes_.add({at_, at_ + length}, std::move(what), std::move(fix));
    at_ += length;
  }

  /// A character beyond ASCII: named by its code point.
  void foreign() {
    const unsigned char lead = static_cast<unsigned char>(s_[at_]);
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
    char32_t code = length == 4 ? lead & 7u : length == 3 ? lead & 15u : lead & 31u;
    bool valid = length > 1 && lead < 0xF5;
    for (std::size_t i = 1; i < length; ++i) {
      const unsigned char c = static_cast<unsigned char>(ahead(i));
      valid = valid && (c & 0xC0) == 0x80;
      code = code << 6 | (c & 63u);
    }
    if (!valid)
      return refuse(1, fmt::format("the byte 0x{:02X} is not UTF-8", lead), "write ASCII");
    const LookAlike found = look_alike(code);
    refuse(length, fmt::format("{} in a formula", found.name),
           found.write.empty() ? "write ASCII letters, digits and signs" : "write " + found.write);
  }

  const Text& text_;
  std::string_view s_;
  const bool dotted_;
  Mistakes mistakes_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens(const Text& text, bool dotted) { return Lexer(text, dotted).run(); }

}  // namespace pinn
