#include "solvers/records/logs/json_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace pinn {
namespace {

/// End of a text that begins at `at` with a quote: behind its last one, or npos.
std::size_t text_end(std::string_view json, std::size_t at) {
  for (std::size_t i = at + 1; i < json.size(); ++i) {
    if (json[i] == '\\')
      ++i;
    else if (json[i] == '"')
      return i + 1;
  }
  return json.npos;
}

/// End of a value that begins at `at`: at a comma or bracket that is not its own, or npos.
std::size_t value_end(std::string_view json, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < json.size();) {
    const char c = json[i];
    if (c == '"') {
      i = text_end(json, i);
      if (i == json.npos) return i;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return i;
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    ++i;
  }
  return json.npos;
}

/// A character by its number, as UTF-8.
void add_character(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += char(code);
  } else if (code < 0x800) {
    text += char(0xC0 | code >> 6);
    text += char(0x80 | (code & 0x3F));
  } else {
    text += char(0xE0 | code >> 12);
    text += char(0x80 | (code >> 6 & 0x3F));
    text += char(0x80 | (code & 0x3F));
  }
}

}  // namespace

void each_json_entry(
    std::string_view object,
    const std::function<bool(std::string_view name, std::string_view value)>& take) {
  if (!object.starts_with('{')) return;
  for (std::size_t at = 1; at < object.size() && object[at] == '"';) {
    const std::size_t name_end = text_end(object, at);
    if (name_end == object.npos || name_end >= object.size() || object[name_end] != ':') return;
    const std::size_t end = value_end(object, name_end + 1);
    if (end == object.npos) return;
    if (!take(object.substr(at + 1, name_end - at - 2),
              object.substr(name_end + 1, end - name_end - 1)))
      return;
    if (object[end] != ',') return;
    at = end + 1;
  }
}

void each_json_value(std::string_view list, const std::function<bool(std::string_view)>& take) {
  if (!list.starts_with('[')) return;
  for (std::size_t at = 1, end; at < list.size(); at = end + 1) {
    end = value_end(list, at);
    if (end == list.npos || end == at || !take(list.substr(at, end - at)) || list[end] != ',')
      return;
  }
}

std::string_view json_entry(std::string_view object, std::string_view name) {
  std::string_view found;
  each_json_entry(object, [&](std::string_view at, std::string_view value) {
    const bool same = at == name || (at.find('\\') != at.npos && json_text(at) == name);
    if (same) found = value;
    return !same;
  });
  return found;
}

std::string json_text(std::string_view value) {
  if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"'))
    value = value.substr(1, value.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\' || i + 1 == value.size()) {
      text += value[i];
      continue;
    }
    const char c = value[++i];
    unsigned code = 0;
    const char* digits = value.data() + i + 1;
    if (c == 'u' && i + 4 < value.size() &&
        std::from_chars(digits, digits + 4, code, 16).ptr == digits + 4) {
      add_character(text, code);
      i += 4;
    } else {
      text += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
  }
  return text;
}

double json_number(std::string_view value) {
  double number = std::nan("");
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

}  // namespace pinn
