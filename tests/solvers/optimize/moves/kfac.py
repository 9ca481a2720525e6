"""Moves by a J^T J that is taken for products of small matrices."""
import numpy as np

from problem import SHAPES, matrices


def kfac(problem, p, damping=1e-5):
    """Martens & Grosse (2015) with a second product, Dangel, Müller & Zeinhofer (2024)."""
    known, before = None, None
    while True:
        j, r = problem.jacobian(p), problem.rows(p)
        fresh = [(of[0], merged(of[1:])) for of in problem.kronecker(p)]
        known = fresh if known is None else blended(known, fresh)
        while True:
            along = [-kronecker_inverse(known, damping, j.T @ r)]
            along += [] if before is None else [before]
            mean = sum(np.trace(a) * np.trace(g) for of in known for a, g in of) / len(p)
            d = best_sum(j, r, along, damping * mean)
            hoped = -(d @ (j.T @ r))  # of the best sum, what the model falls by, damping included
            found = None
            for k in range(5):
                part = 2.0**-k
                fall = r @ r - problem.loss(p + part * d)
                promised = part * (2 - part) * hoped
                if fall > 0 and fall >= 0.1 * promised:
                    found = part
                    break
            if found:
                break
            damping *= 10
        if k > 1:
            damping *= 2
        elif k == 0 and fall > 0.75 * promised:
            damping /= 2
        before = found * d
        p = p + before
        yield p


def merged(terms):
    """G their sum, A their mean, each as much as the trace of its G."""
    traces = np.array([np.trace(g) for _, g in terms])
    if traces.sum() == 0:
        return np.zeros_like(terms[0][0]), np.zeros_like(terms[0][1])
    return sum(t * a for t, (a, _) in zip(traces, terms)) / traces.sum(), sum(g for _, g in terms)


def blended(known, fresh):
    return [tuple(tuple(0.95 * k + 0.05 * f for k, f in zip(of, new)) for of, new in zip(a, b))
            for a, b in zip(known, fresh)]


def kronecker_inverse(known, damping, g):
    """Both products as one large matrix; each factor has so much of its mean diagonal more."""
    def more(m):
        return m + damping * np.trace(m) / len(m) * np.eye(len(m))

    parts = []
    for products, part in zip(known, matrices(g, SHAPES)):
        whole = sum(np.kron(more(a), more(k)) for a, k in products)
        parts.append(np.linalg.solve(whole, part.ravel()))
    return np.concatenate(parts)


def best_sum(j, r, along, ridge):
    """The sum of some directions that makes |J d + r|^2 + ridge |d|^2 least."""
    v = np.stack(along, 1)
    rows = np.vstack([j @ v, np.sqrt(ridge) * v])
    return v @ np.linalg.lstsq(rows, -np.concatenate([r, np.zeros(len(v))]), rcond=None)[0]
