#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/network.h"

namespace pinn {

/// An option that one kind of network has, a whole number.
struct NetworkOption {
  const char* name;
  const char* says;  ///< for the manual
  std::int64_t fallback, least, most;
};

/// Why options make no network.
struct NetworkMisfit {
  std::string key;  ///< "activation", "fourier.center"
  std::string what, fix;
};

/// How much wider a network is to become, for an estimate of its error: units that join the hidden
/// layers but the last, units that join that, and how many parameters it may come to.
struct Widening {
  int inner = 0, last = 0;
  std::int64_t most_parameters = 0;
};

/// A kind of network: one of the functions that coordinates are put through.
struct NetworkKind {
  const char* name;
  const char* says;  ///< for the manual
  std::vector<NetworkOption> options;
  std::shared_ptr<const Network> (*make)(const NetworkOptions&, std::vector<InputRange>,
                                         int outputs);
  /// Misfits of the options of this kind, besides those of any kind; null: none.
  std::vector<NetworkMisfit> (*misfits)(const NetworkOptions&);
  /// The options of a network of this kind that the given one is a part of: the units that join do
  /// not change what the others compute where no weight leads back from them.
  NetworkOptions (*wider)(NetworkOptions, const Widening&);
};

/// One in each file of models/kinds, and all of them, in the order in which they are told.
namespace kinds {
extern const NetworkKind mlp, modified_mlp, resnet;
inline const NetworkKind* const all_networks[] = {&mlp, &modified_mlp, &resnet};
}  // namespace kinds

std::vector<std::string> network_kind_names();
/// Errors: ConfigError for an unknown name.
const NetworkKind& network_kind(const std::string& name);

/// An option of the options' kind, as it is set or by default.
std::int64_t own_option(const NetworkOptions& options, const std::string& name);

/// All that is wrong with the options, whatever the inputs are. Errors: as network_kind.
std::vector<NetworkMisfit> misfits(const NetworkOptions& options);

/// For kinds in which what a layer gives meets what another one gave: hidden layers are equally
/// wide, and grow by the same number.
std::vector<NetworkMisfit> misfits_of_equal_layers(const NetworkOptions& options);
NetworkOptions equally_wider(NetworkOptions options, const Widening& by);

}  // namespace pinn
