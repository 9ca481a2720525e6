"""Moves in the metric of J, and by the Hessian; both may know it by a few directions alone."""
import numpy as np

from damped_squares import damped


def lowest(problem, p, d):
    """Of 1, 1/2 ... the step of lowest loss along -d, as far as two beyond it; 0 where none is."""
    least, best, beyond = problem.loss(p), 0.0, 0
    for k in range(31):
        loss = problem.loss(p - 2.0**-k * d)
        if loss < least:
            least, best, beyond = loss, 2.0**-k, 0
        elif best > 0:
            beyond += 1
            if beyond == 2:
                break
    return best


def natural_gradient(problem, p, damping, momentum=0.0, rank=0, random=None):
    """Müller & Zeinhofer (2023); SPRING of Goldshlager et al. (2024); a rank: Guzman-Cordero et al.
    (2025)."""
    before, move = np.zeros(len(p)), 0
    while True:
        j, r = problem.jacobian(p), problem.rows(p)
        kernel = j @ j.T
        if rank:
            seen = nystrom(kernel, rank, random.at(move))
            shift = damping * seen[1].sum()
            solve = lambda z: nystrom_solve(seen, z, shift)
        else:
            shift = damping * np.trace(kernel)
            solve = lambda z: np.linalg.solve(kernel + shift * np.eye(len(r)), z)
        if len(r) > len(p) and not rank:
            rest = momentum * (j @ before) - r
            d = momentum * before + damped(j, rest, np.full(len(p), np.sqrt(shift)))
        else:
            d = momentum * before + j.T @ solve(r - momentum * (j @ before))
        step = lowest(problem, p, d)
        if step == 0 or d @ (j.T @ r) <= 0:
            raise RuntimeError("the case should not need another damping")
        p, before, move = p - step * d, d, move + 1
        yield p


def nystrom(a, rank, random):
    """Tropp, Yurtsever, Udell & Cevher (2017), algorithm 3: vectors and values, the largest first.
    It is shifted by twice what it sees of negative values, and by rounding."""
    n = len(a)
    w = np.array([random.normal(i) for i in range(n * rank)]).reshape(rank, n).T
    w = np.linalg.qr(w)[0]
    y = a @ w
    core = w.T @ y
    core = (core + core.T) / 2
    shift = max(0, -2 * np.linalg.eigvalsh(core)[0]) + np.finfo(float).eps * np.linalg.norm(y)
    y, core = y + shift * w, core + shift * np.eye(rank)
    values, vectors = np.linalg.eigh(y @ np.linalg.solve(core, y.T))
    return vectors[:, ::-1][:, :rank], np.maximum(values[::-1][:rank] - shift, 0)


def nystrom_solve(known, v, shift):
    """What is not known counts as the smallest value that is."""
    u, values = known
    part = u.T @ v
    return u @ (part / (values + shift)) + (v - u @ part) / (values[-1] + shift)


def nystrom_newton_cg(problem, p, damping, random, rank=60, refresh=20):
    """Rathore, Lei, Frangella, Lu & Udell (2024)."""
    rank, move = min(rank, len(p)), 0
    while True:
        h, g = problem.hessian(p), problem.gradient(p)
        if move % refresh == 0:
            known = nystrom(h, rank, random.at(move))
        mu = damping * known[1][0]
        d = conjugate_gradients(h + mu * np.eye(len(p)), -g, lambda v: nystrom_solve(known, v, mu))
        step = 1.0
        while not problem.loss(p + step * d) <= problem.loss(p) + 0.1 * step * (g @ d):
            step /= 2
            if step < 2.0**-40:
                raise RuntimeError("the case should not need the steepest descent")
        p, move = p + step * d, move + 1
        yield p


def conjugate_gradients(a, b, precondition):
    """To 1e-6 of b; where a curvature is not positive, what came out so far."""
    x, r = np.zeros(len(b)), b
    z = precondition(r)
    d, first = z, True
    while np.linalg.norm(r) > 1e-6 * np.linalg.norm(b):
        curvature = d @ a @ d
        if curvature <= 0:
            return z if first else x
        share = (r @ z) / curvature
        x, left = x + share * d, r - share * (a @ d)
        after = precondition(left)
        d = after + (left @ after) / (r @ z) * d
        r, z, first = left, after, False
    return x
