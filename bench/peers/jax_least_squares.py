"""What second-order methods ask of the rows R = r / sqrt(points), in JAX under jit, r = u_t + u u_x - nu u_xx:

  jax-jacobian-times    J v: jvp over the whole batch
  jax-transposed-times  J^T w: vjp
  jax-jacobian-rows     all rows of J: grad of one point's row under vmap
  jax-gram              J J^T of these rows
"""
import math

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

import peer
from jax_common import network, prepare, versions

NU = 0.01 / math.pi


def residual(layers, points):
    """At points [..., 2]; [...]."""
    along_x = jnp.zeros_like(points).at[..., 0].set(1)
    along_t = jnp.zeros_like(points).at[..., 1].set(1)

    def u_of(at):
        return network(layers, at, jnp.tanh)

    def u_and_ux(at):
        return jax.jvp(u_of, (at,), (along_x,))

    (u, u_x), (_, u_xx) = jax.jvp(u_and_ux, (points,), (along_x,))
    u_t = jax.jvp(u_of, (points,), (along_t,))[1]
    return (u_t + u * u_x - NU * u_xx)[..., 0]


def main():
    opts = peer.options()
    x, layers = prepare(opts, outputs=1)
    p, layers_of = ravel_pytree(layers)  # weight, bias, weight, ...: the order of pinn
    v, w = (jnp.asarray(peer.read(opts, key), dtype=p.dtype) for key in ("v", "w"))
    root = math.sqrt(len(x))

    def rows(parameters):
        return residual(layers_of(parameters), x) / root

    def row(parameters, point):
        return residual(layers_of(parameters), point) / root

    def jacobian(parameters):
        return jax.vmap(jax.grad(row), (None, 0))(parameters, x)

    def gram(parameters):
        j = jacobian(parameters)
        return j @ j.T

    name = opts.row.removeprefix("jax-")
    asked = {"jacobian-times": lambda at: jax.jvp(rows, (at,), (v,))[1],
             "transposed-times": lambda at: jax.vjp(rows, at)[1](w)[0],
             "jacobian-rows": jacobian,
             "gram": gram}[name]
    step = jax.jit(asked)
    last = {}

    def act():
        last["answer"] = jax.block_until_ready(step(p))

    def results():
        some = slice(None, None, max(1, len(x) // 20)) if last["answer"].ndim == 2 else slice(None)
        return {name: last["answer"][some]}

    peer.serve(opts, versions(), act, results)


if __name__ == "__main__":
    main()
