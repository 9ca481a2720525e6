#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace pinn {

/// Random Fourier features cos(Bx), sin(Bx) of the normalized coordinates, B normal with the given
/// deviations.
struct FourierOptions {
  int features = 0;           ///< cosine/sine pairs per scale; 0: none
  std::vector<double> scale;  ///< one deviation, or several for multi-scale features
  std::uint64_t seed = 0;
};

/// What a network is. Coordinates and fields come from the problem.
struct NetworkOptions {
  std::string kind = "mlp";
  std::vector<int> layers = {32, 32, 32, 32};      ///< widths of the hidden layers
  std::vector<std::string> activation = {"tanh"};  ///< one for all, or one per hidden layer
  std::string initialization = "glorot_normal";    ///< {glorot,he,lecun}_{normal,uniform}
  std::vector<double>
      frequency;  ///< per coordinate; first-layer weights times this, biases spread; 1: plain
  std::vector<bool>
      periodic;  ///< per coordinate: cos and sin of one period instead of the coordinate
  FourierOptions fourier;
};

}  // namespace pinn
