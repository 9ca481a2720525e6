#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pinn {

/// Random Fourier features cos(Bx), sin(Bx) of the normalized coordinates, B normal with the given
/// deviations around the given centers.
struct FourierOptions {
  int features = 0;           ///< cosine/sine pairs per scale; 0: none
  std::vector<double> scale;  ///< one deviation, or several for multi-scale features
  std::uint64_t seed = 0;
  std::vector<double> center = {};  ///< one per scale; empty: all 0
};

/// The make-up of a network. Coordinates and fields come from the problem.
struct NetworkOptions {
  std::string kind = "mlp";                        ///< one of kinds::all_networks
  std::vector<int> layers = {32, 32, 32, 32};      ///< widths of the hidden layers
  std::vector<std::string> activation = {"tanh"};  ///< one for all, or one per hidden layer
  std::string initialization = "glorot_normal";    ///< one of initialization_names()
  std::vector<double>
      frequency;  ///< per coordinate; first-layer weights times this, biases spread; 1: plain
  std::vector<bool>
      periodic;  ///< per coordinate: cos and sin of one period instead of the coordinate
  FourierOptions fourier;
  std::string name;  ///< for fields that name their network; may be empty
  std::map<std::string, std::int64_t> own = {};  ///< options of the kind that are not its defaults
};

}  // namespace pinn
