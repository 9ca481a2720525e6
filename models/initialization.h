#pragma once
#include <cstdint>
#include <string>

#include "autograd/core/random.h"

namespace pinn {

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
