"""The step in JAX, under jit: mean square of u_t + u u_x - nu u_xx, and its gradient by the parameters.

  jax-jvp     jvp, and jvp of jvp, over the whole batch
  jax-grad    nested grad of one point, under vmap
  jax-jet     jax.experimental.jet along x to second order, and one jvp along t
"""
import math

import jax
import jax.numpy as jnp
from jax.experimental.jet import jet

import peer
from jax_common import network, prepare, versions

NU = 0.01 / math.pi


def by_jvp(layers, x):
    along_x = jnp.zeros_like(x).at[:, 0].set(1)
    along_t = jnp.zeros_like(x).at[:, 1].set(1)

    def u_of(points):
        return network(layers, points, jnp.tanh)

    def u_and_ux(points):
        return jax.jvp(u_of, (points,), (along_x,))

    (u, u_x), (_, u_xx) = jax.jvp(u_and_ux, (x,), (along_x,))
    u_t = jax.jvp(u_of, (x,), (along_t,))[1]
    return jnp.mean((u_t + u * u_x - NU * u_xx) ** 2)


def by_grad(layers, x):
    def u_of(a, b):
        return network(layers, jnp.stack([a, b]), jnp.tanh)[0]

    def residual(a, b):
        u, (u_x, u_t) = jax.value_and_grad(u_of, (0, 1))(a, b)
        u_xx = jax.grad(jax.grad(u_of, 0), 0)(a, b)
        return u_t + u * u_x - NU * u_xx

    return jnp.mean(jax.vmap(residual)(x[:, 0], x[:, 1]) ** 2)


def by_jet(layers, x):
    along_x = jnp.zeros_like(x).at[:, 0].set(1)
    along_t = jnp.zeros_like(x).at[:, 1].set(1)

    def u_of(points):
        return network(layers, points, jnp.tanh)

    u, (u_x, u_xx) = jet(u_of, (x,), ((along_x, jnp.zeros_like(x)),))
    u_t = jax.jvp(u_of, (x,), (along_t,))[1]
    return jnp.mean((u_t + u * u_x - NU * u_xx) ** 2)


def main():
    opts = peer.options()
    x, layers = prepare(opts, outputs=1)
    loss = {"jax-jvp": by_jvp, "jax-grad": by_grad, "jax-jet": by_jet}[opts.row]
    step = jax.jit(jax.value_and_grad(loss))
    last = {}

    def act():
        last["gradient"] = jax.block_until_ready(step(layers, x))[1]

    peer.serve(opts, versions(), act, lambda: {"gradient": peer.flat_gradient(last["gradient"])})


main()
