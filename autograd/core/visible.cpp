#include "autograd/core/visible.h"

#include <fmt/format.h>

namespace pinn {
namespace {

/// The bytes of the character that `text` begins with, if it is one that is not to be printed; else
/// 0.
std::size_t hidden(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return byte(0) == '\n' || byte(0) == '\t' ? 0 : 1;
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;  // U+0080 to U+009F
  const unsigned last = byte(2);
  const bool marks = byte(1) == 0x80 && (last == 0x8e || last == 0x8f),  // U+200E, U+200F
      embeddings = byte(1) == 0x80 && last >= 0xaa && last <= 0xae,      // U+202A to 202E
      isolates = byte(1) == 0x81 && last >= 0xa6 && last <= 0xa9;        // U+2066 to 2069
  return byte(0) == 0xe2 && (marks || embeddings || isolates) ? 3 : 0;
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = hidden(text);
    for (std::size_t i = 0; i < bytes; ++i)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
    if (bytes == 0) shown += text[0];
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return shown;
}

}  // namespace pinn
