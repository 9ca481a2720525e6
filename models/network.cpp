#include "models/network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numbers>

#include "autograd/core/error.h"
#include "autograd/core/random.h"
#include "models/kinds.h"
#include "models/parts/layers.h"

namespace pinn {
namespace {

const NetworkOptions& that_fit(const NetworkOptions& options, std::size_t inputs) {
  if (const std::vector<NetworkMisfit> found = misfits(options); !found.empty())
    throw ConfigError({found[0].what, "[network] " + found[0].key, found[0].fix});
  if (options.frequency.size() > inputs || options.periodic.size() > inputs)
    throw ConfigError({"more frequencies or periods than coordinates", "[network] frequency",
                       "give one per coordinate at most"});
  Initialization{options.initialization};  // an unknown name is an error here already
  return options;
}

}  // namespace

Network::Network(const NetworkOptions& options, std::vector<InputRange> inputs, int outputs)
    : options_(that_fit(options, inputs.size())),
      embedding_(options, std::move(inputs)),
      outputs_(outputs),
      activations_(activation_ids(options)),
      parameters_(options.name.empty() ? "" : options.name + ".") {}

std::size_t Network::add_first(const std::string& path, std::int64_t out) {
  return parameters_.add_dense(path, "", embedding_.features(), out, true);
}

std::size_t Network::add_layers() {
  const std::size_t first = blocks().size(), hidden = options_.layers.size();
  std::int64_t in = embedding_.features();
  for (std::size_t l = 0; l <= hidden; ++l) {
    const std::int64_t out = l < hidden ? options_.layers[l] : outputs_;
    parameters_.add_dense("", std::to_string(l), in, out, l == 0);
    in = out;
  }
  return first;
}

Description Network::description() const {
  Description d{options_.name, {{"kind", options_.kind}}, options_.initialization};
  std::ranges::move(embedding_.facts(), std::back_inserter(d.facts));
  d.facts.emplace_back("layers", fmt::format("{}", fmt::join(options_.layers, ", ")));
  d.facts.emplace_back("activation", fmt::format("{}", fmt::join(options_.activation, ", ")));
  for (const NetworkOption& option : network_kind(options_.kind).options)
    d.facts.emplace_back(option.name, std::to_string(own_option(options_, option.name)));
  return d;
}

void Network::initialize(std::span<double> parameters, std::uint64_t seed) const {
  const Initialization draw(options_.initialization);
  for (const ParameterBlock& block : blocks()) {
    const std::span<double> numbers = numbers_of(block, parameters);
    if (block.role == ParameterRole::bias) {
      std::ranges::fill(numbers, 0.0);
      continue;
    }
    const Random random{seed, stream(block.name, "initialization"), 0};
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = draw(random, i, block.shape[0], block.shape[1], block.reads_inputs);
  }
  spread_over_frequencies(parameters, seed);
}

/// Weights of a coordinate times its frequency, and biases anywhere in a period, where inputs reach
/// first: of random Fourier features, which have frequencies of their own, neither.
void Network::spread_over_frequencies(std::span<double> parameters, std::uint64_t seed) const {
  const auto& frequency = options_.frequency;
  const bool plain = std::ranges::all_of(frequency, [](double f) { return f == 1; });
  const bool spreads = Initialization(options_.initialization).spreads_biases();
  if ((plain && !spreads) || options_.fourier.features > 0) return;
  const std::vector<int> parts = embedding_.parts();
  for (const ParameterBlock& block : blocks()) {
    if (!block.reads_inputs) continue;
    const std::span<double> numbers = numbers_of(block, parameters);
    if (block.role == ParameterRole::bias) {
      const Random random{seed, stream(block.name, "initialization"), 0};
      for (std::size_t j = 0; j < numbers.size(); ++j)
        numbers[j] = std::numbers::pi * (2 * random.uniform(j) - 1);
      continue;
    }
    auto weight = numbers.begin();
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::int64_t k = 0; k < parts[i] * block.shape[1]; ++k)
        *weight++ *= i < frequency.size() ? frequency[i] : 1;
  }
}

std::shared_ptr<const Network> make_network(const NetworkOptions& options,
                                            std::vector<InputRange> inputs, int outputs) {
  return network_kind(options.kind).make(options, std::move(inputs), outputs);
}

}  // namespace pinn
