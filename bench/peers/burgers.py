"""The problem of configs/burgers.toml: u = -sin(pi x) + t (1 - x^2) N, where N is the network."""
import math

import numpy as np

NU = 0.01 / math.pi


def form(points):
    """u = a + b N and its derivatives: what does not depend on the network, each [points, 1]."""
    x, t = points[:, 0:1], points[:, 1:2]
    sine, cosine = np.sin(math.pi * x), np.cos(math.pi * x)
    return {"a": -sine, "a_x": -math.pi * cosine, "a_xx": math.pi ** 2 * sine,
            "b": t * (1 - x * x), "b_x": -2 * t * x, "b_xx": -2 * t, "b_t": 1 - x * x}


def residual(f, n, n_x, n_t, n_xx):
    u = f["a"] + f["b"] * n
    u_x = f["a_x"] + f["b_x"] * n + f["b"] * n_x
    u_t = f["b_t"] * n + f["b"] * n_t
    u_xx = f["a_xx"] + f["b_xx"] * n + 2 * f["b_x"] * n_x + f["b"] * n_xx
    return u_t + u * u_x - NU * u_xx
