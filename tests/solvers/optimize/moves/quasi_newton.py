"""Moves along -H g, H learned from gradients, with a search by the strong Wolfe conditions."""
import numpy as np


def cubic_least(a, b, low, high):
    """Nocedal & Wright (2006), eq. 3.59: where the cubic through two trials (step, value, slope) is
    least, between bounds; their middle where it is nowhere least."""
    (s, f, df), (t, h, dh) = (a, b) if a[0] <= b[0] else (b, a)
    d1 = df + dh - 3 * (f - h) / (s - t)
    square = d1 * d1 - df * dh
    if square < 0:
        return (low + high) / 2
    d2 = np.sqrt(square)
    return min(max(t - (t - s) * (dh + d2 - d1) / (dh - df + 2 * d2), low), high)


def wolfe(along, start, step, c1=1e-4, c2=0.9, trials=25):
    """Algorithms 3.5 and 3.6 there; a bracket grows 1.01 to 10 times, and in the zoom a trial that
    is twice too near an end keeps off it by a tenth."""
    _, f0, slope0 = start

    def high(trial):
        return trial[1] > f0 + c1 * trial[0] * slope0

    def flat(trial):
        return abs(trial[2]) <= -c2 * slope0

    before, now = start, along(step)
    for i in range(trials):
        if high(now) or (i > 1 and now[1] >= before[1]):
            break
        if flat(now):
            return now[0]
        if now[2] >= 0:
            break
        t = cubic_least(before, now, now[0] + 0.01 * (now[0] - before[0]), 10 * now[0])
        before, now = now, along(t)
    low, top = (before, now) if before[1] <= now[1] else (now, before)
    near_before = False
    for _ in range(trials):
        left, right = sorted([low[0], top[0]])
        t, margin = cubic_least(low, top, left, right), 0.1 * (right - left)
        near = min(right - t, t - left) < margin
        if near and (near_before or t >= right or t <= left):
            t = right - margin if right - t < t - left else left + margin
            near_before = False
        else:
            near_before = near
        now = along(t)
        if high(now) or now[1] >= low[1]:
            top = now
        elif flat(now):
            return t
        else:
            top = low if now[2] * (top[0] - low[0]) >= 0 else top
            low = now
    raise RuntimeError("the case should not need so many trials")


def searched(problem, p, d, first):
    def along(t):
        return t, problem.loss(p + t * d), problem.gradient(p + t * d) @ d

    return wolfe(along, (0.0, problem.loss(p), problem.gradient(p) @ d), first)


def lbfgs(problem, p, history):
    """Nocedal & Wright (2006), algorithms 7.4 and 7.5."""
    pairs = []
    while True:
        g = problem.gradient(p)
        q, shares = g, []
        for s, y in reversed(pairs):
            shares.append(s @ q / (s @ y))
            q = q - shares[-1] * y
        if pairs:
            s, y = pairs[-1]
            q = q * (s @ y / (y @ y))
        for (s, y), share in zip(pairs, reversed(shares)):
            q = q + (share - y @ q / (s @ y)) * s
        step = searched(problem, p, -q, 1.0 if pairs else min(1, 1 / np.abs(g).sum()))
        s = -step * q
        y = problem.gradient(p + s) - g
        pairs = (pairs + [(s, y)])[-history:]
        p = p + s
        yield p


def broyden(h_matrix, s, y, b):
    """Urban, Stefanou & Pons (2025), the second variant of self-scaled Broyden updates."""
    ys, hy = y @ s, h_matrix @ y
    yhy = y @ hy
    h = yhy / ys
    a = h * b - 1
    c = np.sqrt(a / (a + 1))
    rho_minus = min(1, h * (1 - c))
    theta = max((rho_minus - 1) / a, min(1 / rho_minus, (1 - b) / b))
    sigma = 1 + theta * a
    root = sigma ** (-1 / (len(s) - 1))
    rho = min(1, 1 / b)
    tau = min(rho * root, sigma) if theta <= 0 else rho * min(root, 1 / theta)
    phi = (1 - theta) / (1 + a * theta)
    v = np.sqrt(yhy) * (s / ys - hy / yhy)
    return (h_matrix - np.outer(hy, hy) / yhy + phi * np.outer(v, v)) / tau + np.outer(s, s) / ys


def ssbroyden(problem, p):
    h = np.eye(len(p))
    before = problem.loss(p) + np.linalg.norm(problem.gradient(p)) / 2
    while True:
        f, g = problem.loss(p), problem.gradient(p)
        d = -h @ g
        first = 2.02 * (f - before) / (g @ d)
        t = searched(problem, p, d, min(1, first) if first > 0 else 1)
        s = t * d
        y = problem.gradient(p + s) - g
        h = broyden(h, s, y, -t * (g @ s) / (y @ s))
        p, before = p + s, f
        yield p
