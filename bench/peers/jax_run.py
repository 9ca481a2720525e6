"""Whole training steps of Burgers' problem (configs/burgers.toml) in JAX: loss, gradient and Adam under one jit.

  jax-jvp     jvp, and jvp of jvp, over the whole batch
  jax-grad    nested grad of one point, under vmap

With SSBroyden (optimize.py) loss and gradient are under jit, the rest is the host's.
"""
import jax
import jax.numpy as jnp

import burgers
import optimize
import peer
from jax_common import network, prepare, versions


def u_of(layers, x, t):
    """At one point, or at points in columns."""
    n = network(layers, jnp.concatenate([x, 2 * t - 1], -1), jnp.tanh)
    return -jnp.sin(jnp.pi * x) + t * (1 - x * x) * n


def by_jvp(layers, points):
    x, t = points[:, 0:1], points[:, 1:2]
    ones = jnp.ones_like(x)

    def u_and_ux(x):
        return jax.jvp(lambda x: u_of(layers, x, t), (x,), (ones,))

    (u, u_x), (_, u_xx) = jax.jvp(u_and_ux, (x,), (ones,))
    u_t = jax.jvp(lambda t: u_of(layers, x, t), (t,), (ones,))[1]
    return (u_t + u * u_x - burgers.NU * u_xx)[:, 0]


def by_grad(layers, points):
    def u(x, t):
        return u_of(layers, x[None], t[None])[0]

    def residual(x, t):
        value, (u_x, u_t) = jax.value_and_grad(u, (0, 1))(x, t)
        return u_t + value * u_x - burgers.NU * jax.grad(jax.grad(u))(x, t)

    return jax.vmap(residual)(points[:, 0], points[:, 1])


def main():
    opts = peer.options()
    points, first = prepare(opts, outputs=1)
    weights = jnp.asarray(peer.read(opts, "weights"), dtype=points.dtype)
    rate, beta1, beta2, epsilon = peer.read(opts, "optimizer")
    residual = {"jax-jvp": by_jvp, "jax-grad": by_grad}[opts.row]

    def loss(layers, points):
        return jnp.sum(weights * residual(layers, points) ** 2)

    both = jax.jit(jax.value_and_grad(loss))
    only_value = jax.jit(loss)

    def adam(layers, m, v, t, points):
        g = jax.grad(loss)(layers, points)
        t = t + 1
        m = jax.tree.map(lambda m, g: beta1 * m + (1 - beta1) * g, m, g)
        v = jax.tree.map(lambda v, g: beta2 * v + (1 - beta2) * g * g, v, g)
        c1, c2 = 1 - beta1 ** t, 1 - beta2 ** t
        layers = jax.tree.map(lambda p, m, v: p - rate * (m / c1) / (jnp.sqrt(v / c2) + epsilon), layers, m, v)
        return layers, m, v, t

    step = jax.jit(adam, donate_argnums=(0, 1, 2, 3))

    class Adam:
        def begin(self):
            none = lambda: jax.tree.map(jnp.zeros_like, first)
            self.state = (jax.tree.map(jnp.copy, first), none(), none(), jnp.zeros((), points.dtype))

        def step(self):
            self.state = jax.block_until_ready(step(*self.state, points))

        def loss(self):
            return float(only_value(self.state[0], points))

    class SsBroyden:
        """Parameters and curvature in float64, whatever a step computes in."""

        def begin(self):
            self.method = optimize.SsBroyden(peer.flat_gradient(first), self.value_and_gradient)

        def value_and_gradient(self, flat):
            layers, at = [], 0
            for w, b in first:
                end = at + w.size + b.size
                layers.append((jnp.asarray(flat[at:at + w.size].reshape(w.shape), dtype=points.dtype),
                               jnp.asarray(flat[at + w.size:end], dtype=points.dtype)))
                at = end
            value, gradient = both(layers, points)
            return float(value), peer.flat_gradient(gradient)

        def step(self):
            self.method.step()

        def loss(self):
            return self.method.value

    training = SsBroyden() if opts.optimizer == "ssbroyden" else Adam()
    peer.serve_training(opts, versions(), training, lambda: peer.flat_gradient(both(first, points)[1]))


main()
