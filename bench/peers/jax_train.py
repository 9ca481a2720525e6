"""Burgers' problem trained in JAX: Adam, then SSBroyden (as optimize.py), each move whole under one jit, the inverse Hessian
updated in place.

The residual takes three channels, u, u_x and u_t - nu u_xx, by hand through the layers. Points are columns.
"""
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import burgers
import peer
import training
from jax_common import versions
from jax_wolfe import Trial, wolfe
from optimize import EPSILON


class State(NamedTuple):
    p: jax.Array
    inverse: jax.Array
    value: jax.Array
    gradient: jax.Array
    direction: jax.Array
    previous: jax.Array


def network(shapes):
    """Of flat parameters [W [in, out], b, ...] the weights as [out, in] and biases [out, 1]."""
    def layers(p):
        at, parts = 0, []
        for rows, columns in shapes:
            w, at = p[at:at + rows * columns].reshape(rows, columns), at + rows * columns
            b, at = p[at:at + columns, None], at + columns
            parts.append((w, b))
        return parts
    return layers


def loss_of(layers):
    def loss(p, arrays):
        h, form, weights = arrays
        *hidden, (w_last, b_last) = layers(p)
        for w, b in hidden:
            z, z_x, z_q = jnp.split(w.T @ h, 3, 1)
            a = jnp.tanh(z + b)
            s = 1 - a * a
            h = jnp.concatenate([a, s * z_x, s * z_q + 2 * burgers.NU * a * s * z_x * z_x], 1)
        n, n_x, n_q = jnp.split((w_last.T @ h)[0], 3)
        return jnp.sum(weights * burgers.residual_of_three(form, n + b_last[0], n_x, n_q) ** 2)
    return jax.value_and_grad(loss)


def adam_of(both, begin):
    beta1, beta2 = begin.beta1, begin.beta2

    @partial(jax.jit, donate_argnums=(0, 1, 2))
    def step(p, m, v, t, arrays):
        g = both(p, arrays)[1]
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        return p - begin.rate * (m / (1 - beta1 ** t)) / (jnp.sqrt(v / (1 - beta2 ** t)) + begin.epsilon), m, v

    return step


def member(b, h, dimensions):
    a = jnp.maximum(b * h - 1, EPSILON)
    c = jnp.sqrt(a / (1 + a))
    rho_minus = jnp.minimum(1.0, h * (1 - c))
    theta = jnp.maximum((rho_minus - 1) / a, jnp.minimum(1 / rho_minus, (1 - b) / b))
    sigma = 1 + theta * a
    root = jnp.abs(sigma) ** (1 / (1 - dimensions))
    rho = jnp.minimum(1.0, 1 / b)
    tau = jnp.where(theta <= 0, jnp.minimum(rho * root, sigma), rho * jnp.minimum(root, 1 / theta))
    return (1 - theta) / (1 + a * theta), tau


def learned(inverse, step, slope, s, y, g):
    """H after a move, and -H g, which follows from the products with the H before."""
    curvature = s @ y
    q, hg = inverse @ y, inverse @ g
    yq = y @ q
    b, h = -step * step * slope / curvature, yq / curvature
    phi, tau = member(b, h, len(s))
    qq, qs = (phi - 1) / (yq * tau), -phi / (curvature * tau)
    ss = (phi * h / tau + 1) / curvature
    by_q, by_s = qq * q + qs * s, qs * q + ss * s
    good = (curvature > EPSILON * jnp.linalg.norm(s) * jnp.linalg.norm(y)) & (yq > 0)
    scale, by_q, by_s = jnp.where(good, 1 / tau, 1.0), jnp.where(good, by_q, 0.0), jnp.where(good, by_s, 0.0)
    updated = scale * inverse + q[:, None] * by_q[None, :] + s[:, None] * by_s[None, :]
    return updated, -(scale * hg + (by_q @ g) * q + (by_s @ g) * s)


def ssbroyden_of(both):
    """A whole move, and what begins anew where the objective has changed."""

    @partial(jax.jit, donate_argnums=0)
    def move(state, arrays):
        p, inverse, value, gradient, d, previous = state
        start = Trial(jnp.array(0.0), value, gradient @ d, gradient)

        def along(t):
            value, gradient = both(p + t * d, arrays)
            return Trial(t, value, gradient @ d, gradient)

        step = 2.02 * (value - previous) / start.slope
        best = wolfe(along, start, jnp.where(step > 0, jnp.minimum(1.0, step), 1.0),
                     EPSILON * jnp.abs(p).max() / jnp.abs(d).max())
        lower = (start.slope < 0) & (best.value < value)
        s, y = best.step * d, best.gradient - gradient
        inverse, direction = learned(inverse, best.step, start.slope, s, y, best.gradient)
        return State(p + s, inverse, best.value, best.gradient, direction, value), lower

    @partial(jax.jit, donate_argnums=1)
    def begin(p, inverse, arrays):
        value, gradient = both(p, arrays)
        inverse = (inverse + inverse.T) / 2
        good = ~jnp.isnan(jnp.linalg.cholesky(inverse)[-1, -1])
        inverse = jnp.where(good, inverse, jnp.eye(len(p)))
        return State(p, inverse, value, gradient, -(inverse @ gradient), value + jnp.linalg.norm(gradient) / 2)

    return move, begin


def main():
    jax.config.update("jax_enable_x64", True)
    opts = training.options()
    begin = training.Beginning(opts)
    layers = network([w.shape for w, _ in begin.inputs.layers])
    both = loss_of(layers)
    p, arrays = jnp.asarray(peer.flat_gradient(begin.inputs.layers)), [jnp.asarray(a) for a in begin.first()]
    numpy_pairs = lambda flat: [(np.asarray(w), np.asarray(b)[:, 0]) for w, b in layers(flat)]
    begin.check(numpy_pairs(jax.jit(both)(p, arrays)[1]))

    # What compilers have to do is done before the clocks start.
    adam, (move, anew) = adam_of(both, begin), ssbroyden_of(both)
    m, v, none = jnp.zeros_like(p), jnp.zeros_like(p), jnp.eye(len(p))
    state = anew(p, none, arrays)
    adam = adam.lower(p, m, v, 1.0, arrays).compile()
    move = move.lower(state, arrays).compile()

    diary = training.Diary(opts, versions(), lambda points: burgers.value(points, opts.periodic, numpy_pairs(p)))
    for step in range(1, opts.first + 1):
        p, m, v = adam(p, m, v, float(step), arrays)
        p.block_until_ready()
        if not diary.after(step):
            return

    inverse = jnp.eye(len(p))
    for step in range(opts.first, opts.last):
        if step % opts.redraw == 0 or step == opts.first:
            if step % opts.redraw == 0:
                arrays = [jnp.asarray(a) for a in begin.redrawn()]
            state = anew(p, inverse, arrays)
        last, (state, lower) = state, move(state, arrays)
        if not lower:
            raise SystemExit(f"the line search found nothing lower at step {step}")
        p, inverse = state.p, state.inverse
        if not diary.after(step + 1):
            return


main()
