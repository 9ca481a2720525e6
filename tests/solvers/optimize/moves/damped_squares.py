"""Moves that minimize |J d + R|^2 + damping |D d|^2, with rows R and their derivatives J."""
import numpy as np


def damped(j, r, root):
    """The d that makes |J d + r|^2 + |root d|^2 least."""
    q, triangle = np.linalg.qr(np.vstack([j, np.diag(root)]))
    return np.linalg.solve(triangle, -q.T @ np.concatenate([r, np.zeros(len(root))]))


def longest_good(j, r, scales, damping, before, least, attempt):
    """The step of the smallest damping that lowers the loss by a share of what it predicts: from
    the last damping down by sqrt(10), four times at most, as long as steps do; where that one's
    does not, up to the first that does."""
    def tried(now):
        d = damped(j, r, np.sqrt(now) * scales)
        moved, loss = attempt(d, now)
        predicted = r @ r - np.sum((j @ d + r) ** 2)
        return (moved, now) if loss < before and before - loss >= least * predicted else None

    chosen = tried(damping)
    if chosen:
        for _ in range(4):
            longer = tried(chosen[1] / np.sqrt(10))
            if not longer:
                break
            chosen = longer
    while not chosen and damping < 1e14:
        damping *= np.sqrt(10)
        chosen = tried(damping)
    return chosen


def levenberg_marquardt(problem, p, geodesic=True, corrections=8, damping=1.0):
    """Moré (1978), with the acceleration of Transtrum & Sethna (2012) where that is at most 3/4 of
    the step, by their differences with 0.1, and some corrections by the same equations (Fan,
    Math. Comp. 81 (2012) 447-466) as long as they lower the damped sum of squares."""
    scales = np.zeros(len(p))
    while True:
        j, r = problem.jacobian(p), problem.rows(p)
        scales = np.maximum(scales, np.linalg.norm(j, axis=0))

        def size(d):
            return np.linalg.norm(scales * d)

        def bent(d, damping):
            second = 2 / 0.1 * ((problem.rows(p + 0.1 * d) - r) / 0.1 - j @ d)
            a = damped(j, second, np.sqrt(damping) * scales) / 2
            better = problem.loss(p + d + a) < problem.loss(p + d)
            return d + a if 2 * size(a) < 0.75 * size(d) and better else d

        def attempt(d, damping):
            def total(s):
                return problem.loss(p + s) + damping * size(s) ** 2

            enough = r @ r - 0.9 * (r @ r - np.sum((j @ d + r) ** 2))
            reached = bent(d, damping) if geodesic else d
            for _ in range(corrections):
                if problem.loss(p + reached) <= enough:
                    break
                # J^T (J c + R) + damping D^2 (reached + c) = 0
                root = np.sqrt(damping) * scales
                triangle = np.linalg.qr(np.vstack([j, np.diag(root)]), mode="r")
                g = j.T @ problem.rows(p + reached) + root**2 * reached
                c = -np.linalg.solve(triangle, np.linalg.solve(triangle.T, g))
                if size(c) >= 0.75 * size(d) or total(reached + c) >= total(reached):
                    break
                reached = reached + c
            return reached, problem.loss(p + reached)

        d, damping = longest_good(j, r, scales, damping, r @ r, 0.15, attempt)
        p = p + d
        yield p


def hadamard(size):
    h = np.ones((1, 1))
    while len(h) < size:
        h = np.block([[h, h], [h, -h]])
    return h


def random_directions(parameters, count, random):
    """Columns: random signs times a choice of a Walsh-Hadamard matrix's, of length 1 there."""
    h = hadamard(parameters)
    signs = [1 if random.child(0).bits(k)[0] % 2 else -1 for k in range(parameters)]
    left = list(range(len(h)))
    for k in range(count):  # a shuffle's first steps
        at = k + int(random.child(1).uniform(k) * (len(left) - k))
        left[k], left[at] = left[at], left[k]
    return np.array(signs)[:, None] * h[:parameters, left[:count]] / np.sqrt(len(h))


def summing(rows, into, random):
    """Nelson & Nguyen (2013): each row goes to four sums, with signs and weight 1/2."""
    s = np.zeros((into, rows))
    for i in range(rows):
        for copy in range(4):
            w = random.bits(4 * i + copy)
            s[w[0] * into >> 32, i] += 0.5 if w[1] % 2 else -0.5
    return s


def sketched_gauss_newton(problem, p, sketch, random, damping=1.0):
    move, per_column = 0, 2
    while True:
        j, r = problem.jacobian(p), problem.rows(p)
        chosen = None
        for k in range(12):
            of_now = random.at(move).child(k)
            along = random_directions(len(p), sketch, of_now.child(0))
            small, rest = j @ along, r
            into = per_column * (sketch + 1)
            if len(r) > into:
                s = summing(len(r), into, of_now.child(1))
                small, rest = s @ small, s @ r

            def attempt(d, _):
                return along @ d, problem.loss(p + along @ d)

            chosen = longest_good(small, rest, np.ones(sketch), damping, r @ r, 0.075, attempt)
            if chosen:
                break
            if into < len(r):
                per_column *= 2
        p, damping, move = p + chosen[0], chosen[1], move + 1
        yield p
