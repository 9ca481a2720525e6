#include "configs/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pinn::config {
namespace {

constexpr std::size_t longest_shown = 2000;  // bytes; beyond, a caret under a line is no help

bool ascii(const std::string& line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return (c & 0x80) == 0; });
}

/// The byte at which code point `column` (from 1) of the line begins.
std::size_t byte_of(const std::string& line, int column) {
  if (ascii(line)) return std::min(line.size(), std::size_t(column - 1));
  std::size_t i = 0;
  for (int c = 1; i < line.size() && c < column; ++c) do
      ++i;
    while (i < line.size() && (line[i] & 0xC0) == 0x80);
  return i;
}

const std::string* line_of(const Source& source, int line) {
  const int i = line - source.first_line;
  return i >= 0 && i < int(source.lines.size()) ? &source.lines[std::size_t(i)] : nullptr;
}

/// The rest of the line that a string begins on; empty for a line too long to show.
std::string_view rest_of_line(const Node& node) {
  const std::string* line = node.source ? line_of(*node.source, node.line) : nullptr;
  if (!line || line->size() > longest_shown) return {};
  return std::string_view(*line).substr(byte_of(*line, node.column));
}

bool quote(char c) { return c == '"' || c == '\''; }

/// True if a string stands in its line character by character, between quotes.
bool stands_in_quotes(const Node& node) {
  const std::string_view rest = rest_of_line(node);
  const std::size_t n = node.text.size();
  return rest.size() >= n + 2 && quote(rest[0]) && rest[n + 1] == rest[0] &&
         rest.substr(1, n) == node.text;
}

/// The same without them: a word of the command line.
bool stands_bare(const Node& node) {
  const std::string_view rest = rest_of_line(node);
  return !rest.empty() && !quote(rest[0]) && rest.starts_with(node.text);
}

bool bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

}  // namespace

std::shared_ptr<const Source> make_source(std::string name, std::string_view text, int first_line,
                                          int rank) {
  auto source = std::make_shared<Source>();
  source->name = std::move(name);
  source->first_line = first_line;
  source->rank = rank;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    source->lines.emplace_back(line);
    begin = end + 1;
  }
  return source;
}

const Node* Node::find(std::string_view key) const {
  for (const Entry& e : entries)
    if (e.key == key) return &e.value;
  return nullptr;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(static_cast<const Node*>(this)->find(key));
}

const Node* Node::at(std::string_view path) const {
  const std::size_t dot = std::min(path.find('.'), path.size());
  const Node* node = find(path.substr(0, dot));
  if (!node || !node->sound || dot == path.size()) return node && node->sound ? node : nullptr;
  return node->at(path.substr(dot + 1));
}

std::string described(Node::Kind kind) {
  switch (kind) {
    case Node::boolean:
      return "a boolean";
    case Node::integer:
      return "an integer";
    case Node::number:
      return "a number";
    case Node::string:
      return "a string";
    case Node::date:
      return "a date or time";
    case Node::array:
      return "an array";
    case Node::table:
      return "a table";
  }
  return {};
}

Place place(const Source& source, int line, int column) {
  const std::string* text = line_of(source, line);
  const bool shown = text && text->size() <= longest_shown;
  return {source.name, line, column, shown ? *text : ""};
}

Place place(const Node& node) {
  if (!node.source) return {};
  return place(*node.source, node.line, node.column);
}

Text text(const Node& node) {
  const bool in_quotes = stands_in_quotes(node);
  Text result{node.text, place(node), in_quotes || stands_bare(node)};
  if (in_quotes) ++result.place.column;
  return result;
}

Text key_text(const Entry& e) {
  return {e.key, e.value.source ? place(*e.value.source, e.line, e.column) : Place{}, true};
}

std::string to_toml(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string to_toml(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      quoted += fmt::format("\\u{:04X}", int(c));
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string key_to_toml(std::string_view key) {
  return bare(key) ? std::string(key) : to_toml(key);
}

std::string to_toml(const Node& node) {
  std::string text;
  switch (node.kind) {
    case Node::boolean:
      return node.truth ? "true" : "false";
    case Node::integer:
      return std::to_string(node.whole);
    case Node::number:
      return to_toml(node.real);
    case Node::string:
    case Node::date:
      return to_toml(std::string_view(node.text));
    case Node::array:
      for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + to_toml(item);
      return "[" + text + "]";
    case Node::table:
      for (const Entry& e : node.entries)
        text += (text.empty() ? "" : ", ") + key_to_toml(e.key) + " = " + to_toml(e.value);
      return text.empty() ? "{}" : "{ " + text + " }";
  }
  return {};
}

}  // namespace pinn::config
