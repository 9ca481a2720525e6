// The table of keys: the networks, whose kinds say which options they have.
#include <fmt/format.h>

#include <algorithm>

#include "configs/keys/bind.h"
#include "models/kinds.h"
#include "models/parts/layers.h"

namespace pinn::config {
namespace {

NetworkOptions& network(Draft& d, std::size_t k) { return d.run.networks.at(k); }
FourierOptions& fourier(Draft& d, std::size_t k) { return network(d, k).fourier; }

/// Each kind of network in a few words.
std::string kinds_text() {
  std::string text;
  for (const NetworkKind* kind : kinds::all_networks)
    text += fmt::format("{}`{}`: {}", text.empty() ? "" : "; ", kind->name, kind->says);
  return text;
}

/// An option that some kinds of networks have.
Key own_key(const NetworkOption& option) {
  const std::string name = option.name;
  return later_key({.path = "network." + name,
                    .says = option.says,
                    .syntax = syntax::integer,
                    .range = between(double(option.least), double(option.most)),
                    .chooser = "kind",
                    .set = [name](Draft& d, std::size_t k,
                                  const Node& value) { network(d, k).own[name] = value.whole; },
                    .get =
                        [name, usual = option.fallback](const Draft& d, std::size_t k) {
                          const auto& own = d.run.networks.at(k).own;
                          const auto found = own.find(name);
                          return std::to_string(found == own.end() ? usual : found->second);
                        }});
}

std::vector<Key> own_keys() {
  std::vector<Key> keys;
  for (const NetworkKind* kind : kinds::all_networks)
    for (const NetworkOption& option : kind->options) {
      auto key = std::ranges::find(keys, "network." + std::string(option.name), &Key::path);
      if (key == keys.end()) key = keys.insert(key, own_key(option));
      key->only.emplace_back(kind->name);
    }
  return keys;
}

std::vector<Key> plain_keys() {
  return {
      later_key(bound({.path = "network.name",
                       .says = "for fields that name their network, where there are several "
                               "[[network]]; in checkpoints its parameters are `NAME.W0`, ...",
                       .fallback = "none"},
                      network, &NetworkOptions::name)),
      bound({.path = "network.kind", .says = kinds_text(), .choices = network_kind_names()},
            network, &NetworkOptions::kind),
      bound({.path = "network.layers",
             .says = "widths of the hidden layers",
             .range = between(1, 65536)},
            network, &NetworkOptions::layers),
      bound({.path = "network.activation",
             .says = "one, or one per hidden layer",
             .choices = activation_names()},
            network, &NetworkOptions::activation),
      bound({.path = "network.initialization",
             .says = "of the weights; biases start at zero",
             .choices = initialization_names()},
            network, &NetworkOptions::initialization),
      {.path = "network.frequency",
       .says =
           "`{ t = 8 }`: first-layer weights of that input times 8, biases spread over a period",
       .syntax = syntax::number_table,
       .fallback = "1.0 for each coordinate",
       .range = above(0)},
      {.path = "network.periodic",
       .says = "`[\"x\"]`: exactly periodic in x, by embedding; those faces leave `boundary`",
       .syntax = syntax::names_or_none,
       .fallback = "none"},
      {.path = "network.hard",
       .says = "`\"auto\"`, or names of conditions: their values on whole faces and surfaces "
               "become part of the fields' form, and periodic ones an embedding; `[]`: none, also "
               "where the program chooses; see docs/auto.md",
       .syntax = syntax::names_or_none,
       .fallback = "none"},
  };
}

std::vector<Key> fourier_keys() {
  return {
      bound({.path = "network.fourier.features",
             .says = "random cosine and sine pairs per scale; 0: none",
             .range = between(0, 65536)},
            fourier, &FourierOptions::features),
      bound({.path = "network.fourier.scale",
             .says = "deviation of the frequencies: one, or several for multi-scale features",
             .fallback = "1.0",
             .range = above(0)},
            fourier, &FourierOptions::scale),
      bound(
          {.path = "network.fourier.center",
           .says = "what the frequencies of a scale lie around along every coordinate, in radians "
                   "over half of the interval: one per scale",
           .fallback = "0.0 for each scale",
           .range = at_least(0)},
          fourier, &FourierOptions::center),
      bound({.path = "network.fourier.seed",
             .says = "of the frequencies",
             .fallback = "`run.seed`",
             .range = at_least(0)},
            fourier, &FourierOptions::seed),
  };
}

}  // namespace

std::vector<Key> network_keys() {
  const Key output = {
      .path = "network.output.*",
      .says =
          "a hard constraint per field, `u = \"-sin(pi*x) + t*(1 - x^2)*N\"`; N is the raw "
          "output, "
          "`initial(u)` and `initial(t)` are u and t where a window begins",
      .syntax = syntax::string};
  return joined({plain_keys(), fourier_keys(), {output}, own_keys()});
}

}  // namespace pinn::config
