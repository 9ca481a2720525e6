// The multilayer perceptron, u = h_L W_L + b_L with h_0 = x and h_{l+1} = f_l(h_l W_l + b_l).
#include "models/kinds.h"
#include "models/parts/layers.h"

namespace pinn {
namespace {

class Mlp final : public Network {
 public:
  Mlp(const NetworkOptions& o, std::vector<InputRange> inputs, int outputs)
      : Network(o, std::move(inputs), outputs) {
    add_layers();
  }

  Jet apply(const Jet& embedded, const std::vector<Tensor>& parameters,
            int layers_per_checkpoint) const override {
    const std::size_t hidden = options().layers.size();
    return in_turn(embedded, hidden + 1, layers_per_checkpoint,
                   [this, parameters, hidden](std::size_t l, const Jet& h) {
                     const Jet y = dense(h, parameters, 2 * l);
                     return l < hidden ? apply_unary(activation(l), y) : y;
                   });
  }
};

std::shared_ptr<const Network> make_mlp(const NetworkOptions& options,
                                        std::vector<InputRange> inputs, int outputs) {
  return std::make_shared<const Mlp>(options, std::move(inputs), outputs);
}

NetworkOptions wider_mlp(NetworkOptions options, const Widening& by) {
  for (int& width : options.layers) width += by.inner;
  if (!options.layers.empty()) options.layers.back() += by.last - by.inner;
  return options;
}

}  // namespace

const NetworkKind kinds::mlp = {"mlp", "a multilayer perceptron", {}, make_mlp, nullptr, wider_mlp};

}  // namespace pinn
