/// Many of a kind: the names that one key stands for, and the requirements of a `for`.
#include <fmt/format.h>

#include <algorithm>

#include "configs/draft.h"
#include "data/files/h5_reader.h"
#include "data/files/table.h"

namespace pinn::config {
namespace {

/// The items of an array, and of arrays in it, each with its indices from 1.
void add_items(const Entry& entry, const Node& array, const std::string& before,
               std::vector<Entry>& all) {
  for (std::size_t i = 0; i < array.items.size(); ++i) {
    const std::string indices = before + (before.empty() ? "" : ",") + std::to_string(i + 1);
    const Node& item = array.items[i];
    if (item.kind == Node::array)
      add_items(entry, item, indices, all);
    else
      all.push_back({fmt::format("{}[{}]", entry.key, indices), item, entry.line, entry.column});
  }
}

/// How many items an array has, level by level; empty where its parts are not alike, or no numbers.
std::vector<std::size_t> extents(const Node& node) {
  if (node.kind != Node::array) return {};
  std::vector<std::size_t> inner;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node& item = node.items[i];
    const bool is_number = (item.kind & (Node::number | Node::integer | Node::string)) != 0;
    const std::vector<std::size_t> of_item = extents(item);
    if ((!is_number && of_item.empty()) || (i > 0 && of_item != inner)) return {};
    inner = of_item;
  }
  if (node.items.empty()) return {};
  inner.insert(inner.begin(), node.items.size());
  return inner;
}

Node number_at(const Node& place, double value) {
  Node node = place;
  node.kind = Node::number;
  node.real = value;
  return node;
}

/// The numbers of a file as an array: of HDF5 that with the name, of CSV all rows.
Node array_of(const std::string& path, const std::string& name, const Node& place) {
  Node all = place;
  all.kind = Node::array;
  if (!is_hdf5(path)) {
    const Table table = read_table(path);
    for (std::size_t row = 0; row < table.rows; ++row) {
      Node& line = all.items.emplace_back(all);
      line.items.clear();
      for (const std::vector<double>& column : table.columns)
        line.items.push_back(number_at(place, column[row]));
      if (line.items.size() == 1) line = Node(line.items[0]);
    }
    return all;
  }
  const std::vector<double> values = read_table(path, {name}).columns[0];
  const std::vector<std::size_t> shape = H5Reader(path).shape(name);
  std::size_t next = 0;
  const auto fill = [&](const auto& self, Node& node, std::size_t axis) -> void {
    for (std::size_t i = 0; i < shape[axis]; ++i) {
      Node item = number_at(place, 0);
      if (axis + 1 == shape.size()) {
        item.real = values[next++];
      } else {
        item.kind = Node::array;
        self(self, item, axis + 1);
      }
      node.items.push_back(std::move(item));
    }
  };
  if (!shape.empty()) fill(fill, all, 0);
  return all;
}

void add_array(Draft& draft, const Entry& entry, std::vector<Entry>& all) {
  const Node& value = entry.value;
  if (const Node* file = value.at("file")) {
    const std::string path = resolved_file(draft, *file);
    if (path.empty()) return;
    Node array;
    const Node* of = value.at("value");
    if (reading(draft, *file, Mistake::kind_file,
                [&] { array = array_of(path, of ? of->text : entry.key, *file); }))
      add_items(entry, array, "", all);
  } else if (has_indices(entry.key) || extents(value).empty()) {
    draft.findings.add(
        Mistake::kind_values, value,
        fmt::format("this is no array of numbers with the name {}",
                    pinn::quoted(base_of(entry.key))),
        fmt::format("write {0} = [1, 2, 3], or rows of one length, {0} = [[1, 2], [3, 4]]",
                    base_of(entry.key)));
  } else {
    add_items(entry, value, "", all);
  }
}

/// Meanings of a declared name; nothing with a report where they cannot be told.
std::vector<OfKind> of_kind(Draft& draft, const Text& declared, const Node& at, bool there) {
  std::vector<OfKind> all;
  reading(draft, at, Mistake::kind,
          [&] { all = names_of_a_kind(declared, draft.run.problem, there); });
  return all;
}

bool mentions(const Node* node, const Entry& index) {
  if (!node) return false;
  if (node->kind == Node::string) return uses_index(node->text, index.key);
  return std::ranges::any_of(node->items, [&](const Node& n) { return mentions(&n, index); }) ||
         std::ranges::any_of(node->entries,
                             [&](const Entry& e) { return mentions(&e.value, index); });
}

/// All values of the indices of `for` together, the last one first to change; nothing with a report
/// where they cannot be told.
std::vector<Indices> combinations(Draft& draft, const Node& of) {
  std::vector<Indices> all{{}};
  std::vector<Declared> names = draft.names;
  for (const Entry& e : of.entries) {
    names.push_back({key_text(e), "index"});
    std::vector<Index> values;
    if (!reading(draft, e.value, Mistake::for_values,
                 [&] { values = values_of(e.key, text(e.value), draft.run.problem); }))
      return {};
    std::vector<Indices> longer;
    for (const Indices& before : all)
      for (const Index& value : values) {
        longer.push_back(before);
        longer.back().push_back(value);
      }
    if (long(longer.size()) > most_of_a_kind) {
      draft.findings.add(Mistake::for_many, of,
                         fmt::format("these are {} of a kind", longer.size()),
                         fmt::format("at most {} are possible", most_of_a_kind));
      return {};
    }
    all = std::move(longer);
  }
  const bool sound = reading(draft, of, Mistake::for_names, [&] { check_names(names); });
  return sound ? all : std::vector<Indices>();
}

}  // namespace

