#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "autograd/taylor/jet.h"
#include "models/options.h"

namespace pinn {

/// The interval of an input, which the network maps to [-1, 1].
struct InputRange {
  std::string name;
  double lower = -1, upper = 1;
  int column = -1;  ///< of the coordinates that it is; -1: its own number
};

/// Where a parameter array stands in the flat parameter vector; row-major.
struct ParameterBlock {
  std::string name;  ///< "W0", "b0", ..., or "NAME.W0" of a network with a name
  Shape shape;
  std::int64_t offset = 0;
};

/// A function of jets of the coordinates with parameters given from outside.
///
///   x = embedding(coordinates), fixed; h_0 = x, h_{l+1} = f_l(h_l W_l + b_l), u = h_L W_L + b_L
///
/// The embedding maps each coordinate to [-1, 1], a periodic one to the cosine and sine of one
/// turn, and with Fourier features z to cos(z B), sin(z B).
class Network {
 public:
  /// Errors: ConfigError for an unknown activation or initialization, or sizes that do not fit.
  Network(const NetworkOptions& options, std::vector<InputRange> inputs, int outputs);

  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  std::int64_t parameter_count() const { return count_; }
  int outputs() const { return outputs_; }
  const std::string& name() const { return options_.name; }

  /// Fills the flat parameter vector: weights by `initialization`, biases 0, but where a coordinate
  /// has a frequency other than 1 the first layer's biases are uniform in (-pi, pi).
  void initialize(std::span<double> parameters, std::uint64_t seed) const;

  /// The fixed part: coordinates [points, channels, inputs] to features.
  Jet embed(const Jet& coordinates) const;
  /// The trained part: features to [points, channels, outputs]. `parameters`: one tensor per block.
  ///
  ///   layers_per_checkpoint   so many layers at a time save their input alone, and are computed
  ///                           again by the backward pass, which the network must outlive; 0: none
  Jet operator()(const Jet& embedded, const std::vector<Tensor>& parameters,
                 int layers_per_checkpoint = 0) const;

 private:
  int plain_features() const;
  int features() const;
  void draw_fourier();
  Jet layers(Jet h, const std::vector<Tensor>& parameters, std::size_t first,
             std::size_t last) const;
  void add_layer(std::int64_t in, std::int64_t out);

  NetworkOptions options_;
  std::vector<InputRange> inputs_;
  int outputs_;
  std::vector<int> activations_;  ///< unary ids, one per hidden layer
  std::vector<ParameterBlock> blocks_;
  std::int64_t count_ = 0;
  std::vector<double> fourier_;  ///< B [plain features, pairs]
};

/// Views of a flat vector [P], one per block, without history.
std::vector<Tensor> block_tensors(const Tensor& flat, const std::vector<ParameterBlock>& blocks);

/// The names that `activation` and `initialization` take.
std::vector<std::string> activation_names();
std::vector<std::string> initialization_names();

}  // namespace pinn
