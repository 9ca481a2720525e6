"""A small weighted sum of squares, and its derivatives: the one that every method is followed on.

A network 2-4-2 of tanh, u and v its outputs at (x, y), and an unknown k; the rows of |R|^2 are

    an equation, weight 2      sqrt(2   / n) (u v + k u - x sin 2y)
    a condition, weight 0.3    sqrt(0.3 / n) (u + v/2 - x^2)
    another,     weight 1.5    sqrt(1.5 / n) (v - cos x y)

with n points each, point i of all at x = 2 frac(0.37 + 0.618 i) - 1, y = 2 frac(0.11 + 0.711 i)
- 1.
The parameters are W1 [2, 4], b1 [4], W2 [4, 2], b2 [2], k; at first, 0.9 sin(1 + 2.3 i).
"""
import numpy as np

SHAPES = [(2, 4), (1, 4), (4, 2), (1, 2), (1, 1)]
WEIGHTS = [2, 0.3, 1.5]
P = sum(m * n for m, n in SHAPES)


def start():
    return 0.9 * np.sin(1 + 2.3 * np.arange(P))


def matrices(p, shapes=SHAPES):
    """The parts of a vector of parameters."""
    ends = np.cumsum([m * n for m, n in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(p, ends[:-1]), shapes)]


class Problem:
    def __init__(self, counts):
        i = np.arange(sum(counts))
        self.x = np.stack([2 * ((0.37 + 0.618 * i) % 1) - 1, 2 * ((0.11 + 0.711 * i) % 1) - 1], 1)
        self.term = np.repeat(np.arange(3), counts)
        self.scale = np.sqrt(np.repeat([w / n for w, n in zip(WEIGHTS, counts)], counts))

    def parts(self, p):
        """R, by what dR depends: dR/d(z, (u, v), k), and the inputs of both layers."""
        w1, b1, w2, b2, k = matrices(p)
        k = k[0, 0]
        h = np.tanh(self.x @ w1 + b1)
        u, v = (h @ w2 + b2).T
        x, y = self.x.T
        r = np.choose(self.term, [u * v + k * u - x * np.sin(2 * y), u + v / 2 - x**2,
                                  v - np.cos(x * y)])
        one, zero = np.ones_like(u), np.zeros_like(u)
        by_u = np.choose(self.term, [v + k, one, zero])
        by_v = np.choose(self.term, [u, one / 2, one])
        by_k = np.choose(self.term, [u, zero, zero])
        s = self.scale
        by_out = np.stack([by_u, by_v], 1) * s[:, None]
        by_z = (by_out @ w2.T) * (1 - h**2)
        return s * r, by_z, by_out, (s * by_k)[:, None], h

    def rows(self, p):
        return self.parts(p)[0]

    def loss(self, p):
        return float(np.sum(self.rows(p) ** 2))

    def jacobian(self, p):
        _, by_z, by_out, by_k, h = self.parts(p)
        n = len(self.x)
        by_w1 = (self.x[:, :, None] * by_z[:, None, :]).reshape(n, -1)
        by_w2 = (h[:, :, None] * by_out[:, None, :]).reshape(n, -1)
        return np.concatenate([by_w1, by_z, by_w2, by_out, by_k], 1)

    def gradient(self, p):
        return 2 * self.jacobian(p).T @ self.rows(p)

    def hessian(self, p):
        """By complex steps of the gradient, which are exact: column by column."""
        h = 1e-30
        return np.stack([self.gradient(p + 1j * h * e).imag / h for e in np.eye(P)], 1)

    def kronecker(self, p):
        """Of every matrix and every term: A, the mean of x x^T, and G, the sum of g g^T."""
        _, by_z, by_out, by_k, h = self.parts(p)
        one = np.ones((len(h), 1))
        factors = []
        for x, g in [(self.x, by_z), (one, by_z), (h, by_out), (one, by_out), (one, by_k)]:
            of = []
            for term in range(3):
                here = self.term == term
                of.append((x[here].T @ x[here] / here.sum(), g[here].T @ g[here]))
            factors.append(of)
        return factors
