#pragma once
#include "models/network.h"
#include "tests/autograd/taylor/helpers.h"

namespace pinn::test {

/// A flat vector of first parameters, biases too, so that none is 0.
inline Tensor first_parameters(const Network& network, std::uint64_t seed) {
  Tensor flat = 0.3 * normal({network.parameter_count()}, 900);
  Tensor drawn = zeros(flat.shape());
  network.initialize(drawn.data<double>(), seed);
  return drawn + 0.2 * flat;
}

/// The network as a plain function: [points, inputs] to [points, outputs].
inline Tensor evaluate(const Network& network, const Tensor& x, const Tensor& flat) {
  const JetTablePtr value = jet_table({});
  const Jet u = network.apply(network.embed({value, reshape(x, x.shape().inserted(1, 1))}),
                              block_tensors(flat, network.blocks()));
  return u.channel(0);
}

}  // namespace pinn::test
