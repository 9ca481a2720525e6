"""Writes the readings and references of these problems, as the programs they are from make them.

Lorenz' equations by Runge-Kutta (1/1000), the reaction by Chebyshev collocation (64), the American put by Crank-Nicolson and
projected relaxation on two grids (2000 x 1000 differs from 1000 x 500 by what is printed), the call by its formula. Needs numpy.
"""
import math

import numpy as np


def write(path, names, columns):
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        for row in zip(*columns):
            file.write(",".join(f"{value:.12g}" for value in row) + "\n")


def brinkman():
    x = np.linspace(1 / 6, 1, 5, endpoint=False)
    write("brinkman_readings.csv", ["x", "u"], [x, 1 - np.cosh(20 * (x - 0.5)) / np.cosh(10)])


def elliptic():
    x = np.linspace(-1, 1, 100)
    write("elliptic_readings.csv", ["x", "u"], [x, np.sin(np.pi * x)])


def chebyshev(n):
    t = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.r_[2, np.ones(n - 1), 2] * (-1) ** np.arange(n + 1)
    d = np.outer(c, 1 / c) / (t[:, None] - t[None, :] + np.eye(n + 1))
    return (t + 1) / 2, 2 * (d - np.diag(d.sum(axis=1)))


def reaction_rate(n=64):
    t, d = chebyshev(n)
    a = 0.01 * d @ d - np.diag(0.1 + np.exp(-0.5 * (t - 0.5) ** 2 / 0.15**2))
    b = np.sin(2 * np.pi * t)
    a[[0, -1]], b[[0, -1]] = np.eye(n + 1)[[0, -1]], 0
    u = np.polynomial.chebyshev.Chebyshev.fit(t, np.linalg.solve(a, b), n, domain=[0, 1])
    x = np.linspace(0, 1, 100)
    write("reaction_rate_readings.csv", ["x", "u"], [x, u(x)])


def lorenz():
    def slope(y):
        return np.array([10 * (y[1] - y[0]), y[0] * (15 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])

    y, h, rows = np.array([-8.0, 7.0, 27.0]), 1e-3, []
    for step in range(3001):
        if step % 120 == 60:
            rows.append((step * h, *y))
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
    write("lorenz_readings.csv", ["t", "x", "y", "z"], zip(*rows))


def call():
    def normal(x):
        return 0.5 * (1 + math.erf(x / math.sqrt(2)))

    rows = []
    for s in np.linspace(0, 150, 61):
        for t in np.linspace(0, 1, 21):
            if t == 0 or s == 0:
                value = max(s - 50, 0)
            else:
                d1 = (math.log(s / 50) + 0.07 * t) / (0.2 * math.sqrt(t))
                value = s * normal(d1) - 50 * math.exp(-0.05 * t) * normal(d1 - 0.2 * math.sqrt(t))
            rows.append((s, t, value))
    write("black_scholes_call.csv", ["S", "t", "V"], zip(*rows))


def put(cells, steps, times=20):
    """Backward Euler for the first four steps, then Crank-Nicolson; early exercise by Brennan and Schwartz' sweep."""
    r, sigma = 0.05, 0.2
    s, h, dt = np.linspace(0, 4, cells + 1), 4 / cells, 1 / steps
    payoff = np.maximum(1 - s, 0)
    a = 0.5 * (sigma**2 * (s / h) ** 2 - r * s / h)
    c = 0.5 * (sigma**2 * (s / h) ** 2 + r * s / h)
    b = -(sigma**2 * (s / h) ** 2 + r)
    v, kept = payoff.copy(), [payoff.copy()]
    for n in range(1, steps + 1):
        w = 1.0 if n <= 4 else 0.5
        right = v + (1 - w) * dt * (a * np.roll(v, 1) + b * v + c * np.roll(v, -1))
        right[0], right[-1] = 1, 0
        low, mid, up = -w * dt * a, 1 - w * dt * b, -w * dt * c
        low[0] = up[0] = low[-1] = up[-1] = 0
        mid[0] = mid[-1] = 1
        for i in range(cells - 1, -1, -1):  # what lies above is taken out
            f = up[i] / mid[i + 1]
            mid[i] -= f * low[i + 1]
            right[i] -= f * right[i + 1]
        v[0] = max(right[0] / mid[0], payoff[0])
        for i in range(1, cells + 1):
            v[i] = max((right[i] - low[i] * v[i - 1]) / mid[i], payoff[i])
        if n % (steps // times) == 0:
            kept.append(v.copy())
    return s, np.array(kept)


def american_put():
    s, fine = put(2000, 1000)
    _, coarse = put(1000, 500)
    print(f"the put on two grids differs by {np.abs(fine[:, ::2] - coarse).max():.1e}")
    rows = [(s[i], n / 20, fine[n, i]) for i in range(0, 2001, 25) for n in range(21)]
    write("american_put.csv", ["S", "t", "V"], zip(*rows))


for make in (brinkman, elliptic, reaction_rate, lorenz, call, american_put):
    make()
