// The modified multilayer perceptron of Wang, Teng and Perdikaris (SIAM J. Sci. Comput. 43, 2021,
// A3055): two gates of the inputs, g and k, take part in every hidden layer,
//
//   g = f(x G + c), k = f(x K + d), z_l = f(h_l W_l + b_l), h_{l+1} = z_l g + (1 - z_l) k
#include "models/kinds.h"
#include "models/parts/layers.h"

namespace pinn {
namespace {

class ModifiedMlp final : public Network {
 public:
  ModifiedMlp(const NetworkOptions& o, std::vector<InputRange> inputs, int outputs)
      : Network(o, std::move(inputs), outputs) {
    for (const char* gate : {"gate1.", "gate2."}) add_first(gate, o.layers[0]);
    add_layers();
  }

  Jet apply(const Jet& embedded, const std::vector<Tensor>& parameters,
            int layers_per_checkpoint) const override {
    const Jet first = apply_unary(activation(0), dense(embedded, parameters, 0));
    const Jet second = apply_unary(activation(0), dense(embedded, parameters, 2));
    const Jet between = first - second;
    const std::size_t hidden = options().layers.size();
    return in_turn(embedded, hidden + 1, layers_per_checkpoint,
                   [this, parameters, hidden, second, between](std::size_t l, const Jet& h) {
                     const Jet y = dense(h, parameters, 4 + 2 * l);
                     if (l == hidden) return y;
                     return second + apply_unary(activation(l), y) * between;
                   });
  }
};

std::shared_ptr<const Network> make_modified_mlp(const NetworkOptions& options,
                                                 std::vector<InputRange> inputs, int outputs) {
  return std::make_shared<const ModifiedMlp>(options, std::move(inputs), outputs);
}

}  // namespace

const NetworkKind kinds::modified_mlp = {"modified_mlp",
                                         "two gates of the inputs take part in every hidden layer",
                                         {},
                                         make_modified_mlp,
                                         misfits_of_equal_layers,
                                         equally_wider};

}  // namespace pinn
