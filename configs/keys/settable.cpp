// Settings that `--set` accepts, for the shells that complete it.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "configs/findings.h"
#include "configs/keys.h"
#include "configs/override.h"
#include "configs/toml_reader.h"

namespace pinn::config {
namespace {

/// A name that stands in a path as it is.
bool is_plain(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
}

class Paths {
 public:
  explicit Paths(const Node* file) : file_(file) {}

  /// Those of a key, with the numbers and names that the file has in the place of # and *.
  void add(const Key& key) {
    key_ = &key;
    parts_ = components(key.path);
    grow(0, "", file_);
  }
  std::string text;  ///< a line each

 private:
  void grow(std::size_t i, const std::string& above, const Node* node) {
    if (i == parts_.size()) return end(above);
    if (i > 0 && node && node->kind != Node::table && parts_[i] != "#") return;  // a value
    const std::string& part = parts_[i];
    const std::string begin = above.empty() ? "" : above + ".";
    if (part == "#") return grow_members(i, begin, node);
    if (part == "*") {
      if (node && node->kind == Node::table)
        for (const Entry& entry : node->entries)
          if (is_plain(entry.key)) grow(i + 1, begin + entry.key, &entry.value);
      return;
    }
    const Node* below = node && node->kind == Node::table ? node->find(part) : nullptr;
    if (i == 0 && below && below->kind == Node::array &&
        (i + 1 == parts_.size() || parts_[1] != "#"))
      return grow_members(i, part + ".", below);
    grow(i + 1, begin + part, below);
  }

  /// Grows the paths of every table of an array; without a file those of a first one.
  void grow_members(std::size_t i, const std::string& begin, const Node* array) {
    if (!file_) return grow(i + 1, begin + "1", nullptr);
    if (!array || array->kind != Node::array) return;
    for (std::size_t k = 0; k < array->items.size(); ++k) {
      const Node& item = array->items[k];
      grow(i + 1, begin + std::to_string(k + 1), &item);
      const Node* name = item.find("name");
      if (name && name->kind == Node::string && is_plain(name->text))
        grow(i + 1, begin + name->text, &item);
    }
  }

  void end(const std::string& path) {
    const bool truth = key_->syntax.kinds == Node::boolean;
    text += path + "=\n";
    for (const std::string& choice :
         truth ? std::vector<std::string>{"true", "false"} : key_->choices)
      text += path + "=" + choice + "\n";
  }

  const Node* file_;
  const Key* key_ = nullptr;
  std::vector<std::string> parts_;
};

}  // namespace

std::string settable_as_text(const std::string* file) {
  Findings findings;
  Node tree;
  if (file) tree = parse_toml(make_source("file", *file), *file, findings);
  Paths paths(file ? &tree : nullptr);
  for (const Key& key : keys())
    if (key.not_yet.empty()) paths.add(key);
  return paths.text;
}

}  // namespace pinn::config
