"""A whole step of a second-order method on the rows R = r / sqrt(points), in JAX: every part of it under jit, float64.

  jax-levenberg-marquardt  all rows of J by vmap of grad, the triangle of [J R] by QR; dampings, each a QR of that triangle
                           over a diagonal, bent by the acceleration of its path and corrected: from 1 down as long as they
                           do as predicted, or up to the first that does (docs/second_order.md)
  jax-natural-gradient     J^T J, one small damping, its Cholesky factor, and the step of lowest loss of 1, 1/2, 1/4 ... of it
"""
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jax.scipy.linalg import cho_factor, cho_solve, solve_triangular

import peer
from jax_common import prepare, versions
from jax_least_squares import residual

PROBE, MOST_OF_STEP, LEAST_RATIO = 0.1, 0.75, 0.15
NEARLY, CORRECTIONS = 0.9, 8  # of the predicted decrease, where a step is not corrected any more; at most
NATURAL_DAMPING = 1e-10


class Problem:
    def __init__(self, opts):
        x, layers = prepare(opts, outputs=1)
        self.p, layers_of = ravel_pytree(layers)
        root = math.sqrt(len(x))

        def rows(p):
            return residual(layers_of(p), x) / root

        def row(p, point):
            return residual(layers_of(p), point) / root

        self.rows = jax.jit(rows)
        self.loss = jax.jit(lambda p: jnp.sum(rows(p) ** 2))
        self.along = jax.jit(lambda p, d: jax.jvp(rows, (p,), (d,))[1])
        self.back = jax.jit(lambda p, w: jax.vjp(rows, p)[1](w)[0])

        def jacobian(p):
            return jax.vmap(jax.grad(row), (None, 0))(p, x)

        @jax.jit
        def triangle(p):
            return jnp.linalg.qr(jnp.column_stack([jacobian(p), rows(p)]), mode="r")

        @jax.jit
        def natural(p):
            j, r = jacobian(p), rows(p)
            a = j.T @ j
            factor = cho_factor(a + NATURAL_DAMPING * jnp.trace(a) * jnp.eye(len(p)), lower=True)
            return -cho_solve(factor, j.T @ r), jnp.sum(r ** 2)

        self.triangle, self.natural = triangle, natural


@jax.jit
def damped(triangle, scales, damping):
    """Of the triangle of [J D^-1, R]: d, the decrease that it predicts, and the factor that gave it."""
    n = len(scales)
    below = jnp.diag(jnp.append(jnp.full(n, jnp.sqrt(damping)), 0.0))
    factor = jnp.linalg.qr(jnp.vstack([triangle, below]), mode="r")
    z = -solve_triangular(factor[:n, :n], factor[:n, n])
    jz = triangle[:n, :n] @ z
    return z / scales, jnp.sum(jz ** 2) + 2 * damping * jnp.sum(z ** 2), factor[:n, :n]


@jax.jit
def solve(factor, scales, g):
    x = solve_triangular(factor, g / scales, trans=1)
    return solve_triangular(factor, x) / scales


def levenberg_marquardt(problem):
    p = problem.p
    here, whole = problem.rows(p), problem.triangle(p)
    before = float(jnp.sum(here ** 2))
    scales = jnp.linalg.norm(whole[:, :-1], axis=0)
    scales = jnp.maximum(scales, jnp.maximum(1e-12 * jnp.max(scales), 1e-300))
    model = whole / jnp.append(scales, 1.0)

    def size(d):
        return float(jnp.linalg.norm(scales * d))

    def attempt(damping):
        """The step of a damping where it does as predicted, or None."""
        d, predicted, factor = damped(model, scales, damping)
        reached, loss = d, float(problem.loss(p + d))
        bend = 2 / PROBE * ((problem.rows(p + PROBE * d) - here) / PROBE - problem.along(p, d))
        a = -solve(factor, scales, problem.back(p, bend))
        if size(a) < MOST_OF_STEP * size(d):
            bent = float(problem.loss(p + d + a / 2))
            if bent < loss or not math.isfinite(loss):
                reached, loss = d + a / 2, bent
        for _ in range(CORRECTIONS):
            if loss <= before - NEARLY * float(predicted):
                break
            g = problem.back(p, problem.rows(p + reached)) + damping * scales ** 2 * reached
            c = -solve(factor, scales, g)
            if not size(c) < MOST_OF_STEP * size(d):
                break
            nearer = float(problem.loss(p + reached + c))
            if not nearer + damping * size(reached + c) ** 2 < loss + damping * size(reached) ** 2:
                break
            reached, loss = reached + c, nearer
        return reached if before - loss >= LEAST_RATIO * float(predicted) and loss < before else None

    damping = 1.0
    chosen = attempt(damping)
    if chosen is not None:
        for k in range(1, 5):
            longer = attempt(10.0 ** (-k / 2))
            if longer is None:
                break
            chosen = longer
    while chosen is None:
        damping *= math.sqrt(10)
        chosen = attempt(damping)
    return p + chosen


def natural_gradient(problem):
    p = problem.p
    d, best = problem.natural(p)
    step, taken, after = 1.0, 0.0, 0
    while after < 2:
        loss = float(problem.loss(p + step * d))
        if loss < best:
            best, taken, after = loss, step, 0
        elif taken > 0:
            after += 1
        step /= 2
    return p + taken * d


def main():
    opts = peer.options()
    problem = Problem(opts)
    name = opts.row.removeprefix("jax-")
    method = {"levenberg-marquardt": levenberg_marquardt, "natural-gradient": natural_gradient}[name]
    last = {}

    def act():
        last[name] = jax.block_until_ready(method(problem))

    peer.serve(opts, versions(), act, lambda: {name: np.asarray(last[name])})


if __name__ == "__main__":
    main()
