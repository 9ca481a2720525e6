#!/usr/bin/env python3
"""Writes scalar.txt and mlp.txt beside itself: reference numbers for derivatives, from 60-digit arithmetic.

    python3 tests/golden/golden.py        (needs mpmath; takes ten seconds)

No line of the project's code takes part. Derivatives of functions of one number are central differences
with more than 200 digits. Those of the network are products of truncated polynomials in (x, y), and its
gradients by the parameters are central differences: at 100 digits a step of 1e-30 leaves 60 right ones.
"""
from math import comb, factorial
from pathlib import Path

import mpmath as mp
from mpmath import mpf

mp.mp.dps = 100
here = Path(__file__).parent
number = lambda x: mp.nstr(x, 30, min_fixed=1, max_fixed=0) if x else "0"

# ---- functions of one number: f, f', ..., f^(6) at points that are exact in float32 and away from kinks

tiny = "0.0009765625"
functions = {
    "neg": (lambda x: -x, ["-2", "0.5"]),
    "square": (lambda x: x * x, ["-2", "0", "0.5"]),
    "recip": (lambda x: 1 / x, ["-2", "0.5"]),
    "sqrt": (mp.sqrt, ["0.25", "2"]),
    "exp": (mp.exp, ["-1", "0", "1.5"]),
    "log": (mp.log, ["0.125", "1", "3"]),
    "sin": (mp.sin, ["0", "0.5", "2.3125"]),
    "cos": (mp.cos, ["0", "0.5", "2.3125"]),
    "tan": (mp.tan, ["-1", "0", "0.5"]),
    "atan": (mp.atan, ["-3", "0", "0.5"]),
    "sinh": (mp.sinh, ["-2", "0", "0.5"]),
    "cosh": (mp.cosh, ["-2", "0", "0.5"]),
    "gaussian": (lambda x: mp.exp(-x * x), ["-1", "0", "0.5", "2"]),
    "erf": (mp.erf, ["-1", "0", "0.5", "2"]),
    "sech2": (lambda x: mp.sech(x) ** 2, ["-3", "0", tiny, "0.5", "8"]),
    "tanh": (mp.tanh, ["-3", "-0.5", "0", tiny, "0.5", "2", "8"]),
    "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), ["-4", "0", "0.6875", "6"]),
    "softplus": (lambda x: mp.log1p(mp.exp(x)), ["-2", "0", "3"]),
    "silu": (lambda x: x / (1 + mp.exp(-x)), ["-2", "0", "3"]),
    "gelu": (lambda x: x * (1 + mp.erf(x / mp.sqrt(2))) / 2, ["-2", "0", "1"]),
    "step": (lambda x: mpf(x > 0), ["-0.5", "0.5"]),
    "sign": (mp.sign, ["-0.5", "0.5"]),
    "relu": (lambda x: x if x > 0 else mpf(0), ["-0.5", "0.5"]),
    "abs": (abs, ["-0.5", "0.5"]),
}
exponents = {"0": ["-2", "0.5"], "1": ["-2", "0.5"], "3": ["-2", "0", "0.5"], "4": ["-2", "0.5"],
             "7": ["-1.5", "0.5"], "-1": ["-2", "0.5"], "-2": ["-2", "0.5"], "0.5": ["0.25", "2"],
             "1.5": ["0.25", "2"], "-0.75": ["0.5", "2"]}


def power_derivatives(p, x):
    """p (p-1) ... (p-k+1) x^(p-k), without a 0/0 where the factor is 0."""
    falling = lambda k: mp.fprod(p - i for i in range(k))
    return [falling(k) * x ** (p - k) if falling(k) else mpf(0) for k in range(7)]


def derivatives(f, x):
    """Central differences of orders 0 ... 6; the error is about 1e-40 f^(k+2)."""
    h = mpf(10) ** -20
    with mp.workdps(220):
        return [mp.fsum((-1) ** i * comb(k, i) * f(x + (mpf(k) / 2 - i) * h) for i in range(k + 1)) / h**k
                for k in range(7)]


def scalar_lines():
    yield "# op parameter x f f' f'' ... f^(6)"
    for name, (f, points) in functions.items():
        for x in points:
            exact = [f(mpf(x))] + derivatives(f, mpf(x))[1:]
            yield " ".join([name, "0", x] + [number(d if abs(d) > mpf(10) ** -20 else mpf(0)) for d in exact])
    for p, points in exponents.items():
        for x in points:
            yield " ".join(["power", p, x] + [number(d) for d in power_derivatives(mpf(p), mpf(x))])


# ---- a small network 2-6-6-3, tanh after the first two layers

