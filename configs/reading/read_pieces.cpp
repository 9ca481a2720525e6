#include <fmt/format.h>

#include <algorithm>

#include "configs/reading/pieces.h"
#include "solvers/problem/parse.h"

namespace pinn::config {
namespace {

constexpr std::size_t most_dialects = 1000;

Text constant_text(const Node& value) {
  if (value.kind == Node::string) return text(value);
  return {to_toml(value.real), place(value), false};
}

Node with_entry(const Node& table, const Entry& entry) {
  Node one = table;
  one.entries = {entry};
  return one;
}

}  // namespace

PieceReader::PieceReader(Draft& draft, const Node& problem) : draft_(draft), node_(problem) {}

/// The number of a set of regions; the first table decides their order.
int PieceReader::partition_of(const Node& table) {
  std::vector<std::string> names;
  for (const Entry& e : table.entries) names.push_back(e.key);
  for (std::size_t p = 0; p < named_.size(); ++p)
    if (std::ranges::is_permutation(named_[p].regions, names)) return int(p);
  named_.push_back({names, &table});
  pieces_->partitions.emplace_back();
  return int(named_.size()) - 1;
}

int PieceReader::network_named(const Node& name) {
  const std::vector<NetworkOptions>& all = draft_.run.networks;
  std::vector<std::string> known;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!all[k].name.empty() && all[k].name == name.text) return int(k);
    if (!all[k].name.empty()) known.push_back(all[k].name);
  }
  unknown_network_ = true;
  draft_.findings.add(Mistake::unknown_network, name,
                      fmt::format("there is no network {}", pinn::quoted(name.text)),
                      known.empty() ? fmt::format("write [[network]] with name = \"{}\"", name.text)
                                    : suggestion(name.text, known));
  return -1;
}

std::vector<int> PieceReader::inputs_of(const Node& names) {
  std::vector<int> inputs;
  for (const Node& name : names.items)
    if (const int c = coordinate_named(draft_, name); c >= 0) inputs.push_back(c);
  std::ranges::sort(inputs);
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  return inputs.size() == draft_.run.problem.coordinates.size() ? std::vector<int>() : inputs;
}

void PieceReader::add_field(Field field, const Node* value) {
  std::vector<Field>& fields = draft_.run.problem.fields;
  if (const Node* inputs = value ? value->at("inputs") : nullptr) field.inputs = inputs_of(*inputs);
  const Node* network = value ? value->at("network") : nullptr;
  if (!network || network->kind == Node::string) {
    if (network) field.network = std::max(0, network_named(*network));
    fields.push_back(std::move(field));
    return;
  }
  PiecewiseField pieces{field.name, partition_of(*network), {}};
  for (const std::string& region : named_[std::size_t(pieces.partition)].regions) {
    const int k = std::max(
        0, network_named(network->find(region)->kind == Node::string ? *network->find(region)
                                                                     : *network));
    const auto same = std::ranges::find_if(
        fields, [&](const Field& f) { return f.piece_of == pieces.name && f.network == k; });
    pieces.fields.push_back(int(same - fields.begin()));
    if (same != fields.end()) continue;
    Field piece = field;
    piece.name = fmt::format("side({}, {})", pieces.name, region);
    piece.piece_of = pieces.name;
    piece.network = k;
    fields.push_back(std::move(piece));
  }
  pieces_->fields.push_back(std::move(pieces));
}

bool PieceReader::check_networks(const Node& at) {
  const std::vector<Field>& fields = draft_.run.problem.fields;
  const std::vector<NetworkOptions>& all = draft_.run.networks;
  if (unknown_network_) return false;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto own = [&](const Field& f) { return f.network == int(k); };
    const auto first = std::ranges::find_if(fields, own);
    if (first == fields.end()) {
      draft_.findings.add(
          Mistake::idle_network, *network_table(draft_, k),
          fmt::format("no field comes from the network {}", pinn::quoted(all[k].name)),
          fmt::format("name it: [problem.fields.u] network = \"{}\", or leave it out",
                      all[k].name));
      return false;
    }
    for (const Field& f : fields)
      if (own(f) && f.inputs != first->inputs) {
        draft_.findings.add(
            Mistake::network_inputs, at,
            fmt::format("{} and {} come from one network, and depend on other coordinates",
                        pinn::quoted(first->name), pinn::quoted(f.name)),
            "give each its own: [[network]] with a name, and network = \"NAME\" in the field's "
            "table");
        return false;
      }
  }
  return true;
}

