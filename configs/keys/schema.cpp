// The table of keys as a JSON Schema, for editors.
#include <fmt/format.h>

#include <cmath>

#include "autograd/core/version.h"
#include "configs/keys.h"

namespace pinn::config {
namespace {

/// A member of a JSON object, written out.
using Members = std::vector<std::string>;

std::string quoted_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c == '\n' ? ' ' : c;
  }
  return json + "\"";
}

std::string member(std::string_view name, std::string_view value) {
  return fmt::format("{}: {}", quoted_text(name), value);
}

std::string listed_texts(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted_text(text);
  return "[" + list + "]";
}

std::string object(const Members& members) {
  return fmt::format("{{{}}}", fmt::join(members, ", "));
}

/// One of several, or the only one.
std::string any_of(const std::vector<std::string>& schemas) {
  return schemas.size() == 1 ? schemas[0]
                             : fmt::format("{{\"anyOf\": [{}]}}", fmt::join(schemas, ", "));
}

class Schema {
 public:
  /// Schema of a table with that path, without its braces.
  Members table(const std::string& path) const {
    Members properties;
    std::vector<std::string> required;
    std::string others = "false";
    for (const std::string& name : names_below(path)) {
      const std::string below = path.empty() ? name : path + "." + name;
      if (name == "*") {
        others = value(below);
        continue;
      }
      properties.push_back(member(name, value(below)));
      const Key* key = find_key(below);
      if (!key) key = find_key(below + ".*");
      if ((key && key->required) || (path.empty() && asks_for_keys(below)))
        required.push_back(name);
    }
    Members all{member("type", "\"object\""), member("additionalProperties", others)};
    if (!properties.empty()) all.push_back(member("properties", object(properties)));
    if (!required.empty()) all.push_back(member("required", listed_texts(required)));
    return all;
  }

 private:
  /// True if a table at the top of the file, one and not many, has keys that have to be there.
  static bool asks_for_keys(const std::string& path) {
    if (has_keys_below(path + ".#")) return false;
    for (const std::string& name : names_below(path)) {
      const Key* key = find_key(path + "." + name);
      if (!key) key = find_key(path + "." + name + ".*");
      if (key && key->required) return true;
    }
    return false;
  }

  /// Schema of a key: of an array of tables, a table, a value, or one of the last two.
  std::string value(const std::string& path) const {
    const Key* key = find_key(path);
    if (has_keys_below(path + ".#"))
      return object({member("type", "\"array\""), member("items", object(table(path + ".#")))});
    std::vector<std::string> all;
    if (key) all = of_kinds(*key, key->syntax.kinds, true);
    if (has_keys_below(path)) all.push_back(object(table(path)));
    if (path == "network")  // or several
      all.push_back(object({member("type", "\"array\""), member("items", all.back())}));
    if (!key) return any_of(all);
    std::string said;
    for (const char c : key->says)
      if (c != '`') said += c;
    const std::string fallback = fallback_text(*key);
    if (!fallback.empty()) said += fmt::format(" (default: {})", fallback);
    Members described{member("description", quoted_text(said))};
    described.push_back(member("anyOf", fmt::format("[{}]", fmt::join(all, ", "))));
    return object(described);
  }

  /// A schema for each kind of value that is among them.
  static std::vector<std::string> of_kinds(const Key& key, unsigned kinds, bool whole) {
    std::vector<std::string> all;
    if (kinds & Node::boolean) all.push_back("{\"type\": \"boolean\"}");
    if (kinds & (Node::number | Node::integer)) all.push_back(number(key, kinds));
    if (kinds & Node::string)
      all.push_back(key.choices.empty() ? "{\"type\": \"string\"}"
                                        : object({member("enum", listed_texts(key.choices))}));
    if (kinds & Node::array) {
      Members array{member("type", "\"array\"")};
      if (whole && key.syntax.items != 0)
        array.push_back(member("items", any_of(of_kinds(key, key.syntax.items, false))));
      if (whole && key.syntax.count > 0)
        for (const char* end : {"minItems", "maxItems"})
          array.push_back(member(end, std::to_string(key.syntax.count)));
      else if (whole && !key.syntax.may_be_empty)
        array.push_back(member("minItems", "1"));
      all.push_back(object(array));
    }
    if (kinds & Node::table)
      all.push_back(object(
          {member("type", "\"object\""), member("minProperties", "1"),
           member("additionalProperties", any_of(of_kinds(key, key.syntax.values, false)))}));
    return all;
  }

  /// Schema of a number, without the ends of a range of integers alone: to a schema 1.0 is one, and
  /// here a place.
  static std::string number(const Key& key, unsigned kinds) {
    const Range& range = key.range;
    Members all{member("type", kinds & Node::number ? "\"number\"" : "\"integer\"")};
    if (std::isfinite(range.lower) && !range.of_integers)
      all.push_back(
          member(range.open ? "exclusiveMinimum" : "minimum", fmt::format("{}", range.lower)));
    if (std::isfinite(range.upper) && !range.of_integers)
      all.push_back(member(range.open_above ? "exclusiveMaximum" : "maximum",
                           fmt::format("{}", range.upper)));
    return object(all);
  }
};

}  // namespace

std::string keys_as_schema() {
  Members members{member("$schema", "\"https://json-schema.org/draft/2020-12/schema\""),
                  member("title", quoted_text("A problem file of pinn " + std::string(version())))};
  const Members table = Schema().table("");
  members.insert(members.end(), table.begin(), table.end());
  return object(members) + "\n";
}

}  // namespace pinn::config
