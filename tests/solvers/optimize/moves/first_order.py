"""Moves by a gradient and a rate. Each function yields the parameters after every move."""
import numpy as np

from problem import matrices


def clipped(g, limit):
    """A gradient that is at most so long."""
    length = np.linalg.norm(g)
    return g * (limit / length) if 0 < limit < length else g


class Adam:
    """Kingma & Ba (2015), algorithm 1; decay as of Loshchilov & Hutter (2019), algorithm 2."""

    def __init__(self, rate, beta1=0.9, beta2=0.999, epsilon=1e-8, decay=0):
        self.rate, self.epsilon, self.decay = rate, epsilon, decay
        self.beta1, self.beta2 = beta1, beta2
        self.m = self.v = 0
        self.t = 0

    def __call__(self, p, g, rate=None):
        rate = self.rate if rate is None else rate
        self.t += 1
        self.m = self.beta1 * self.m + (1 - self.beta1) * g
        self.v = self.beta2 * self.v + (1 - self.beta2) * g**2
        m, v = self.m / (1 - self.beta1**self.t), self.v / (1 - self.beta2**self.t)
        return p - rate * self.decay * p - rate * m / (np.sqrt(v) + self.epsilon)


def adam(problem, p, rate, decay=0, clip=0, rates=None):
    rule = Adam(rate, decay=decay)
    for move in range(10**9):
        p = rule(p, clipped(problem.gradient(p), clip), rates and rates(move))
        yield p


def cosine(rate, steps, warm_up):
    """Loshchilov & Hutter (2017): from a rate to 0 in so many moves, after a linear warm-up."""
    def of(move):
        if move < warm_up:
            return rate * (move + 1) / warm_up
        return rate * (1 + np.cos(np.pi * (move - warm_up) / (steps - warm_up))) / 2
    return of


def sgd(problem, p, rate, momentum, decay):
    b = 0
    while True:
        b = momentum * b + problem.gradient(p) + decay * p
        p = p - rate * b
        yield p


def orthogonal(m):
    """Newton and Schulz: five iterations of Jordan et al. (2024), from m / |m|."""
    x = m / np.linalg.norm(m)
    for _ in range(5):
        square = x @ x.T
        x = 3.4445 * x - 4.7750 * square @ x + 2.0315 * square @ square @ x
    return x


def by_matrix(problem, p, shapes, rule, rest):
    """Every matrix by a rule of its own, and what is a vector by Adam."""
    rules = [rule() if min(shape) > 1 else rest() for shape in shapes]
    while True:
        parts = zip(rules, matrices(p, shapes), matrices(problem.gradient(p), shapes))
        p = np.concatenate([r(w, g).ravel() for r, w, g in parts])
        yield p


class Muon:
    """Jordan et al. (2024) with Nesterov's momentum; lengths and decay of Liu et al. (2025)."""

    def __init__(self, rate, beta=0.9, decay=0):
        self.rate, self.beta, self.decay, self.m = rate, beta, decay, 0

    def __call__(self, w, g):
        self.m = self.beta * self.m + g
        length = 0.2 * np.sqrt(max(w.shape))
        kept = w * (1 - self.rate * self.decay)
        return kept - self.rate * length * orthogonal(g + self.beta * self.m)


def descending(mean):
    return np.linalg.eigh(mean)[1][:, ::-1]


class Soap:
    """Vyas et al. (2024), algorithm 3, with algorithm 4 for the bases."""

    def __init__(self, rate, refresh=2, beta1=0.9, beta2=0.999, epsilon=1e-8, decay=0):
        self.rate, self.refresh, self.epsilon, self.decay = rate, refresh, epsilon, decay
        self.beta1, self.beta2 = beta1, beta2
        self.m = self.v = self.left = self.right = 0
        self.t = 0

    def __call__(self, w, g):
        b1, b2 = self.beta1, self.beta2
        self.left = b2 * self.left + (1 - b2) * g @ g.T
        self.right = b2 * self.right + (1 - b2) * g.T @ g
        if self.t == 0:
            self.of_left, self.of_right = descending(self.left), descending(self.right)
        elif self.t % self.refresh == 0:
            self.turn()
        self.t += 1
        self.m = b1 * self.m + (1 - b1) * g
        self.v = b2 * self.v + (1 - b2) * (self.of_left.T @ g @ self.of_right) ** 2
        m = self.of_left.T @ self.m @ self.of_right / (1 - b1**self.t)
        step = m / (np.sqrt(self.v / (1 - b2**self.t)) + self.epsilon)
        return w * (1 - self.rate * self.decay) - self.rate * self.of_left @ step @ self.of_right.T

    def turn(self):
        """A power iteration, sorted by what the curvatures are; the squares go with their axes."""
        orders = []
        for mean, basis in [(self.left, self.of_left), (self.right, self.of_right)]:
            orders.append(np.argsort(-np.diag(basis.T @ mean @ basis), kind="stable"))
        self.of_left = np.linalg.qr(self.left @ self.of_left[:, orders[0]])[0]
        self.of_right = np.linalg.qr(self.right @ self.of_right[:, orders[1]])[0]
        self.v = self.v[np.ix_(*orders)]
