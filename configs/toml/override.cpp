#include "configs/override.h"

#include <fmt/format.h>

#include <algorithm>

#include "configs/findings.h"
#include "configs/keys.h"
#include "configs/toml_reader.h"
#include "solvers/problem/mistakes.h"

namespace pinn::config {
namespace {

/// Pieces between commas, from a byte on; a comma in parentheses stands in an expression.
std::vector<Span> pieces(const std::string& line, std::size_t begin) {
  std::vector<Span> all = {{begin, line.size()}};
  int depth = 0;
  for (std::size_t i = begin; i < line.size(); ++i) {
    depth += (line[i] == '(') - (line[i] == ')');
    if (line[i] != ',' || depth != 0) continue;
    all.back().end = i;
    all.push_back({i + 1, line.size()});
  }
  return all;
}

/// u,d(u, x) is ["u", "d(u, x)"].
Node list_of_words(const Argument& argument, std::size_t begin) {
  const std::string& line = argument.line();
  Node list = argument.at(begin, line.size() - begin);
  list.kind = Node::array;
  for (const Span& piece : pieces(line, begin))
    list.items.push_back(argument.word(piece.begin, piece.end));
  return list;
}

/// x=401,t=11 puts x and t over what the table has.
void put_pairs(Node& table, const Argument& argument, std::size_t begin,
               const std::string& example) {
  for (const Span& piece : pieces(argument.line(), begin)) {
    const std::size_t equals = argument.line().find('=', piece.begin);
    if (equals >= piece.end || equals == piece.begin) {
      argument.refuse_pair(piece.begin, piece.end, example);
      continue;
    }
    const Node key = argument.word(piece.begin, equals);
    if (auto value = argument.number_or_text(equals + 1, piece.end))
      Setter::put(table, key.text, std::move(*value), key);
  }
}

/// The byte after so many parts of a path.
std::size_t end_of(const std::vector<std::string>& parts, int count) {
  std::size_t bytes = std::size_t(count) - 1;
  for (int i = 0; i < count; ++i) bytes += parts[std::size_t(i)].size();
  return bytes;
}

}  // namespace

void apply_override(const std::string& text, int number, Node& tree, Findings& findings,
                    const std::string& name) {
  const Argument argument{make_source(name, text, number, 1), findings};
  const std::size_t equals = text.find('=');
  const std::string path = text.substr(0, equals);
  const auto parts = components(path);
  if (equals == std::string::npos || text.find('\n') != std::string::npos ||
      std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty(); }))
    return argument.refuse_pair(0, text.size(), "--set stage.1.steps=200");
  if (parts.size() > std::size_t(most_depth))
    return findings.add(Mistake::override_too_deep, argument.at(end_of(parts, most_depth), 1),
                        fmt::format("the key has more than {} parts", most_depth),
                        "leave out what is no table: --keys lists all there is");
  if (auto value = argument.value(equals + 1, text.size()))
    Setter(tree, path, argument).put(std::move(*value));
}

void apply_flag(const Flag& flag, Node& tree, Findings& findings) {
  std::string line = flag.name + " " + flag.value;
  std::replace(line.begin(), line.end(), '\n', ' ');
  const std::size_t begin = flag.name.size() + 1;
  const Argument argument{make_source(flag.name, line, 0, 2), findings, flag.name.size()};
  const Key* key = find_key(flag.key);
  const unsigned kinds = key ? key->syntax.kinds : 0;
  if (kinds == Node::table) {
    if (Node* table = Setter(tree, flag.key + ".", argument).owner())
      put_pairs(*table, argument, begin, flag.name + " x=401,t=11");
    return;
  }
  if (auto value = kinds == Node::array ? list_of_words(argument, begin)
                                        : argument.value(begin, line.size()))
    Setter(tree, flag.key, argument).put(std::move(*value));
}

}  // namespace pinn::config
