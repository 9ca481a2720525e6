#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/core/random.h"

namespace pinn {

/// The names that `initialization` takes.
std::vector<std::string> initialization_names();

/// Random first weights with the variance that keeps signals of one size through the layers:
///
///   glorot   2 / (in + out)   Glorot, Bengio, AISTATS 2010
///   he       2 / in           He, Zhang, Ren, Sun, ICCV 2015
///   lecun    1 / in           LeCun, Bottou, Orr, Mueller, Efficient BackProp, 1998
///   siren    as he_uniform, but uniform in (-30, 30) / in where the inputs reach first: for sin
///            Sitzmann, Martel, Bergman, Lindell, Wetzstein, NeurIPS 2020, their factor 30 within
///            sin multiplied into the weights
///
/// "..._normal" draws normal deviates, "..._uniform" uniform ones of the same variance.
class Initialization {
 public:
  /// Errors: ConfigError for an unknown name.
  explicit Initialization(const std::string& name);
  /// A weight of a dense layer.
  double operator()(const Random& random, std::uint64_t index, std::int64_t in, std::int64_t out,
                    bool reads_inputs) const;
  /// It spreads the biases of layers that the inputs reach first over a period.
  bool spreads_biases() const { return siren_; }

 private:
  double numerator_ = 2;
  bool by_out_ = false, normal_ = true, siren_ = false;
};

}  // namespace pinn
