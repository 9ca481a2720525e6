#include "configs/effective.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "configs/keys.h"

namespace pinn {
namespace config {
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
      if (s.path.find('#') == std::string::npos)
        section(s.path, s.path, 0, s.path.empty() ? &draft_.tree : draft_.tree.at(s.path));
    for (const auto* items : {&draft_.requirements, &draft_.stages})
      for (const Item& item : *items) section(item.section, item.path, item.index, item.node);
    return std::move(values_);
  }

 private:
  void section(const std::string& path, const std::string& shown, std::size_t index,
               const Node* node) {
    for (const Key& key : keys()) {
      if (key.section() != path || !key.not_yet.empty() || (key.set && !key.get)) continue;
      const std::string prefix = shown.empty() ? "" : shown + ".";
      if (!applies(key, prefix)) continue;
      const Node* written = node ? node->at(whole_name(key)) : nullptr;
      const std::string value = key.get ? key.get(draft_, index) : written ? to_toml(*written) : "";
      if (!value.empty()) values_.emplace(prefix + whole_name(key), value);
    }
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

namespace {

/// The keys of one table, in the order of the table of keys.
std::string table_text(const Run& run, const Section& s, const std::string& shown) {
  std::string text;
  std::set<std::string> done;
  for (const Key& key : keys()) {
    const std::string name = whole_name(key);
    const auto at = run.effective.find(shown.empty() ? name : shown + "." + name);
    if (key.section() == s.path && at != run.effective.end() && done.insert(name).second)
      text += name + " = " + at->second + "\n";
  }
  return text.empty() ? "" : (s.header.empty() ? "" : "\n" + s.header + "\n") + text;
}

}  // namespace
}  // namespace config

std::string effective_toml(const Run& run) {
  using config::Section;
  const auto counted = [](const Section& s, std::size_t i) {
    return s.path.substr(0, s.path.size() - 1) + std::to_string(i);
  };
  const auto named = [](const std::string& path) -> const Section& {
    return *std::find_if(config::sections().begin(), config::sections().end(),
                         [&](const Section& s) { return s.path == path; });
  };
  std::string text;
  for (const Section& s : config::sections())
    if (s.path.find('#') == std::string::npos) text += config::table_text(run, s, s.path);
  std::map<std::string, std::size_t> count;
  for (const Requirement& r : run.problem.requirements) {
    const char* kinds[] = {"equation.#", "condition.#", "data.#"};
    const Section& s = named(kinds[int(r.kind)]);
    text += config::table_text(run, s, counted(s, ++count[s.path]));
  }
  for (std::size_t i = 1; i <= run.stages.size(); ++i)
    text += config::table_text(run, named("stage.#"), counted(named("stage.#"), i));
  return text;
}

}  // namespace pinn
