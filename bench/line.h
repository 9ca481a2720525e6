#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pinn::bench {

/// A value as JSON; what is not finite is null.
template <class V> std::string json(const V& value) {
  if constexpr (std::is_same_v<V, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<V>) {
    return std::isfinite(value) ? fmt::format("{}", value) : "null";
  } else if constexpr (std::is_arithmetic_v<V>) {
    return fmt::format("{}", value);
  } else {
    std::string text = "\"";
    for (const char c : std::string_view(value))
      if (c == '"' || c == '\\')
        text += {'\\', c};
      else
        text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return text + '"';
  }
}
template <class V> std::string json(const std::vector<V>& values) {
  std::string text;
  for (const V& v : values) text += (text.empty() ? "" : ", ") + json(v);
  return "[" + text + "]";
}

/// One JSON object on one line, its keys in the order in which they were added.
class Line {
 public:
  template <class V> Line& add(std::string_view key, const V& value) {
    text_ += (text_.empty() ? "" : ", ") + json(key) + ": " + json(value);
    return *this;
  }
  Line& add(const Line& more) {
    if (!more.text_.empty()) text_ += (text_.empty() ? "" : ", ") + more.text_;
    return *this;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace pinn::bench