std::vector<Text> names_of(Draft& draft, const Text& declared, const Node& at) {
  std::vector<Text> all;
  for (const OfKind& one : of_kind(draft, declared, at, false))
    all.push_back({one.name, declared.place, declared.verbatim});
  return all;
}

std::vector<Entry> entries_of(Draft& draft, const Node& table, bool arrays) {
  std::vector<Entry> all;
  for (const Entry& entry : table.entries) {
    if (!entry.value.sound) continue;
    if (arrays && (entry.value.kind == Node::array || entry.value.at("file"))) {
      add_array(draft, entry, all);
      continue;
    }
    for (OfKind& one : of_kind(draft, key_text(entry), entry.value, true)) {
      Entry& member = all.emplace_back(entry);
      member.key = std::move(one.name);
      if (member.value.kind == Node::string && !one.indices.empty())
        member.value.text = with_indices(text(entry.value), one.indices, draft.run.problem).value;
    }
  }
  return all;
}

void unfold_requirements(Draft& draft) {
  std::vector<Item> items;
  std::vector<Requirement> requirements;
  std::vector<SamplingOptions> sampling;
  for (const Item& item : draft.requirements) {
    const auto add = [&](const std::string& suffix, std::vector<Indices> members) {
      items.push_back(item);
      items.back().index = requirements.size();
      items.back().members = std::move(members);
      requirements.push_back(draft.run.problem.requirements[item.index]);
      requirements.back().name += suffix;
      sampling.push_back(draft.run.sampling[item.index]);
    };
    const Node* of = item.node->at("for");
    if (!of) {
      add("", {{}});
      continue;
    }
    std::vector<Indices> all = combinations(draft, *of);
    if (all.empty()) continue;  // what it says means nothing
    bool apart = false;
    for (const Entry& index : of->entries) {
      const auto said = [&](const char* key) { return mentions(item.node->at(key), index); };
      apart = apart || said("on") || said("periodic") || said("points");
      if (!apart && !said("residual"))
        draft.findings.add(Mistake::for_unused, index,
                           fmt::format("nothing speaks of the index {}", pinn::quoted(index.key)),
                           fmt::format("write for example residual = \"c[{}] = 0\"", index.key));
    }
    if (!apart) add("", std::move(all));
    for (const Indices& indices : apart ? all : std::vector<Indices>())
      add(in_brackets(indices), {indices});
  }
  draft.requirements = std::move(items);
  draft.run.problem.requirements = std::move(requirements);
  draft.run.sampling = std::move(sampling);
}

}  // namespace pinn::config