void PieceReader::add_definitions(const Node& table, std::vector<PiecewiseDefinition>& to) {
  for (const Entry& e : table.entries) {
    if (!e.value.sound) continue;
    if (e.value.kind == Node::table && !e.value.at("file")) {
      PiecewiseDefinition d{key_text(e), {}, partition_of(e.value)};
      for (const std::string& region : named_[std::size_t(d.partition)].regions)
        d.texts.push_back(constant_text(*e.value.find(region)));
      to.push_back(std::move(d));
      continue;
    }
    for (const Entry& one : entries_of(draft_, with_entry(table, e), true))
      to.push_back({key_text(one), {constant_text(one.value)}});
  }
}

void PieceReader::add_constants(const Node& table) { add_definitions(table, pieces_->constants); }
void PieceReader::add_defines(const Node& table) { add_definitions(table, pieces_->defines); }

std::vector<Definition> PieceReader::plain(const std::vector<PiecewiseDefinition>& all) {
  if (!named_.empty()) pieces_->settle();
  std::vector<Definition> some;
  for (const PiecewiseDefinition& d : all)
    if (d.partitions.empty() && d.partition < 0) some.push_back({d.name, d.texts[0]});
  return some;
}

std::vector<Definition> PieceReader::plain_constants() { return plain(pieces_->constants); }
std::vector<Definition> PieceReader::plain_defines() { return plain(pieces_->defines); }

bool PieceReader::make_partition(const Named& named) {
  const Problem& problem = draft_.run.problem;
  std::vector<std::string> known;
  for (const NamedRegion& r : problem.regions) known.push_back(r.name);
  std::vector<NamedRegion> regions;
  for (const Entry& e : named.node->entries) {
    const auto found = std::ranges::find(problem.regions, e.key, &NamedRegion::name);
    if (found != problem.regions.end()) {
      regions.push_back(*found);
      continue;
    }
    draft_.findings.add(Mistake::piece_region, e,
                        fmt::format("there is no region {}", pinn::quoted(e.key)),
                        known.empty() ? "make it in [problem.regions]" : suggestion(e.key, known));
    return false;
  }
  const auto partition = std::make_shared<const Partition>(regions, problem);
  pieces_->partitions[std::size_t(&named - named_.data())] = partition;
  return reading(draft_, *named.node, Mistake::pieces, [&] { partition->check(problem); });
}

bool PieceReader::make(Warnings& warnings) {
  if (named_.empty()) return true;
  for (const Named& named : named_)
    if (!make_partition(named)) return false;
  pieces_->settle();
  draft_.run.problem.pieces = pieces_;
  std::size_t count = 1;
  for (const Named& named : named_) count *= named.regions.size();
  if (count > most_dialects) {
    draft_.findings.add(Mistake::many_pieces, *named_.back().node,
                        fmt::format("the regions of all pieces make {} combinations", count),
                        fmt::format("at most {} are possible", most_dialects));
    return false;
  }
  std::vector<int> chosen(named_.size(), 0);
  for (std::size_t n = 0; n < count; ++n) {
    std::size_t rest = n;
    for (std::size_t p = 0; p < chosen.size(); rest /= named_[p].regions.size(), ++p)
      chosen[p] = int(rest % named_[p].regions.size());
    Warnings told_before;
    if (!reading(draft_, node_, Mistake::by_region, [&] {
          pieces_->dialect(draft_.run.problem, chosen, n == 0 ? warnings : told_before);
        }))
      return false;
  }
  return true;
}

}  // namespace pinn::config
