#include "configs/keys.h"

#include <fmt/format.h>

#include <algorithm>

namespace pinn::config {
namespace {

bool starts_below(const std::string& path, const std::string& above) {
  return above.empty() ||
         (path.size() > above.size() && path.starts_with(above) && path[above.size()] == '.');
}

}  // namespace

std::string to_string(const Range& r) {
  const auto number = [](double x) { return fmt::format("{}", x); };
  if (std::isinf(r.lower)) return {};
  if (!r.bounded()) return r.open ? "above " + number(r.lower) : "at least " + number(r.lower);
  if (r.lower == r.upper) return number(r.lower);
  return number(r.lower) + (r.open_above ? " to below " : " to ") + number(r.upper);
}

std::string Key::section() const {
  for (const Section& s : sections())
    if (!s.path.empty() && starts_below(path, s.path)) return s.path;
  return {};
}

std::string Key::name() const {
  const std::string above = section();
  return above.empty() ? path : path.substr(above.size() + 1);
}

const Key* find_key(const std::string& path) {
  for (const Key& key : keys())
    if (key.path == path) return &key;
  return nullptr;
}

bool has_keys_below(const std::string& path) {
  return std::any_of(keys().begin(), keys().end(),
                     [&](const Key& key) { return starts_below(key.path, path); });
}

std::vector<std::string> names_below(const std::string& path) {
  std::vector<std::string> names;
  for (const Key& key : keys()) {
    if (!starts_below(key.path, path) || !key.not_yet.empty()) continue;
    const std::size_t begin = path.empty() ? 0 : path.size() + 1;
    const std::string name = key.path.substr(begin, key.path.find('.', begin) - begin);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string fallback_text(const Key& key) {
  if (!key.fallback.empty() || !key.get) return key.fallback;
  Draft draft;
  draft.run.stages.resize(1);
  draft.run.sampling.resize(1);
  draft.run.problem.requirements.resize(1);
  return key.get(draft, 0);
}

std::string allowed_text(const Key& key) {
  if (!key.choices.empty()) return fmt::format("{}", fmt::join(key.choices, ", "));
  const std::string range = to_string(key.range);
  return range.empty() ? key.syntax.text : key.syntax.text + ", " + range;
}

}  // namespace pinn::config
