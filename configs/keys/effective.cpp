#include "configs/draft.h"

#include <algorithm>

#include "configs/keys.h"
#include "data/sampling/quadrature.h"
#include "solvers/problem/integrals.h"

namespace pinn::config {
namespace {

/// A table of names is one value: its order counts.
std::string whole_name(const Key& key) {
  const std::string name = key.name();
  return name.substr(0, std::min(name.find(".*"), name.size()));
}

class Effective {
 public:
  explicit Effective(const Draft& draft) : draft_(draft) {}

  std::map<std::string, std::string> all() {
    for (const Section& s : sections())
      if (s.path.find('#') == std::string::npos) of_table(s.path);
    if (draft_.asked.empty()) every(draft_.requirements);
    values_.insert(draft_.asked.begin(), draft_.asked.end());
    every(draft_.stages);
    return std::move(values_);
  }

  std::map<std::string, std::string> asked() {
    every(draft_.requirements);
    return std::move(values_);
  }

 private:
  /// [network] may be several.
  void of_table(const std::string& path) {
    const Node* node = path.empty() ? &draft_.tree : draft_.tree.at(path);
    if (!node || node->kind != Node::array) return section(path, path, 0, node);
    for (std::size_t i = 0; i < node->items.size(); ++i)
      section(path, path + "." + std::to_string(i + 1), i, &node->items[i]);
  }

  void every(const std::vector<Item>& items) {
    for (const Item& item : items) section(item.section, item.path, item.index, item.node);
  }

  void section(const std::string& path, const std::string& shown, std::size_t index,
               const Node* node) {
    for (const Key& key : keys()) {
      if (key.section() != path || !key.not_yet.empty() || (key.set && !key.get)) continue;
      const std::string prefix = shown.empty() ? "" : shown + ".";
      if (!applies(key, prefix)) continue;
      const Node* written = node ? node->at(whole_name(key)) : nullptr;
      const std::string value = key.get ? key.get(draft_, index) : written ? to_toml(*written) : "";
      if (key.came_later && value == fallback_text(key)) continue;
      if (whole_name(key).starts_with("points") && has_rule(path, index)) continue;
      if (!value.empty()) values_.emplace(prefix + whole_name(key), value);
    }
  }

  /// True if a requirement has nodes of a rule of Gauss, which are no points.
  bool has_rule(const std::string& path, std::size_t index) const {
    if (path != "equation.#" && path != "condition.#") return false;
    const Requirement& r = draft_.run.problem.requirements.at(index);
    return r.region && is_integral(r) && has_panels(*r.region);
  }

  bool applies(const Key& key, const std::string& prefix) const {
    if (key.chooser.empty()) return true;
    const auto chosen = values_.find(prefix + key.chooser);
    return chosen != values_.end() &&
           std::any_of(key.only.begin(), key.only.end(), [&](const std::string& kind) {
             return chosen->second == to_toml(std::string_view(kind));
           });
  }

  const Draft& draft_;
  std::map<std::string, std::string> values_;
};

}  // namespace

std::map<std::string, std::string> effective_values(const Draft& draft) {
  return Effective(draft).all();
}

std::map<std::string, std::string> requirement_values(const Draft& draft) {
  return Effective(draft).asked();
}

}  // namespace pinn::config
