#include "configs/override.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "configs/keys.h"
#include "configs/toml.h"
#include "solvers/problem/mistakes.h"

namespace pinn::config {
namespace {

std::vector<std::string> components(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    parts.emplace_back(path.substr(0, dot));
    if (dot == path.size()) return parts;
    path.remove_prefix(dot + 1);
  }
}

/// What may be written without quotes: no spaces, quotes, brackets or commas.
bool bare_word(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_.:/+*^()~-").find(c) != std::string_view::npos;
  });
}

/// One argument: where it came from, and the mistakes it may hold.
struct Argument {
  std::shared_ptr<const Source> source;
  Findings& findings;

  Node at(std::size_t byte, std::size_t width) const {
    Node node;
    node.source = source;
    node.line = source->first_line;
    node.column = int(byte) + 1;
    node.width = std::max(1, int(width));
    return node;
  }

  /// The value that begins at a byte of the argument.
  std::optional<Node> value(std::size_t begin) const {
    const std::string& line = source->lines[0];
    const std::string text = line.substr(begin);
    // Spaces stand in for what comes before, so that columns are those of the argument.
    Findings syntax;
    const std::string toml = std::string(begin - 2, ' ') + "v=" + text;
    Node table = parse_toml(source, toml, syntax);
    if (syntax.all.empty()) return std::move(table.entries.at(0).value);
    Node word = at(begin, text.size());
    word.kind = Node::string;
    word.text = text;
    if (bare_word(text)) return word;
    findings.add(
        Mistake::unreadable_value, at(begin, text.size()),
        fmt::format("the value of {} cannot be read: {}", source->name, syntax.all[0].report.what),
        "write TOML; a text with spaces needs quotes, as in 'KEY=\"a text\"'");
    return {};
  }
};

/// The table of an array that a number from 1 or a name says; null when there is none.
Node* member(Node& array, const std::string& which, const std::string& kind) {
  for (std::size_t i = 0; i < array.items.size(); ++i) {
    const Node* name = array.items[i].find("name");
    const std::string fallback = kind == "stage" ? "" : fmt::format("{}_{}", kind, i + 1);
    const bool called =
        name ? name->kind == Node::string && name->text == which : fallback == which;
    if (called || std::to_string(i + 1) == which) return &array.items[i];
  }
  return nullptr;
}

std::vector<std::string> member_names(const Node& array) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < array.items.size(); ++i) {
    const Node* name = array.items[i].find("name");
    names.push_back(name && name->kind == Node::string ? name->text : std::to_string(i + 1));
  }
  return names;
}

/// Walks to the place of a key, making tables on the way, and puts the value there.
class Setter {
 public:
  Setter(Node& tree, const std::string& path, const Argument& from)
      : tree_(tree), parts_(components(path)), from_(from) {}

  void put(Node value) {
    Node* table = &tree_;
    while (table && i_ + 1 < parts_.size()) table = below(*table);
    if (!table) return;
    if (Node* old = table->find(parts_.back())) {
      *old = std::move(value);
      return;
    }
    const Node key = here();
    table->entries.push_back({parts_.back(), std::move(value), key.line, key.column});
  }

 private:
  /// The component that is being read, as a piece of the argument.
  Node here() const { return from_.at(byte_, parts_[i_].size()); }

  void advance() { byte_ += parts_[i_++].size() + 1; }

  /// The table that the next component names, or null with a report.
  Node* below(Node& table) {
    const std::string& name = parts_[i_];
    if (i_ == 0 && has_keys_below(name + ".#")) return numbered();
    if (!table.find(name)) {
      const Node made = here();
      table.entries.push_back({name, made, made.line, made.column});
    }
    return as_table(*table.find(name));
  }

  /// stage.1, condition.walls.
  Node* numbered() {
    const std::string kind = parts_[i_];
    Node* array = tree_.find(kind);
    advance();
    Node* item = array ? member(*array, parts_[i_], kind) : nullptr;
    if (item && i_ + 1 < parts_.size()) return as_table(*item);
    if (item)
      refuse(Mistake::whole_table, fmt::format("{}.{} is a whole table", kind, parts_[i_]),
             fmt::format("name one of its keys, as in {}.{}.name=...", kind, parts_[i_]));
    else
      refuse(Mistake::no_such_table,
             fmt::format("there is no {} {}", kind, pinn::quoted(parts_[i_])),
             array ? "known are: " + listed(member_names(*array))
                   : fmt::format("write a [[{}]] table into the file", kind));
    return nullptr;
  }

  Node* as_table(Node& node) {
    if (node.kind == Node::table) {
      advance();
      return &node;
    }
    refuse(Mistake::override_below_value,
           fmt::format("{} is {}, not a table", pinn::quoted(parts_[i_]), described(node.kind)),
           "set the whole of it");
    return nullptr;
  }

  void refuse(Mistake mistake, std::string what, std::string fix) {
    from_.findings.add(mistake, here(), std::move(what), std::move(fix));
  }

  Node& tree_;
  const std::vector<std::string> parts_;
  const Argument& from_;
  std::size_t i_ = 0, byte_ = 0;
};

}  // namespace

void apply_override(const std::string& text, int number, Node& tree, Findings& findings) {
  const Argument argument{make_source("--set", text, number, 1), findings};
  const std::size_t equals = text.find('=');
  const std::string path = text.substr(0, equals);
  const auto parts = components(path);
  if (equals == std::string::npos || text.find('\n') != std::string::npos ||
      std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty(); }))
    return findings.add(Mistake::not_key_and_value, argument.at(0, text.size()),
                        fmt::format("{} is not KEY=VALUE", pinn::quoted(text)),
                        "write for example --set stage.1.steps=200");
  if (auto value = argument.value(equals + 1)) Setter(tree, path, argument).put(std::move(*value));
}

void apply_flag(const Flag& flag, Node& tree, Findings& findings) {
  const std::string text = flag.name + " " + flag.value;
  const Argument argument{make_source(flag.name, text, 0, 2), findings};
  if (auto value = argument.value(flag.name.size() + 1))
    Setter(tree, flag.key, argument).put(std::move(*value));
}

}  // namespace pinn::config
