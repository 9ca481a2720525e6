// Choices of several networks, each in a table of its own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "configs/choice.h"
#include "configs/choice/course.h"
#include "configs/reading/pieces.h"

namespace pinn::config {
namespace {

constexpr int least_width = 12;  ///< of layers

}  // namespace

bool networks_say(const Node& tree, const char* key) {
  const Node* networks = tree.at("network");
  return networks && (networks->at(key) || std::ranges::any_of(networks->items, [&](const Node& n) {
                        return n.at(key);
                      }));
}

std::string network_tables(const Draft& draft, const std::vector<NetworkText>& networks) {
  if (std::ranges::all_of(networks, [](const NetworkText& n) { return n.keys.empty(); }) &&
      std::ranges::all_of(networks, [](const NetworkText& n) { return n.output.empty(); }))
    return {};
  std::string text;
  for (std::size_t k = 0; k < networks.size(); ++k) {
    if (networks.size() > 1)
      text += fmt::format("{}[[network]]\nname = {}\n", k == 0 ? "" : "\n",
                          to_toml(std::string_view(draft.run.networks[k].name)));
    else if (!networks[k].keys.empty())
      text += "[network]\n";
    text += networks[k].keys;
    if (!networks[k].output.empty()) text += "\n[network.output]\n" + networks[k].output;
  }
  return text;
}

std::string output_line(const Field& field, const std::string& form) {
  return fmt::format("{} = {}\n", key_to_toml(field.piece_of.empty() ? field.name : field.piece_of),
                     to_toml(std::string_view(form)));
}

bool reads(const Draft& d, std::size_t network, std::size_t coordinate) {
  return std::ranges::any_of(d.run.problem.fields, [&](const Field& f) {
    return f.network == int(network) &&
           (f.inputs.empty() || std::ranges::count(f.inputs, int(coordinate)) > 0);
  });
}

std::vector<int> chosen_layers(const Draft& d, std::size_t network) {
  std::size_t dimensions = 0;
  for (std::size_t c = 0; c < d.run.problem.coordinates.size(); ++c)
    dimensions += reads(d, network, c);
  const auto fields = std::ranges::count(d.run.problem.fields, int(network), &Field::network);
  const double alone = dimensions > 2 || fields > 2 ? 32 : 24;
  const double shared = alone / std::sqrt(double(d.run.networks.size()));
  const int width = std::max(least_width, 4 * int(std::ceil(shared / 4)));
  return std::vector<int>(dimensions > 1 ? 3 : 2, width);
}

std::string layers_text(const Draft& d, std::size_t network) {
  return fmt::format("layers = [{}]\n", fmt::join(chosen_layers(d, network), ", "));
}

std::vector<NetworkOptions> with_chosen_layers(const Draft& d) {
  std::vector<NetworkOptions> networks = d.run.networks;
  for (std::size_t k = 0; k < networks.size(); ++k) {
    const Node* table = network_table(d, k);
    if (!table || !table->at("layers")) networks[k].layers = chosen_layers(d, k);
  }
  return networks;
}

}  // namespace pinn::config
