#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "solvers/problem/words.h"

namespace pinn {
namespace {

struct Entry {
  char32_t code;
  std::string_view name, write;
};

/// Characters that word processors, papers and other alphabets bring into formulas.
/// Names: Unicode Character Database 15.0.
constexpr std::array table = {
    Entry{0x00A0, "NO-BREAK SPACE", "a plain space"},
    Entry{0x00AD, "SOFT HYPHEN", "-"},
    Entry{0x00B2, "SUPERSCRIPT TWO", "^2"},
    Entry{0x00B3, "SUPERSCRIPT THREE", "^3"},
    Entry{0x00B5, "MICRO SIGN", "mu"},
    Entry{0x00B7, "MIDDLE DOT", "*"},
    Entry{0x00D7, "MULTIPLICATION SIGN", "*"},
    Entry{0x00F7, "DIVISION SIGN", "/"},
    Entry{0x03D5, "GREEK PHI SYMBOL", "phi"},
    Entry{0x0410, "CYRILLIC CAPITAL LETTER A", "A"},
    Entry{0x0412, "CYRILLIC CAPITAL LETTER VE", "B"},
    Entry{0x0421, "CYRILLIC CAPITAL LETTER ES", "C"},
    Entry{0x0422, "CYRILLIC CAPITAL LETTER TE", "T"},
    Entry{0x0430, "CYRILLIC SMALL LETTER A", "a"},
    Entry{0x0435, "CYRILLIC SMALL LETTER IE", "e"},
    Entry{0x043E, "CYRILLIC SMALL LETTER O", "o"},
    Entry{0x0440, "CYRILLIC SMALL LETTER ER", "p"},
    Entry{0x0441, "CYRILLIC SMALL LETTER ES", "c"},
    Entry{0x0443, "CYRILLIC SMALL LETTER U", "y"},
    Entry{0x0445, "CYRILLIC SMALL LETTER HA", "x"},
    Entry{0x0456, "CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I", "i"},
    Entry{0x0458, "CYRILLIC SMALL LETTER JE", "j"},
    Entry{0x2002, "EN SPACE", "a plain space"},
    Entry{0x2003, "EM SPACE", "a plain space"},
    Entry{0x2009, "THIN SPACE", "a plain space"},
    Entry{0x200B, "ZERO WIDTH SPACE", "nothing in its place"},
    Entry{0x200C, "ZERO WIDTH NON-JOINER", "nothing in its place"},
    Entry{0x200D, "ZERO WIDTH JOINER", "nothing in its place"},
    Entry{0x2010, "HYPHEN", "-"},
    Entry{0x2011, "NON-BREAKING HYPHEN", "-"},
    Entry{0x2012, "FIGURE DASH", "-"},
    Entry{0x2013, "EN DASH", "-"},
    Entry{0x2014, "EM DASH", "-"},
    Entry{0x202A, "LEFT-TO-RIGHT EMBEDDING", "nothing in its place"},
    Entry{0x202E, "RIGHT-TO-LEFT OVERRIDE", "nothing in its place"},
    Entry{0x202F, "NARROW NO-BREAK SPACE", "a plain space"},
    Entry{0x2032, "PRIME", "a derivative as u_x or d(u, x)"},
    Entry{0x2044, "FRACTION SLASH", "/"},
    Entry{0x2202, "PARTIAL DIFFERENTIAL", "a derivative as u_x or d(u, x)"},
    Entry{0x2206, "INCREMENT", "laplacian(u)"},
    Entry{0x2207, "NABLA", "grad(u), div(...) or laplacian(u)"},
    Entry{0x2212, "MINUS SIGN", "-"},
    Entry{0x2215, "DIVISION SLASH", "/"},
    Entry{0x2217, "ASTERISK OPERATOR", "*"},
    Entry{0x2219, "BULLET OPERATOR", "*"},
    Entry{0x221A, "SQUARE ROOT", "sqrt(...)"},
    Entry{0x2225, "PARALLEL TO", ""},
    Entry{0x2260, "NOT EQUAL TO", ""},
    Entry{0x2264, "LESS-THAN OR EQUAL TO", "<="},
    Entry{0x2265, "GREATER-THAN OR EQUAL TO", ">="},
    Entry{0x22C5, "DOT OPERATOR", "*"},
    Entry{0xFEFF, "ZERO WIDTH NO-BREAK SPACE", "nothing in its place"},
};

constexpr std::array<std::string_view, 25> greek = {
    "alpha", "beta",  "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
    "kappa", "lamda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "final sigma",
    "sigma", "tau",   "upsilon", "phi",   "chi",     "psi",     "omega"};

std::string capitals(std::string_view s) {
  std::string upper(s);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  return upper;
}

LookAlike greek_letter(char32_t code) {
  const bool small = code >= 0x03B1;
  const std::string_view name = greek[code - (small ? 0x03B1 : 0x0391)];
  std::string write(name == "lamda" ? "lambda" : name == "final sigma" ? "sigma" : name);
  if (!small) write[0] = char(write[0] - 'a' + 'A');
  return {fmt::format("U+{:04X} GREEK {} LETTER {}", unsigned(code), small ? "SMALL" : "CAPITAL",
                      capitals(name)),
          std::move(write)};
}

}  // namespace

LookAlike look_alike(char32_t code) {
  const auto entry =
      std::find_if(table.begin(), table.end(), [&](const Entry& e) { return e.code == code; });
  if (entry != table.end())
    return {fmt::format("U+{:04X} {}", unsigned(code), entry->name), std::string(entry->write)};
  const bool small = code >= 0x03B1 && code <= 0x03C9;
  const bool capital = code >= 0x0391 && code <= 0x03A9 && code != 0x03A2;
  if (small || capital) return greek_letter(code);
  if (code >= 0xFF01 && code <= 0xFF5E) {  // fullwidth forms of ASCII
    const char ascii = char(code - 0xFF01 + '!');
    return {fmt::format("U+{:04X}, the fullwidth form of '{}',", unsigned(code), ascii),
            std::string(1, ascii)};
  }
  return {fmt::format("U+{:04X}", unsigned(code)), {}};
}

}  // namespace pinn
