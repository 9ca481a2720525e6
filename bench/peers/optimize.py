"""SSBroyden for peers that have none, in float64, step by step as pinn's optimizer of that name: a dense inverse
Hessian, a member of Broyden's class chosen by the curvature at each move (Kiyani et al. 2025, arXiv 2501.16371), and a
strong Wolfe search (Nocedal & Wright 2006, algorithms 3.5 and 3.6)."""
import math
from collections import namedtuple

import numpy as np
from scipy.linalg.blas import dgemm, dsymv
from scipy.linalg.lapack import dpotrf

EPSILON = float(np.finfo(np.float64).eps)
DECREASE, CURVATURE, TRIALS = 1e-4, 0.9, 25

Trial = namedtuple("Trial", "step value slope gradient")


class SsBroyden:
    def __init__(self, p, value_and_gradient):
        self.p, self.ask = p.copy(), value_and_gradient
        self.inverse = None
        self.objective_changed()

    def objective_changed(self):
        """Curvature stays, made symmetric; where rounding has spoiled it, it begins anew."""
        self.value, self.gradient = self.ask(self.p)
        self.previous = None
        if self.inverse is not None:
            self.inverse = np.asfortranarray((self.inverse + self.inverse.T) / 2)
            if dpotrf(self.inverse)[1] != 0:
                self.inverse = None

    def step(self):
        if not self.descend():
            self.inverse, self.previous = None, None
            if not self.descend():
                raise RuntimeError("the line search found nothing lower")

    def descend(self):
        g = self.gradient
        d = -g if self.inverse is None else -dsymv(1.0, self.inverse, g)
        start = Trial(0.0, self.value, float(g @ d), g)
        if not start.slope < 0:
            return False
        best = wolfe(lambda t: self.trial(t, d), start, self.first_step(start),
                     EPSILON * np.abs(self.p).max() / np.abs(d).max())
        if not best.value < start.value:
            return False
        s = best.step * d
        self.p = self.p + s
        self.learn(best.step, start.slope, s, best.gradient - g)
        self.previous, self.value, self.gradient = start.value, best.value, best.gradient
        return True

    def trial(self, t, d):
        value, gradient = self.ask(self.p + t * d)
        return Trial(t, value, float(gradient @ d), gradient)

    def first_step(self, start):
        previous = self.previous if self.previous is not None else start.value + np.linalg.norm(start.gradient) / 2
        step = 1.01 * 2 * (start.value - previous) / start.slope
        return min(1.0, step) if step > 0 else 1.0

    def learn(self, step, slope, s, y):
        curvature = float(s @ y)
        if curvature <= EPSILON * np.linalg.norm(s) * np.linalg.norm(y):
            return
        if self.inverse is None:
            self.inverse = np.asfortranarray(np.eye(len(s)))
        q = dsymv(1.0, self.inverse, y)
        yq = float(y @ q)
        b, h = -step * step * slope / curvature, yq / curvature
        phi, tau = member(b, h, len(s))
        qq, qs = (phi - 1) / (yq * tau), -phi / (curvature * tau)
        ss = (phi * h / tau + 1) / curvature
        rows = np.asfortranarray([qq * q + qs * s, qs * q + ss * s])
        self.inverse = dgemm(1.0, np.asfortranarray(np.stack([q, s], 1)), rows, 1 / tau, self.inverse, overwrite_c=1)


def member(b, h, dimensions):
    a = max(b * h - 1, EPSILON)
    c = math.sqrt(a / (1 + a))
    rho_minus = min(1.0, h * (1 - c))
    theta = max((rho_minus - 1) / a, min(1 / rho_minus, (1 - b) / b))
    sigma = 1 + theta * a
    root = abs(sigma) ** (1 / (1 - max(dimensions, 2)))
    rho = min(1.0, 1 / b)
    tau = min(rho * root, sigma) if theta <= 0 else rho * min(root, 1 / theta)
    return (1 - theta) / (1 + a * theta), tau


def cubic_minimizer(a, b, low, high):
    left, right = (a, b) if a.step <= b.step else (b, a)
    try:
        d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step)
        d2 = math.sqrt(d1 * d1 - a.slope * b.slope)
        t = right.step - (right.step - left.step) * ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2))
    except (ValueError, ZeroDivisionError):
        return (low + high) / 2
    return min(max(t, low), high)


def wolfe(along, start, first, resolution):
    def too_high(t):
        return t.value > start.value + DECREASE * t.step * start.slope

    def flat(t):
        return abs(t.slope) <= -CURVATURE * start.slope

    before, now, evaluations = start, along(first), 1
    for i in range(TRIALS):
        if too_high(now) or (i > 1 and now.value >= before.value) or (now.slope >= 0 and not flat(now)):
            break
        if flat(now):
            return now
        nearest = now.step + 0.01 * (now.step - before.step)
        before, now = now, along(cubic_minimizer(before, now, nearest, 10 * now.step))
        evaluations += 1
    else:
        before = start
    low, high = (before, now) if before.value <= now.value else (now, before)

    crowded = False
    while evaluations <= TRIALS:
        left, right = min(low.step, high.step), max(low.step, high.step)
        width = right - left
        if width <= resolution:
            break
        step = cubic_minimizer(low, high, left, right)
        near = min(right - step, step - left) < 0.1 * width
        move_off = near and (crowded or step >= right or step <= left)
        if move_off:
            step = right - 0.1 * width if right - step < step - left else left + 0.1 * width
        crowded = near and not move_off
        t = along(step)
        evaluations += 1
        if too_high(t) or t.value >= low.value:
            high = t
        elif flat(t):
            return t
        else:
            if t.slope * (high.step - low.step) >= 0:
                high = low
            low = t
    return low
