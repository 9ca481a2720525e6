#include "configs/override.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "configs/keys.h"
#include "configs/toml_reader.h"
#include "solvers/problem/mistakes.h"

namespace pinn::config {
namespace {

/// True if a text may be written without quotes: no spaces, quotes, brackets or commas.
bool bare_word(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_.:/+*^()~-").find(c) != std::string_view::npos;
  });
}

/// The place in an array of the table that a number from 1 or a name says; behind its end when
/// there is none.
std::size_t member(const Node& array, const std::string& which, const std::string& kind) {
  for (std::size_t i = 0; i < array.items.size(); ++i) {
    const Node* name = array.items[i].find("name");
    const std::string fallback = kind == "stage" ? "" : fmt::format("{}_{}", kind, i + 1);
    const bool called =
        name ? name->kind == Node::string && name->text == which : fallback == which;
    if (called || std::to_string(i + 1) == which) return i;
  }
  return array.items.size();
}

std::vector<std::string> member_names(const Node& array) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < array.items.size(); ++i) {
    const Node* name = array.items[i].find("name");
    names.push_back(name && name->kind == Node::string ? name->text : std::to_string(i + 1));
  }
  return names;
}

}  // namespace

Node Argument::at(std::size_t byte, std::size_t width) const {
  Node node;
  node.source = source;
  node.line = source->first_line;
  node.column = int(byte) + 1;
  node.width = std::max(1, int(width));
  return node;
}

std::optional<Node> Argument::value(std::size_t begin, std::size_t end) const {
  const std::string text = line().substr(begin, end - begin);
  // Spaces stand in for what comes before, so that columns are those of the argument.
  Findings syntax;
  const std::string toml = std::string(begin - 2, ' ') + "v=" + text;
  Node table = parse_toml(source, toml, syntax);
  if (syntax.all.empty()) return std::move(table.entries.at(0).value);
  if (bare_word(text)) return word(begin, begin + text.size());
  findings.add(
      Mistake::unreadable_value, at(begin, text.size()),
      fmt::format("the value of {} cannot be read: {}", source->name, syntax.all[0].report.what),
      "write TOML; a text with spaces needs quotes, as in 'KEY=\"a text\"'");
  return {};
}

std::optional<Node> Argument::number_or_text(std::size_t begin, std::size_t end) const {
  while (begin < end && line()[begin] == ' ') ++begin;
  const bool is_text = begin < end && std::isalpha(static_cast<unsigned char>(line()[begin]));
  return is_text ? word(begin, end) : value(begin, end);
}

Node Argument::word(std::size_t begin, std::size_t end) const {
  Node word = at(begin, end - begin);
  word.kind = Node::string;
  word.text = line().substr(begin, end - begin);
  return word;
}

void Argument::refuse_pair(std::size_t begin, std::size_t end, const std::string& example) const {
  findings.add(Mistake::not_key_and_value, at(begin, end - begin),
               fmt::format("{} is not KEY=VALUE", pinn::quoted(line().substr(begin, end - begin))),
               "write for example " + example);
}

std::vector<std::string> components(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    parts.emplace_back(path.substr(0, dot));
    if (dot == path.size()) return parts;
    path.remove_prefix(dot + 1);
  }
}

std::string path_by_number(const std::string& path, const Node& tree) {
  std::vector<std::string> parts = components(path);
  const Node* array = tree.find(parts[0]);
  if (!array || array->kind != Node::array || parts.size() < 2) return path;
  const std::size_t number = member(*array, parts[1], parts[0]);
  if (number == array->items.size()) return path;
  parts[1] = std::to_string(number + 1);
  return fmt::format("{}", fmt::join(parts, "."));
}

void Setter::put(Node value) {
  if (Node* table = owner()) put(*table, parts_.back(), std::move(value), here());
}

void Setter::put(Node& table, const std::string& name, Node value, const Node& key) {
  if (Node* old = table.find(name))
    *old = std::move(value);
  else
    table.entries.push_back({name, std::move(value), key.line, key.column});
}

Node* Setter::owner() {
  Node* table = &tree_;
  while (table && i_ + 1 < parts_.size()) table = below(*table);
  return table;
}

/// The component that is being read, as a piece of the argument.
Node Setter::here() const {
  return from_.flag > 0 ? from_.at(0, from_.flag) : from_.at(byte_, parts_[i_].size());
}

/// The table that the next component names, or null with a report.
Node* Setter::below(Node& table) {
  const std::string& name = parts_[i_];
  const Node* known = table.find(name);
  const bool is_array = known && known->kind == Node::array;
  if (i_ == 0 && (is_array || has_keys_below(name + ".#"))) return numbered();
  if (!table.find(name)) {
    const Node made = here();
    table.entries.push_back({name, made, made.line, made.column});
  }
  return as_table(*table.find(name));
}

/// stage.1, condition.walls, network.flow.
Node* Setter::numbered() {
  const std::string kind = parts_[i_];
  Node* array = tree_.find(kind);
  advance();
  const std::size_t number = array ? member(*array, parts_[i_], kind) : 0;
  Node* item = array && number < array->items.size() ? &array->items[number] : nullptr;
  if (item && i_ + 1 < parts_.size()) return as_table(*item);
  if (item)
    refuse(Mistake::whole_table, fmt::format("{}.{} is a whole table", kind, parts_[i_]),
           fmt::format("name one of its keys, as in {}.{}.name=...", kind, parts_[i_]));
  else
    refuse(Mistake::no_such_table, fmt::format("there is no {} {}", kind, pinn::quoted(parts_[i_])),
           array ? "known are: " + listed(member_names(*array))
                 : fmt::format("write a [[{}]] table into the file", kind));
  return nullptr;
}

Node* Setter::as_table(Node& node) {
  if (node.kind == Node::table) {
    advance();
    return &node;
  }
  refuse(Mistake::override_below_value,
         fmt::format("{} is {}, not a table", pinn::quoted(parts_[i_]), described(node.kind)),
         "set the whole of it");
  return nullptr;
}

void Setter::refuse(Mistake mistake, std::string what, std::string fix) {
  from_.findings.add(mistake, here(), std::move(what), std::move(fix));
}

}  // namespace pinn::config
