// The members of a sweep and their names.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "autograd/core/sha256.h"
#include "solvers/sweep/sweep.h"

namespace pinn::sweep {
namespace {

constexpr std::size_t longest_value = 40, longest_name = 160;

std::string last_part(const std::string& key) {
  return key.substr(key.rfind('.') == key.npos ? 0 : key.rfind('.') + 1);
}

/// A text as a part of a file name; what it does not say of the text, a few digits do.
std::string safe(const std::string& text, bool says_all) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '+';
    if (plain) name += c;
    if (!plain && !name.empty() && name.back() != '_') name += '_';
    says_all &= plain;
  }
  if (says_all && name.size() <= longest_value) return name;
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name.substr(0, longest_value) + "+" + sha256(text).substr(0, 8);
}

/// 0.001 as it is, "adam" without quotes, [20, 20] as 20x20.
std::string value_name(const std::string& toml) {
  static const std::regex number("[-+0-9.einaf]+"), word("\"([A-Za-z][-A-Za-z0-9.]*)\""),
      truth("true|false"), numbers("\\[[-+0-9.e, ]+\\]");
  std::smatch found;
  if (std::regex_match(toml, number) || std::regex_match(toml, truth)) return safe(toml, true);
  if (std::regex_match(toml, found, word) && !std::regex_match(found[1].str(), truth) &&
      !std::regex_match(found[1].str(), number))
    return safe(found[1], true);
  if (!std::regex_match(toml, numbers)) return safe(toml, false);
  const std::string inner = toml.substr(1, toml.size() - 2);
  return safe(std::regex_replace(inner, std::regex(", "), "x"), true);
}

std::string combination_name(const std::vector<Axis>& axes,
                             const std::vector<std::string>& values) {
  std::string name;
  for (std::size_t k = 0; k < axes.size(); ++k)
    name += (k > 0 ? "_" : "") + safe(short_key(axes, k), true) + "-" + value_name(values[k]);
  if (name.size() <= longest_name) return name;
  return name.substr(0, longest_name) + "+" + sha256(name).substr(0, 8);
}

}  // namespace

std::string short_key(const std::vector<Axis>& axes, std::size_t axis) {
  const std::string last = last_part(axes[axis].key);
  const auto same =
      std::ranges::count_if(axes, [&](const Axis& other) { return last_part(other.key) == last; });
  return same == 1 ? last : axes[axis].key;
}

std::string combination_text(const std::vector<Axis>& axes,
                             const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t k = 0; k < axes.size(); ++k)
    text += fmt::format("{}{} = {}", k > 0 ? ", " : "", axes[k].key, values[k]);
  return text;
}

std::vector<Member> combinations(const std::vector<Axis>& axes,
                                 const std::vector<std::string>& sets) {
  std::vector<Member> all = {{{}, {}, 0, sets}};
  for (const Axis& axis : axes) {
    std::vector<Member> longer;
    for (const Member& before : all)
      for (const std::string& value : axis.values) {
        longer.push_back(before);
        longer.back().values.push_back(value);
        longer.back().overrides.push_back(axis.key + "=" + value);
      }
    all = std::move(longer);
  }
  for (Member& member : all) member.name = combination_name(axes, member.values);
  return all;
}

Member with_seed(Member combination, std::uint64_t seed) {
  combination.seed = seed;
  combination.name += fmt::format("{}seed-{}", combination.name.empty() ? "" : "_", seed);
  combination.overrides.push_back(fmt::format("run.seed={}", seed));
  return combination;
}

}  // namespace pinn::sweep
