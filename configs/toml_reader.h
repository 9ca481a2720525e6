#pragma once
#include <cstddef>
#include <string_view>

#include "configs/node.h"

namespace pinn::config {

struct Findings;

/// TOML text as a tree; the source must hold the same text. A text that is not TOML is one
/// mistake (the parser stops at the first) and an empty table.
Node parse_toml(const std::shared_ptr<const Source>& source, std::string_view text,
                Findings& findings);

/// Bytes of a problem file.
inline constexpr std::size_t most_problem_bytes = 1 << 20;
/// Levels of tables and arrays in a file, and of tables in the key of an override.
inline constexpr int most_depth = 64;

/// Guard between any bytes and the TOML library, which aborts, overflows its stack or has undefined
/// behavior on some of them (toml++ issues 294, 301, 305): the text is at most 1 MiB of valid UTF-8
/// without control characters, has nothing but ASCII outside strings and comments, no `[` that
/// starts a line without a key after it, nothing deeper than 64 tables and arrays in all, by
/// headers, dots and brackets together, and at most 65 536 bytes a line. Adds at most one mistake;
/// true when there is none.
bool guard(const std::shared_ptr<const Source>& source, std::string_view text, Findings& findings);

/// Bytes of the UTF-8 sequence at the start of a text that is not empty; 0 when it is none
/// (overlong forms, surrogates and numbers above 10FFFF are none).
inline std::size_t code_point_bytes(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t n = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                   (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return bad ? 0 : n;
}

}  // namespace pinn::config
