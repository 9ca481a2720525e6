"""W-HESS in JAX, under jit: every second derivative of a network's three outputs by its two inputs.

  jax-hessian            vmap of jacfwd of jacrev
  jax-forward            vmap of jacfwd of jacfwd
  ... backward           also the gradient of the sum of the Hessian
"""
import jax
import jax.numpy as jnp

import peer
from jax_common import ACTIVATIONS, network, prepare, versions


def main():
    opts = peer.options()
    x, layers = prepare(opts, outputs=3)
    f = ACTIVATIONS[opts.activation]
    backward = opts.row.endswith(" backward")
    inner = {"jax-hessian": jax.jacrev, "jax-forward": jax.jacfwd}[opts.row.removesuffix(" backward")]

    def derivatives(layers):
        def twice(point):
            j = inner(lambda p: network(layers, p, f))(point)
            return j, j

        h, j = jax.vmap(jax.jacfwd(twice, has_aux=True))(x)
        return jnp.transpose(j, (1, 0, 2)), jnp.transpose(h, (1, 2, 0, 3)).reshape(6, x.shape[0], 2)

    def total(layers):
        j, h = derivatives(layers)
        return jnp.sum(h), (j, h)

    iteration = jax.jit(jax.grad(total, has_aux=True) if backward else lambda p: (None, derivatives(p)))
    last = {}

    def act():
        last["gradient"], (_, last["hessian"]) = jax.block_until_ready(iteration(layers))

    def results():
        arrays = {"hessian": last["hessian"]}
        if backward:
            arrays["gradient"] = peer.flat_gradient(last["gradient"])
        return arrays

    peer.serve(opts, versions(), act, results)


main()
