#pragma once
#include <string>
#include <utility>
#include <vector>

#include "autograd/taylor/jet.h"
#include "models/parts/options.h"

namespace pinn {

/// The interval of an input, which the network maps to [-1, 1].
struct InputRange {
  std::string name;
  double lower = -1, upper = 1;
  int column = -1;  ///< of the coordinates that it is; -1: its own number
};

/// The fixed features of the coordinates that a network is given: each coordinate mapped to
/// [-1, 1], a periodic one to the cosine and sine of one turn; with Fourier features z of all of
/// these cos(z B), sin(z B).
class Embedding {
 public:
  Embedding(const NetworkOptions& options, std::vector<InputRange> inputs);

  /// Coordinates [points, channels, columns] to [points, channels, features()].
  Jet operator()(const Jet& coordinates) const;
  int features() const;
  const std::vector<InputRange>& inputs() const { return inputs_; }
  /// How many features in a row are made of each input, before Fourier features mix them.
  std::vector<int> parts() const;
  /// Description in words: inputs, periods, Fourier features.
  std::vector<std::pair<std::string, std::string>> facts() const;

 private:
  int plain_features() const;
  void draw();

  std::vector<InputRange> inputs_;
  std::vector<bool> periodic_;
  FourierOptions fourier_;
  std::vector<double> b_;  ///< B [plain features, pairs]
};

}  // namespace pinn
