// The residual network of E and Yu's Deep Ritz method (Commun. Math. Stat. 6, 2018, 1): hidden
// layers in blocks, and what goes into a block is added to what comes out of it. Into the first
// block go the inputs, which are of another width, and are not added.
#include "models/kinds.h"
#include "models/parts/layers.h"

namespace pinn {
namespace {

class Resnet final : public Network {
 public:
  Resnet(const NetworkOptions& o, std::vector<InputRange> inputs, int outputs)
      : Network(o, std::move(inputs), outputs), block_(std::size_t(own_option(o, "block"))) {
    add_layers();
  }

  Jet apply(const Jet& embedded, const std::vector<Tensor>& parameters,
            int layers_per_checkpoint) const override {
    const std::size_t hidden = options().layers.size();
    const std::size_t blocks = (hidden + block_ - 1) / block_;
    const int at_once = (layers_per_checkpoint + int(block_) - 1) / int(block_);
    const Jet h = in_turn(embedded, blocks, at_once,
                          [this, parameters, hidden](std::size_t b, const Jet& in) {
                            Jet y = in;
                            const std::size_t end = std::min(hidden, (b + 1) * block_);
                            for (std::size_t l = b * block_; l < end; ++l)
                              y = apply_unary(activation(l), dense(y, parameters, 2 * l));
                            return b == 0 ? y : in + y;
                          });
    return dense(h, parameters, 2 * hidden);
  }

 private:
  std::size_t block_;  ///< layers
};

std::shared_ptr<const Network> make_resnet(const NetworkOptions& options,
                                           std::vector<InputRange> inputs, int outputs) {
  return std::make_shared<const Resnet>(options, std::move(inputs), outputs);
}

}  // namespace

const NetworkKind kinds::resnet = {
    "resnet",
    "hidden layers in blocks, each of which adds to what goes into it",
    {{"block", "hidden layers of a block", 2, 1, 64}},
    make_resnet,
    misfits_of_equal_layers,
    equally_wider};

}  // namespace pinn
