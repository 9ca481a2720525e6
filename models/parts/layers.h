#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/core/random.h"
#include "autograd/tape/save_on.h"
#include "autograd/taylor/jet.h"
#include "models/parts/options.h"

namespace pinn {

/// The names that `activation` takes.
std::vector<std::string> activation_names();
/// The unary op of one. Errors: ConfigError for another name.
int activation_id(const std::string& name);
/// One for each hidden layer.
std::vector<int> activation_ids(const NetworkOptions& options);

/// Why derivatives of an order are not those of a smooth function, or vanish, whatever the
/// parameters are: "the second derivative of relu is 0 but for a kink that no point sees"; empty
/// where they are fine.
std::string roughness(const NetworkOptions& options, int order);

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

/// The layer that adds its bias to h W, without an activation: parameters `at` and `at` + 1.
inline Jet dense(const Jet& h, const std::vector<Tensor>& parameters, std::size_t at) {
  return {h.table, linear(h.data, parameters[at], parameters[at + 1])};
}

/// Steps 0 ... count - 1 one after the other: step(l, h) makes of what step l - 1 gave what step
/// l + 1 is given. So many at a time save their input alone, and are computed again by the backward
/// pass; 0: all save what they need.
template <class Step> Jet in_turn(Jet h, std::size_t count, int per_checkpoint, const Step& step) {
  const auto through = [step](Jet x, std::size_t first, std::size_t last) {
    for (std::size_t l = first; l < last; ++l) x = step(l, x);
    return x;
  };
  if (per_checkpoint <= 0) return through(h, 0, count);
  for (std::size_t first = 0, last; first < count; first = last) {
    last = std::min(count, first + std::size_t(per_checkpoint));
    h.data = checkpoint(
        [through, table = h.table, first, last](const std::vector<Tensor>& in) {
          return through({table, in[0]}, first, last).data;
        },
        {h.data});
  }
  return h;
}

}  // namespace pinn
