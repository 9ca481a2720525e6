#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/core/random.h"

namespace pinn {

/// Random Fourier features cos(Bx), sin(Bx) of the normalized coordinates, B normal with the given
/// deviations around the given centers.
struct FourierOptions {
  int features = 0;           ///< cosine/sine pairs per scale; 0: none
  std::vector<double> scale;  ///< one deviation, or several for multi-scale features
  std::uint64_t seed = 0;
  std::vector<double> center = {};  ///< one per scale; empty: all 0
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
  std::string name;                    ///< for fields that name their network; may be empty
  std::vector<NetworkOptions> beside;  ///< the others of a problem that has several
};

/// A network and those beside it, in their order.
inline std::vector<NetworkOptions> all_networks(const NetworkOptions& first) {
  std::vector<NetworkOptions> all{first};
  all.insert(all.end(), first.beside.begin(), first.beside.end());
  return all;
}

/// Random first weights with the variance that keeps signals of one size through the layers:
///
///   glorot   2 / (in + out)   Glorot, Bengio, AISTATS 2010
///   he       2 / in           He, Zhang, Ren, Sun, ICCV 2015
///   lecun    1 / in           LeCun, Bottou, Orr, Mueller, Efficient BackProp, 1998
///
/// "..._normal" draws normal deviates, "..._uniform" uniform ones of the same variance.
class Initialization {
 public:
  /// Errors: ConfigError for an unknown name.
  explicit Initialization(const std::string& name);
  double operator()(const Random& random, std::uint64_t index, std::int64_t in,
                    std::int64_t out) const;

 private:
  double numerator_ = 2;
  bool by_out_ = false, normal_ = true;
};

}  // namespace pinn
