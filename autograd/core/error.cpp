#include "autograd/core/error.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace pinn {
namespace {

std::string joined(const std::vector<Report>& reports) {
  std::string text;
  for (const Report& r : reports) text += (text.empty() ? "" : "\n") + to_string(r);
  return text;
}

}  // namespace

std::string to_string(const Report& r) {
  std::string text = "error: " + r.what;
  if (!r.where.empty()) text += "\n  where: " + r.where;
  if (!r.excerpt.empty()) text += "\n" + r.excerpt;
  if (!r.fix.empty()) text += "\n  fix:   " + r.fix;
  return visible(text);  // names of files and keys may come from anywhere
}

ConfigError::ConfigError(std::vector<Report> all)
    : Error(all.at(0), joined(all)), reports(std::move(all)) {}

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

namespace {

WarningSink*& innermost() {
  static thread_local WarningSink* sink = nullptr;
  return sink;
}

}  // namespace

WarningSink::WarningSink(std::function<void(const std::string&)> take)
    : take_(std::move(take)), outer_(std::exchange(innermost(), this)) {}

WarningSink::~WarningSink() { innermost() = outer_; }

void warn(const std::string& text) {
  if (WarningSink* sink = innermost()) {
    if (sink->told_.insert(text).second) sink->take_(text);
    return;
  }
  static thread_local std::set<std::string> told;
  if (told.insert(text).second) std::fprintf(stderr, "warning: %s\n", text.c_str());
}

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
