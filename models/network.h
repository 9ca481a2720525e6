#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autograd/taylor/jet.h"
#include "models/parameters.h"
#include "models/parts/embedding.h"
#include "models/parts/options.h"

namespace pinn {

/// A network in words: all that makes it the function of its parameters that it is. Plan, report
/// and files show it, and two networks are the same function where their facts are equal.
struct Description {
  using Facts = std::vector<std::pair<std::string, std::string>>;

  std::string name;  ///< of the network; may be empty
  Facts facts;  ///< {"kind", "mlp"} first, {"inputs", "x in [0, 1]"}, {"layers", "20, 20"}, ...
  std::string start;  ///< what draws its first parameters; nothing to a trained one

  /// "layers 20, 20, activation tanh, glorot_normal"; a kind other than "mlp" before it.
  std::string text() const;
};

/// Descriptions as lines "layers = 20, 20" with an empty line between two networks; and back.
std::string lines_of(const std::vector<Description>& networks);
std::vector<Description> descriptions_in(const std::string& lines);

/// The facts that differ, as "activation is sin and was tanh".
std::vector<std::string> differences(const Description& is, const Description& was);

/// A function of jets of the coordinates with parameters given from outside: a fixed embedding of
/// the coordinates, and what a kind of network makes of it.
class Network {
 public:
  virtual ~Network() = default;

  const std::string& name() const { return options_.name; }
  int outputs() const { return outputs_; }
  const std::vector<ParameterBlock>& blocks() const { return parameters_.blocks(); }
  std::int64_t parameter_count() const { return parameters_.count(); }
  Description description() const;

  /// Fills the flat parameter vector: weights by `initialization`, biases 0, but where a coordinate
  /// has a frequency other than 1, or by "siren", biases that inputs reach are uniform in
  /// (-pi, pi).
  void initialize(std::span<double> parameters, std::uint64_t seed) const;

  /// The fixed part: coordinates [points, channels, inputs] to features.
  Jet embed(const Jet& coordinates) const { return embedding_(coordinates); }
  /// The trained part: features to [points, channels, outputs]. `parameters`: one tensor per block.
  ///
  ///   layers_per_checkpoint   so many layers at a time save their input alone, and are computed
  ///                           again by the backward pass, which the network must outlive; 0: none
  virtual Jet apply(const Jet& embedded, const std::vector<Tensor>& parameters,
                    int layers_per_checkpoint = 0) const = 0;

 protected:
  /// Errors: ConfigError for options that misfits() names.
  Network(const NetworkOptions& options, std::vector<InputRange> inputs, int outputs);

  /// A dense layer that the embedded coordinates reach first; the index of its weight among the
  /// parameters.
  std::size_t add_first(const std::string& path, std::int64_t out);
  /// The hidden layers and the last one, each reached by the one before: W0, b0, W1, ...; the index
  /// of the first weight.
  std::size_t add_layers();
  /// Hidden layer l's activation, a unary id.
  int activation(std::size_t l) const { return activations_[l]; }
  const NetworkOptions& options() const { return options_; }

 private:
  void spread_over_frequencies(std::span<double> parameters, std::uint64_t seed) const;

  NetworkOptions options_;
  Embedding embedding_;
  int outputs_;
  std::vector<int> activations_;
  ParameterTree parameters_;
};

/// Makes a whole network for a problem. Errors: as Network.
std::shared_ptr<const Network> make_network(const NetworkOptions& options,
                                            std::vector<InputRange> inputs, int outputs);

}  // namespace pinn
