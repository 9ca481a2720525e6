#include "solvers/report/words.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"

namespace pinn::pages {
namespace {

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.7g}", value) : "null";
}

std::string quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : visible(text))
    if (c == '"' || c == '\\')
      all += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&')
      all += fmt::format("\\u{:04x}", int(static_cast<unsigned char>(c)));
    else
      all += c;
  return all + "\"";
}

template <class List, class Write> std::string listed(const List& list, Write write) {
  std::string text = "[";
  for (const auto& one : list) text += (text.size() == 1 ? "" : ",") + write(one);
  return text + "]";
}

}  // namespace

Json& Json::raw(std::string_view name, std::string_view value) {
  entries_ += fmt::format("{}{}:{}", entries_.empty() ? "" : ",", quoted(name), value);
  return *this;
}

Json& Json::add(std::string_view name, double value) { return raw(name, number(value)); }
Json& Json::add(std::string_view name, const std::string& value) {
  return raw(name, quoted(value));
}
Json& Json::add(std::string_view name, const std::vector<double>& values) {
  return raw(name, listed(values, number));
}
Json& Json::add(std::string_view name, const std::vector<std::string>& values) {
  return raw(name, listed(values, [](const std::string& s) { return quoted(s); }));
}
Json& Json::add(std::string_view name, const std::vector<Json>& values) {
  return raw(name, listed(values, [](const Json& j) { return j.text(); }));
}

}  // namespace pinn::pages
