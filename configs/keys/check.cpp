#include "configs/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "configs/keys.h"
#include "solvers/problem/mistakes.h"

namespace pinn::config {
namespace {

std::string join(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

bool known(const std::string& path) { return find_key(path) || has_keys_below(path); }

/// "[[stage]]" for a section, else the table's own path in quotes.
std::string title(const std::string& path, const std::string& shown) {
  if (path.empty()) return "a problem file";
  for (const Section& s : sections())
    if (s.path == path) return s.header;
  return "'" + shown + "'";
}

std::string unquoted(std::string text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// Walks the tree; `path` is the key's in the table of keys, `shown` the one a user knows.
class Check {
 public:
  explicit Check(Findings& findings) : findings_(findings) {}

  void table(Node& node, const std::string& path, const std::string& shown) {
    for (Entry& e : node.entries) entry(e, path, shown);
    for (const std::string& name : names_below(path)) {
      const Key* key = find_key(join(path, name));
      if (!key) key = find_key(join(path, name) + ".*");  // a table of names
      if (key && key->required && name != "*" && !node.find(name))
        findings_.add(Mistake::missing_key, node,
                      fmt::format("{} has no '{}'", title(path, shown), name),
                      fmt::format("add '{}', {}", name,
                                  key->path.ends_with('*') ? "a table" : allowed_text(*key)));
    }
  }

 private:
  void entry(Entry& e, const std::string& path, const std::string& shown) {
    const std::string exact = join(path, e.key), any = join(path, "*"), name = join(shown, e.key);
    const bool named = e.key != "#" && e.key != "*" && e.key.find('.') == std::string::npos;
    if (named && known(exact)) return value(e, exact, name);
    if (known(any)) return value(e, any, name);
    findings_.add(Mistake::unknown_key, e,
                  fmt::format("unknown key {} in {}", pinn::quoted(e.key), title(path, shown)),
                  suggestion(e.key, names_below(path)));
    e.value.sound = false;
  }

  void value(Entry& e, const std::string& path, const std::string& shown) {
    Node& node = e.value;
    const Key* key = find_key(path);
    if (key && !key->not_yet.empty()) return refuse_later(e, key->not_yet, shown);
    if (has_keys_below(path + ".#")) return tables(e, path + ".#", shown);
    if (path == "network" && node.kind == Node::array) return tables(e, path, shown);
    if (path == "network") item_ = &node;
    if (node.kind == Node::table && has_keys_below(path)) return table(node, path, shown);
    if (key) return applies(e, *key, shown) ? leaf(node, *key, shown) : void();
    findings_.add(
        Mistake::not_a_table, node,
        fmt::format("{} must be a table, found {}", pinn::quoted(shown), described(node.kind)),
        "its keys are: " + listed(names_below(path)));
    node.sound = false;
  }

  /// An array of tables, [[stage]], each with the keys of a path.
  void tables(Entry& e, const std::string& path, const std::string& shown) {
    auto& items = e.value.items;
    const auto is_table = [](const Node& item) { return item.kind == Node::table; };
    if (e.value.kind != Node::array || !std::all_of(items.begin(), items.end(), is_table)) {
      findings_.add(Mistake::not_an_array_of_tables, e,
                    fmt::format("{} must be an array of tables", pinn::quoted(shown)),
                    fmt::format("write [[{}]] with two brackets", shown));
      e.value.sound = false;
    }
    for (std::size_t i = 0; e.value.sound && i < items.size(); ++i) {
      item_ = &items[i];
      table(items[i], path, fmt::format("{}.{}", shown, i + 1));
    }
  }

  void refuse_later(Entry& e, const std::string& what, const std::string& shown) {
    findings_.add(Mistake::key_not_yet, e,
                  fmt::format("not yet: {} ({})", what, pinn::quoted(shown)),
                  "leave it out: the format has it, this version cannot do it");
    e.value.sound = false;
  }

  /// True if the key means something beside what its table has chosen: `history` is nothing to
  /// adam.
  bool applies(Entry& e, const Key& key, const std::string& shown) {
    if (key.chooser.empty()) return true;
    const Node* chosen = item_->at(key.chooser);
    const Key& chooser = *find_key(key.section() + "." + key.chooser);
    const std::string kind = chosen ? chosen->text : unquoted(fallback_text(chooser));
    const auto among = [&](const auto& list) {
      return std::count(list.begin(), list.end(), kind) > 0;
    };
    if (!among(chooser.choices) || among(key.only)) return true;
    findings_.add(
        Mistake::not_applicable, e,
        fmt::format("{} means nothing with {} = \"{}\"", pinn::quoted(shown), key.chooser, kind),
        "leave it out; it is for: " + listed(key.only));
    e.value.sound = false;
    return false;
  }

  void leaf(Node& node, const Key& key, const std::string& shown) {
    leaf_ = &node;
    if ((node.kind & key.syntax.kinds) == 0) return wrong_type(node, key.syntax.text, shown);
    const auto inner = [&](const Node& part, unsigned kinds, const std::string& name) {
      if ((part.kind & kinds) == 0) return wrong_type(part, kind_text(kinds), name);
      scalar(part, key, name);
    };
    for (std::size_t i = 0; i < node.items.size(); ++i)
      inner(node.items[i], key.syntax.items, fmt::format("{}[{}]", shown, i + 1));
    for (const Entry& e : node.entries) inner(e.value, key.syntax.values, shown + "." + e.key);
    if (node.kind == Node::array || node.kind == Node::table)
      count(node, key, shown);
    else
      scalar(node, key, shown);
  }

  static std::string kind_text(unsigned kinds) {
    if (kinds & Node::number)
      return kinds & Node::string ? "a number or a constant expression" : "a number";
    return kinds & Node::integer ? "an integer" : "a string";
  }

  void count(const Node& node, const Key& key, const std::string& shown) {
    const std::size_t n = node.items.size() + node.entries.size();
    if (key.syntax.count == 0 && n == 0 && !key.syntax.may_be_empty)
      add(Mistake::empty_value, node, fmt::format("{} is empty", pinn::quoted(shown)),
          fmt::format("write {}", allowed_text(key)));
    if (key.syntax.count > 0 && n != key.syntax.count)
      add(Mistake::wrong_count, node,
          fmt::format("{} must have {} items, found {}", pinn::quoted(shown), key.syntax.count, n),
          fmt::format("write {}", key.syntax.text));
  }

  void scalar(const Node& node, const Key& key, const std::string& shown) {
    if (node.kind == Node::string) return choice(node, key, shown);
    if (!std::isfinite(node.real))
      return add(Mistake::not_finite, node,
                 fmt::format("{} must be finite, found {}", pinn::quoted(shown), to_toml(node)),
                 fmt::format("write {}", allowed_text(key)));
    const Range& range = key.range;
    if (range.contains(node.real) || (range.of_integers && node.kind == Node::number)) return;
    const std::string wanted = node.real > range.upper && !range.bounded()
                                   ? fmt::format("at most {}", range.upper)
                                   : to_string(range);
    add(Mistake::out_of_range, node,
        fmt::format("{} must be {}, found {}", pinn::quoted(shown), wanted, to_toml(node)),
        fmt::format("write {}", allowed_text(key)));
  }

  void choice(const Node& node, const Key& key, const std::string& shown) {
    const auto& all = key.choices;
    if (all.empty() || std::find(all.begin(), all.end(), node.text) != all.end()) return;
    add(Mistake::not_a_choice, node,
        fmt::format("{} cannot be {}", pinn::quoted(shown), pinn::quoted(node.text)),
        suggestion(node.text, all));
  }

  void wrong_type(const Node& node, const std::string& wanted, const std::string& shown) {
    add(Mistake::wrong_type, node,
        fmt::format("{} must be {}, found {}", pinn::quoted(shown), wanted, described(node.kind)),
        "write " + wanted);
  }

  /// Reports a mistake of a value, and marks the value of the key it belongs to.
  void add(Mistake mistake, const Node& at, std::string what, std::string fix) {
    findings_.add(mistake, at, std::move(what), std::move(fix));
    leaf_->sound = false;
  }

  Findings& findings_;
  Node* item_ = nullptr;  ///< the table of an array, or [network], that is being read
  Node* leaf_ = nullptr;  ///< the value that is being read
};

}  // namespace

void check_keys(Node& tree, Findings& findings) { Check(findings).table(tree, "", ""); }

}  // namespace pinn::config
