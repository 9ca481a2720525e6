"""The problems of configs/burgers.toml, u = -sin(pi x) + t (1 - x^2) N, and of configs/records/burgers.toml, which is
periodic, u = -sin(pi x) + t N, where N is the network."""
import math

import numpy as np

NU = 0.01 / math.pi


def form(points, periodic=False):
    """u = a + b N and its derivatives: what does not depend on the network, each [points, 1]."""
    x, t = points[:, 0:1], points[:, 1:2]
    sine, cosine = np.sin(math.pi * x), np.cos(math.pi * x)
    none = np.zeros_like(x)
    factor = {"b": t, "b_x": none, "b_xx": none, "b_t": none + 1} if periodic else \
             {"b": t * (1 - x * x), "b_x": -2 * t * x, "b_xx": -2 * t, "b_t": 1 - x * x}
    return {"a": -sine, "a_x": -math.pi * cosine, "a_xx": math.pi ** 2 * sine, **factor}


def residual(f, n, n_x, n_t, n_xx):
    u = f["a"] + f["b"] * n
    u_x = f["a_x"] + f["b_x"] * n + f["b"] * n_x
    u_t = f["b_t"] * n + f["b"] * n_t
    u_xx = f["a_xx"] + f["b_xx"] * n + 2 * f["b_x"] * n_x + f["b"] * n_xx
    return u_t + u * u_x - NU * u_xx


def inputs(points, periodic=False):
    """What enters the network, and its x and q channels, with q = _t - nu _xx: [3, inputs, points]."""
    x, t = points[:, 0], points[:, 1]
    one, none = np.ones_like(x), np.zeros_like(x)
    if not periodic:
        return np.stack([[x, 2 * t - 1], [one, none], [none, 2 * one]])
    turn, fall = math.pi * (x + 1), NU * math.pi ** 2
    cosine, sine = np.cos(turn), np.sin(turn)
    return np.stack([[cosine, sine, 2 * t - 1], [-math.pi * sine, math.pi * cosine, none], [fall * cosine, fall * sine, 2 * one]])


def three(points, periodic=False):
    """[8, points], for residual_of_three: a, a_x and q of a, then what stands before N in u and u_x, then before N, N_x and
    q of N in q of u."""
    f = {name: values[:, 0] for name, values in form(points, periodic).items()}
    return np.stack([f["a"], f["a_x"], -NU * f["a_xx"], f["b"], f["b_x"], f["b_t"] - NU * f["b_xx"], -2 * NU * f["b_x"],
                     f["b"]])


def residual_of_three(f, n, n_x, n_q):
    """The residual q + u u_x from three channels of the network."""
    u = f[0] + f[3] * n
    u_x = f[1] + f[4] * n + f[3] * n_x
    return f[2] + f[5] * n + f[6] * n_x + f[7] * n_q + u * u_x


def value(points, periodic, layers):
    """u at points by numpy, of layers (weight [in, out], bias [out])."""
    h = inputs(points, periodic)[0].T
    for w, b in layers[:-1]:
        h = np.tanh(h @ w + b)
    f = form(points, periodic)
    return (f["a"] + f["b"] * (h @ layers[-1][0] + layers[-1][1]))[:, 0]
