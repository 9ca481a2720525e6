#include "models/kinds.h"

#include <algorithm>

#include "autograd/core/error.h"

namespace pinn {

std::vector<std::string> network_kind_names() {
  std::vector<std::string> names;
  for (const NetworkKind* kind : kinds::all_networks) names.emplace_back(kind->name);
  return names;
}

const NetworkKind& network_kind(const std::string& name) {
  std::string known;
  for (const NetworkKind* kind : kinds::all_networks) {
    if (kind->name == name) return *kind;
    known += (known.empty() ? "" : ", ") + std::string(kind->name);
  }
  throw ConfigError(
      {"there is no kind of network '" + name + "'", "[network] kind", "use one of " + known});
}

std::int64_t own_option(const NetworkOptions& options, const std::string& name) {
  if (const auto set = options.own.find(name); set != options.own.end()) return set->second;
  for (const NetworkOption& option : network_kind(options.kind).options)
    if (option.name == name) return option.fallback;
  throw InternalError(
      {"a network of kind '" + options.kind + "' has no option '" + name + "'", "own_option", ""});
}

std::vector<NetworkMisfit> misfits(const NetworkOptions& options) {
  const NetworkKind& kind = network_kind(options.kind);
  std::vector<NetworkMisfit> found;
  const auto must = [&](bool fits, const std::string& key, const std::string& what,
                        const std::string& fix) {
    if (!fits) found.push_back({key, what, fix});
  };
  const std::size_t layers = options.layers.size(), activations = options.activation.size();
  must(activations == 1 || activations == layers, "activation",
       std::to_string(activations) + " activations for " + std::to_string(layers) + " layers",
       "write one for all layers, or one per layer");
  must(std::ranges::all_of(options.layers, [](int w) { return w > 0; }), "layers",
       "a hidden layer has no units", "give widths of at least 1");
  const FourierOptions& fourier = options.fourier;
  const std::size_t scales = fourier.scale.size(), centers = fourier.center.size();
  must(fourier.features == 0 || scales > 0, "fourier.scale", "Fourier features without a scale",
       "give one or more deviations");
  must(centers == 0 || centers == std::max<std::size_t>(1, scales), "fourier.center",
       std::to_string(centers) + (centers == 1 ? " center" : " centers") + " for " +
           std::to_string(std::max<std::size_t>(1, scales)) + (scales > 1 ? " scales" : " scale"),
       "write one center per scale");
  if (kind.misfits) std::ranges::move(kind.misfits(options), std::back_inserter(found));
  return found;
}

std::vector<NetworkMisfit> misfits_of_equal_layers(const NetworkOptions& options) {
  const std::vector<int>& layers = options.layers;
  if (layers.empty())
    return {{"layers", "a network of kind " + options.kind + " has hidden layers",
             "give it one or more, or kind = \"mlp\""}};
  const auto other = std::ranges::find_if(layers, [&](int w) { return w != layers[0]; });
  if (other == layers.end()) return {};
  return {{"layers",
           "hidden layers of " + std::to_string(layers[0]) + " and " + std::to_string(*other) +
               " units in a network of kind " + options.kind,
           "give all the same width, or kind = \"mlp\""}};
}

NetworkOptions equally_wider(NetworkOptions options, const Widening& by) {
  const std::int64_t own = options.layers[0], matrices = std::int64_t(options.layers.size()) - 1;
  std::int64_t units = by.last;
  while (units > 1 && matrices * (own + units) * (own + units) > by.most_parameters / 2)
    units -= (units + 7) / 8;
  for (int& width : options.layers) width += int(units);
  return options;
}

}  // namespace pinn
