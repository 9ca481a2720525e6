"""Writes the files of configs/darcy.toml and configs/darcy_inverse.toml, and prints how good they are.

    -div(k grad p) = 20 sin(pi x) sin(pi y) on the unit square, p = 0 around it

by Chebyshev collocation on a tensor grid (Trefethen, Spectral Methods in MATLAB, 2000, ch. 6, 7): on 41 x 41
points, held against 49 x 49. Needs numpy.
"""
import numpy as np

SEED, READINGS, NOISE = 20261123, 200, 0.01


def permeability(x, y):
    """A smooth one that varies by a factor of 6."""
    return np.exp(0.7 * np.sin(2.2 * x + 0.4) * np.cos(3.1 * y - 0.6) + 0.3 * np.sin(4 * x * y) - 0.2 * y)


def chebyshev(n):
    """Points on [0, 1] and the matrix of the derivative there."""
    t = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.r_[2, np.ones(n - 1), 2] * (-1) ** np.arange(n + 1)
    d = np.outer(c, 1 / c) / (t[:, None] - t[None, :] + np.eye(n + 1))
    d -= np.diag(d.sum(axis=1))
    return (t + 1) / 2, 2 * d


def solution(n):
    """The points along one side, and p on the grid of them."""
    t, d = chebyshev(n)
    one = np.eye(n + 1)
    dx, dy = np.kron(d, one), np.kron(one, d)
    x, y = (a.ravel() for a in np.meshgrid(t, t, indexing="ij"))
    k = permeability(x, y)
    matrix = -(dx @ (k[:, None] * dx) + dy @ (k[:, None] * dy))
    right = 20 * np.sin(np.pi * x) * np.sin(np.pi * y)
    wall = (x == 0) | (x == 1) | (y == 0) | (y == 1)
    matrix[wall], right[wall] = np.eye(len(x))[wall], 0
    return t, np.linalg.solve(matrix, right).reshape(n + 1, n + 1)


def at(t, values, x, y):
    """The polynomial through the values at places, by the barycentric formula."""
    weight = (-1.0) ** np.arange(len(t))
    weight[[0, -1]] /= 2

    def basis(z):
        gap = z[:, None] - t[None, :]
        hit = gap == 0
        gap[hit] = 1
        b = weight / gap
        b[hit.any(axis=1)] = 0
        b[hit] = 1
        return b / b.sum(axis=1)[:, None]

    return np.einsum("ni,ij,nj->n", basis(x), values, basis(y))


def write(path, names, columns, digits):
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        for row in zip(*columns):
            file.write(",".join(f"{value:.{digits}g}" for value in row) + "\n")


def main():
    t, p = solution(40)
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 1, 21), indexing="ij"))
    reference = at(t, p, x, y)
    apart = np.abs(at(*solution(48), x, y) - reference).max() / np.abs(reference).max()
    print(f"41 x 41 and 49 x 49 points differ by {apart:.0e} of the largest pressure, {reference.max():.4f}")
    write("data/reference/darcy.csv", ["x", "y", "p", "k"], [x, y, reference, permeability(x, y)], 12)
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41), indexing="ij"))
    write("configs/permeability.csv", ["x", "y", "k"], [x, y, permeability(x, y)], 10)
    rng = np.random.default_rng(SEED)
    x, y = rng.random((2, READINGS))
    exact = at(t, p, x, y)
    deviation = NOISE * reference.std()
    write("configs/darcy_readings.csv", ["x", "y", "p"], [x, y, exact + deviation * rng.standard_normal(READINGS)], 6)
    print(f"noise {deviation:.3g}")


if __name__ == "__main__":
    main()
