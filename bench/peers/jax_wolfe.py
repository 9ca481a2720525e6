"""The line search of optimize.py for a function under jit: the same trials in loops of lax."""
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from optimize import CURVATURE, DECREASE, TRIALS


class Trial(NamedTuple):
    step: jax.Array
    value: jax.Array
    slope: jax.Array
    gradient: jax.Array


def chosen(condition, yes, no):
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)


def cubic_minimizer(a, b, low, high):
    left, right = chosen(a.step <= b.step, (a, b), (b, a))
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step)
    d2 = jnp.sqrt(d1 * d1 - a.slope * b.slope)
    t = right.step - (right.step - left.step) * ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2))
    return jnp.where(jnp.isfinite(t), jnp.clip(t, low, high), (low + high) / 2)


def wolfe(along, start, first, resolution):
    """The trial that was found; along(t) makes one."""

    def too_high(t):
        return t.value > start.value + DECREASE * t.step * start.slope

    def flat(t):
        return jnp.abs(t.slope) <= -CURVATURE * start.slope

    def in_bracket(i, before, now):
        return too_high(now) | ((i > 1) & (now.value >= before.value)) | ((now.slope >= 0) & ~flat(now))

    def is_too_short(state):
        i, before, now = state
        return (i < TRIALS) & ~in_bracket(i, before, now) & ~flat(now)

    def longer(state):
        i, before, now = state
        nearest = now.step + 0.01 * (now.step - before.step)
        return i + 1, now, along(cubic_minimizer(before, now, nearest, 10 * now.step))

    i, before, now = lax.while_loop(is_too_short, longer, (jnp.array(0), start, along(first)))
    found = ~in_bracket(i, before, now) & flat(now)
    before = chosen(i == TRIALS, start, before)
    low, high = chosen(found | (now.value < before.value), (now, before), (before, now))

    def is_wide(state):
        count, low, high, _, found = state
        return ~found & (count <= TRIALS) & (jnp.abs(high.step - low.step) > resolution)

    def narrower(state):
        count, low, high, crowded, _ = state
        left, right = jnp.minimum(low.step, high.step), jnp.maximum(low.step, high.step)
        width = right - left
        step = cubic_minimizer(low, high, left, right)
        near = jnp.minimum(right - step, step - left) < 0.1 * width
        move_off = near & (crowded | (step >= right) | (step <= left))
        inside = jnp.where(right - step < step - left, right - 0.1 * width, left + 0.1 * width)
        t = along(jnp.where(move_off, inside, step))
        rises = too_high(t) | (t.value >= low.value)
        beyond = t.slope * (high.step - low.step) >= 0
        found = ~rises & flat(t)
        high = chosen(rises, t, chosen(beyond & ~found, low, high))
        return count + 1, chosen(rises, low, t), high, near & ~move_off, found

    return lax.while_loop(is_wide, narrower, (i + 1, low, high, jnp.array(False), found))[1]
