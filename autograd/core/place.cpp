#include "autograd/core/place.h"

namespace pinn {
namespace {

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string to_string(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) text += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  return text;
}

std::string excerpt(const Place& place, int width) {
  if (place.line_text.empty() || place.column < 1) return {};
  const std::string indent(9, ' ');
  std::string under;
  int column = 1;
  for (const char c : place.line_text) {
    if (column >= place.column) break;
    if (continues_code_point(c)) continue;
    under += c == '\t' ? '\t' : ' ';
    ++column;
  }
  return indent + place.line_text + "\n" + indent + under + std::string(width < 1 ? 1 : width, '^');
}

Place place_at(const Text& text, std::size_t offset) {
  Place place = text.place;
  if (!text.verbatim) return place;
  for (std::size_t i = 0; i < offset && i < text.value.size(); ++i)
    if (!continues_code_point(text.value[i])) ++place.column;
  return place;
}

}  // namespace pinn