widths = [2, 6, 6, 3]
points = [("0.3", "-0.7"), ("-1.1", "0.4"), ("0", "0"), ("2.5", "1.25")]
monomials = [(t - j, j) for t in range(5) for j in range(t + 1)]


def weight(l, o, i): return mp.sin(1 + 3 * o + 7 * i + 11 * l) / mp.sqrt(widths[l])
def bias(l, o): return mp.cos(2 + o + 5 * l) / 10


parameters = {("W", l, o, i): weight(l, o, i) for l in range(3) for o in range(widths[l + 1]) for i in range(widths[l])}
parameters.update({("b", l, o, 0): bias(l, o) for l in range(3) for o in range(widths[l + 1])})


def times(a, b):
    """The product of polynomials {(i, j): coefficient of dx^i dy^j}, cut off after total degree 4."""
    c = dict.fromkeys(monomials, mpf(0))
    for (i, j), v in a.items():
        for (k, l), w in b.items():
            if v and w and i + j + k + l <= 4: c[i + k, j + l] += v * w
    return c


def tanh_of(a):
    """sum_m t_m (a - a_0)^m with the Taylor coefficients t of tanh at a_0, from t' = 1 - t^2."""
    t = [mp.tanh(a[0, 0])]
    for k in range(4): t.append(((k == 0) - mp.fsum(t[i] * t[k - i] for i in range(k + 1))) / (k + 1))
    n = dict(a); n[0, 0] = mpf(0)
    power = {(0, 0): mpf(1)}; sum_ = dict.fromkeys(monomials, mpf(0))
    for m in range(5):
        for key, v in power.items(): sum_[key] += t[m] * v
        power = times(power, n)
    return sum_


def network(point, p):
    """The outputs as polynomials around the point."""
    h = [dict.fromkeys(monomials, mpf(0)) for _ in range(2)]
    for c, (value, one) in enumerate(zip(point, [(1, 0), (0, 1)])): h[c][0, 0] = mpf(value); h[c][one] = mpf(1)
    for l in range(3):
        z = []
        for o in range(widths[l + 1]):
            a = {m: mp.fsum(p["W", l, o, i] * h[i][m] for i in range(widths[l])) for m in monomials}
            a[0, 0] += p["b", l, o, 0]
            z.append(tanh_of(a) if l < 2 else a)
        h = z
    return h


def partial(u, i, j): return u[i, j] * factorial(i) * factorial(j)


def losses(p):
    """Means over the points of (u0_xx + u0_yy + u0 u1_x - u2)^2 and of (u0_xxxx + 2 u0_xxyy + u0_yyyy)^2."""
    first, second = mpf(0), mpf(0)
    for point in points:
        u0, u1, u2 = network(point, p)
        first += (partial(u0, 2, 0) + partial(u0, 0, 2) + u0[0, 0] * partial(u1, 1, 0) - u2[0, 0]) ** 2
        second += (partial(u0, 4, 0) + 2 * partial(u0, 2, 2) + partial(u0, 0, 4)) ** 2
    return first / len(points), second / len(points)


def gradient(key):
    h = mpf(10) ** -30
    up, down = (losses({**parameters, key: parameters[key] + s * h}) for s in (1, -1))
    return [(a - b) / (2 * h) for a, b in zip(up, down)]


def mlp_lines():
    yield "# Network 2-6-6-3 of (x, y), tanh after the first two layers, h <- tanh(W h + b):"
    yield "# W[l][o][i] = sin(1 + 3 o + 7 i + 11 l) / sqrt(columns),  b[l][o] = cos(2 + o + 5 l) / 10"
    yield "# loss_residual: mean of (u0_xx + u0_yy + u0 u1_x - u2)^2 over the points"
    yield "# loss_biharmonic: mean of (u0_xxxx + 2 u0_xxyy + u0_yyyy)^2"
    yield "# partial x y output i j value         the derivative d^i/dx^i d^j/dy^j of that output"
    yield "# loss name value"
    yield "# weight|bias l o i value d(loss_residual) d(loss_biharmonic)    (i = 0 for a bias)"
    for point in points:
        for o, u in enumerate(network(point, parameters)):
            for i, j in monomials: yield f"partial {point[0]} {point[1]} {o} {i} {j} {number(partial(u, i, j))}"
    for name, value in zip(["residual", "biharmonic"], losses(parameters)): yield f"loss {name} {number(value)}"
    for key, value in parameters.items():
        kind = "weight" if key[0] == "W" else "bias"
        yield " ".join([kind, *map(str, key[1:]), number(value)] + [number(g) for g in gradient(key)])


for file, lines in [("scalar.txt", scalar_lines()), ("mlp.txt", mlp_lines())]:
    (here / file).write_text("# Made by golden.py in 60-digit arithmetic.\n" + "\n".join(lines) + "\n")
