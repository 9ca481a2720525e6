"""Finite-element solutions of the problems beside this file, as CSV: references.py NAME...

Quadratic elements, curved ones on gmsh's meshes, on two grids; the finer one is written, at points inside of the domain, and the relative
L2 difference of the two is printed: the reference's own error. Needs scikit-fem, gmsh, meshio and scipy.
"""
import os
import sys
import tempfile

import gmsh
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla
import skfem
from skfem import Basis, BilinearForm, ElementTetP2, ElementTriP1, ElementTriP2, ElementVector, FacetBasis, LinearForm
from skfem.helpers import ddot, div, dot, grad

pi, sin, exp, cos = np.pi, np.sin, np.exp, np.cos


@BilinearForm
def stiffness(u, v, w):
    return dot(grad(u), grad(v))


@BilinearForm
def mass(u, v, w):
    return u * v


@LinearForm
def load(v, w):
    return v


def curved_mesh(shape, h, dim=2):
    """What `shape(gmsh.model.occ)` builds, in quadratic cells of the size `h`."""
    gmsh.initialize()
    gmsh.option.setNumber("General.Verbosity", 1)
    shape(gmsh.model.occ)
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(dim, [tag for _, tag in gmsh.model.getEntities(dim)])
    for key, value in {"SizeMin": 0.2 * h, "SizeMax": h, "SizeFromCurvature": 24}.items():
        gmsh.option.setNumber("Mesh.Mesh" + key, value)
    gmsh.model.mesh.generate(dim)
    gmsh.model.mesh.setOrder(2)
    path = os.path.join(tempfile.mkdtemp(), "mesh.msh")
    gmsh.write(path)
    gmsh.finalize()
    return skfem.Mesh.load(path)


def probes(basis, points):
    """The matrix from unknowns to values at points, [components * points, unknowns], on curved cells as well."""
    from scipy.spatial import cKDTree
    mesh, dim, count = basis.mesh, points.shape[0], points.shape[1]
    best, where, cell = np.full(count, np.inf), np.zeros((dim, count)), np.zeros(count, int)
    near = cKDTree(mesh.p[:, mesh.t[:dim + 1]].mean(axis=1).T).query(points.T, {2: 16, 3: 80}[dim])[1]
    for tind in near.T:                                     # Newton's method in each of the nearest cells
        x = np.full((dim, count, 1), 1 / (dim + 1))
        for _ in range(8):
            step = np.moveaxis(points[:, :, None] - basis.mapping.F(x, tind), 0, -1)[..., None]
            x = x + np.moveaxis(np.linalg.solve(np.moveaxis(basis.mapping.DF(x, tind), (0, 1), (-2, -1)), step)[..., 0], -1, 0)
        out = np.maximum(-x.min(axis=0), x.sum(axis=0) - 1)[:, 0]
        better = out < best
        best[better], where[:, better], cell[better] = out[better], x[:, better, 0], tind[better]
    assert best.max() < 0.01, "a point lies outside of the mesh"
    vector = isinstance(basis.elem, ElementVector)
    elem, parts = (basis.elem.elem, dim) if vector else (basis.elem, 1)
    rows, columns, values = [], [], []
    for i in range(len(basis.element_dofs)):
        rows.append(i % parts * count + np.arange(count))
        columns.append(basis.element_dofs[i, cell])
        values.append(elem.lbasis(where, i // parts)[0])
    shape = (parts * count, basis.N)
    return sp.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape)


def box_less_disks(lower, size, disks):
    def shape(occ):
        box = occ.addRectangle(*lower, 0, *size)
        occ.cut([(2, box)], [(2, occ.addDisk(x, y, 0, r, r)) for x, y, r in disks])
    return shape


def on_box(lower, size):
    def on(x):
        return np.any([np.isclose(x[i], lower[i] + e * size[i]) for i in range(len(lower)) for e in (0, 1)], axis=0)
    return on


def points_inside(inside, lower, size, count, seed=0):
    """`count` even points of the box for which `inside`."""
    from scipy.stats import qmc
    x = qmc.Sobol(len(lower), seed=seed).random(2 ** 14).T * np.array(size)[:, None] + np.array(lower)[:, None]
    return x[:, inside(x)][:, :count]


def clear_of(disks, gap):
    return lambda x: np.all([np.sqrt(sum((x[i] - c[i]) ** 2 for i in range(len(x)))) > c[-1] + gap for c in disks], axis=0)


def two_grids(name, columns, points, solve, sizes):
    """Writes the finer solution; `solve(h, points)` returns an array per quantity."""
    coarse, fine = (np.array(solve(h, points)) for h in sizes)
    for key, a, b in zip(columns[points.shape[0]:], coarse, fine):
        print(f"{name} {key}: {np.linalg.norm(a - b) / np.linalg.norm(b):.1e} between the grids", flush=True)
    write(name, columns, np.vstack([points, fine]))


def write(name, columns, rows):
    np.savetxt(name + ".csv", np.array(rows).T, fmt="%.7g", delimiter=",", header=",".join(columns), comments="")


def dirichlet(mesh, reaction, source, values, points):
    """-laplacian(u) + reaction u = source; `values` of the coordinates on the boundary."""
    basis = Basis(mesh, ElementTriP2())
    a = stiffness.assemble(basis) + reaction * mass.assemble(basis)
    b = LinearForm(lambda v, w: source(w.x) * v).assemble(basis)
    dofs = basis.get_dofs().flatten()
    u = basis.zeros()
    u[dofs] = values(basis.doflocs[:, dofs])
    u = skfem.solve(*skfem.condense(a, b, x=u, D=dofs))
    return [probes(basis, points) @ u]


def four_circles():
    disks = [(x, y, 0.1) for x in (-0.3, 0.3) for y in (-0.3, 0.3)]
    lower, size = (-0.5, -0.5), (1, 1)
    values = lambda x: 1.0 * on_box(lower, size)(x)
    points = points_inside(clear_of(disks, 0.002), lower, size, 1000)
    two_grids("four_circles", "x y u".split(), points, lambda h, p: dirichlet(
        curved_mesh(box_less_disks(lower, size, disks), h), 0, lambda x: 0 * x[0], values, p), (0.04, 0.02))


def poisson_boltzmann():
    disks = [(0.5, 0.5, 0.2), (0.4, -0.4, 0.4), (-0.2, -0.7, 0.1), (-0.6, 0.5, 0.3)]
    lower, size = (-1, -1), (2, 2)
    values = lambda x: np.where(on_box(lower, size)(x), 0.2, 1.0)
    source = lambda x: 10 * (17 + x[0] ** 2 + x[1] ** 2) * sin(pi * x[0]) * sin(4 * pi * x[1])
    points = points_inside(clear_of(disks, 0.004), lower, size, 1000)
    two_grids("poisson_boltzmann", "x y u".split(), points, lambda h, p: dirichlet(
        curved_mesh(box_less_disks(lower, size, disks), h), 64, source, values, p), (0.05, 0.025))


def spheres():
    balls = [(0.4, 0.3, 0.6, 0.2), (0.6, 0.7, 0.6, 0.2), (0.2, 0.8, 0.7, 0.1), (0.6, 0.2, 0.3, 0.1)]

    def shape(occ):
        box = occ.addBox(0, 0, 0, 1, 1, 1)
        occ.cut([(3, box)], [(3, occ.addSphere(*b)) for b in balls])

    def source(x):
        r2 = x[0] ** 2 + x[1] ** 2 + x[2] ** 2
        s = sin(pi * x[0]), sin(10 * pi * x[1]), sin(5 * pi * x[2])
        return 20 * exp(sum(s)) * (r2 - 1) / (r2 + 1) + 100 * s[0] * s[1] * s[2]

    def solve(h, points):
        basis = Basis(curved_mesh(shape, h, 3), ElementTetP2(), intorder=4)
        k2 = lambda x: np.where(x[2] < 0.5, 64.0, 100.0)
        a = BilinearForm(lambda u, v, w: dot(grad(u), grad(v)) + k2(w.x) * u * v).assemble(basis)
        b = LinearForm(lambda v, w: source(w.x) * v).assemble(basis)
        u, _ = spla.cg(a, b, rtol=1e-9, M=sp.diags(1 / a.diagonal()))
        print("spheres:", len(u), "unknowns", flush=True)
        return [probes(basis, points) @ u]

    points = points_inside(clear_of(balls, 0.01), (0, 0, 0), (1, 1, 1), 1000)
    two_grids("spheres", "x y z u".split(), points, solve, (0.06, 0.04))


def fichera():
    def solve(h, points):
        n = round(1 / h)
        s = np.linspace(-1, 1, 2 * n + 1)
        mesh = skfem.MeshTet.init_tensor(s, s, s)
        middle = mesh.p[:, mesh.t].mean(axis=1)
        mesh = mesh.remove_elements(np.nonzero(np.all(middle > 0, axis=0))[0])
        basis = Basis(mesh, ElementTetP2())
        a, b, u, inner = skfem.condense(stiffness.assemble(basis), load.assemble(basis), D=basis.get_dofs())
        u[inner], _ = spla.cg(a, b, rtol=1e-9, M=sp.diags(1 / a.diagonal()))
        return [probes(basis, points) @ u]

    points = points_inside(lambda x: ~np.all(x >= 0, axis=0), (-1, -1, -1), (2, 2, 2), 1000)
    two_grids("fichera", "x y z u".split(), points, solve, (1 / 6, 1 / 12))


def heat_circles():
    big = [(x, y, 1) for x in (-4, 4) for y in (-9, -3, 3, 9)] + [(0, y, 1) for y in (-6, 0, 6)]
    small = [(x, y, 0.4) for x in (-3.2, 3.2) for y in (-6, 0, 6)]
    lower, size = (-8, -12), (16, 24)
    times = (0.1, 0.3, 1, 2, 3)

    def solve(h, points):
        mesh = curved_mesh(box_less_disks(lower, size, big + small), h)
        basis = Basis(mesh, ElementTriP2())
        near = lambda disks: lambda x: np.any([np.hypot(x[0] - a, x[1] - b) < r + 0.1 for a, b, r in disks], axis=0)
        m, a, b = mass.assemble(basis), stiffness.assemble(basis), basis.zeros()
        for on, value in (near(big), 5), (near(small), 1), (on_box(lower, size), 0.1):
            wall = FacetBasis(mesh, ElementTriP2(), facets=mesh.facets_satisfying(on, boundaries_only=True))
            a = a + mass.assemble(wall)
            b = b + value * load.assemble(wall)
        u, now, read, found = basis.zeros(), 0.0, probes(basis, points), []
        for until in times:                     # implicit Euler at first, for start and walls disagree
            steps = round((until - now) / (0.02 * h))
            dt = (until - now) / steps
            theta = 0.5
            solves = {q: spla.factorized((m + q * dt * a).tocsc()) for q in ((1.0, 0.5) if now == 0 else (0.5,))}
            for step in range(steps):
                theta = 1.0 if now == 0 and step < 4 else 0.5
                u = solves[theta]((m - (1 - theta) * dt * a) @ u + dt * b)
            now = until
            found.append(read @ u)
        return [np.concatenate(found)]

    points = points_inside(clear_of(big + small, 0.01), lower, size, 300)
    coarse, fine = (solve(h, points)[0] for h in (0.5, 0.25))
    print(f"heat_circles u: {np.linalg.norm(coarse - fine) / np.linalg.norm(fine):.1e} between the grids", flush=True)
    t = np.repeat(times, points.shape[1])
    write("heat_circles", "x y t u".split(), np.vstack([np.tile(points, len(times)), t, fine]))


def sound_hard():
    k, disk = 2, [(0, 0, pi / 4)]
    lower, size = (-pi, -pi), (2 * pi, 2 * pi)

    def solve(h, points):
        mesh = curved_mesh(box_less_disks(lower, size, disk), h)
        basis = Basis(mesh, ElementTriP2())
        outer = FacetBasis(mesh, ElementTriP2(), facets=mesh.facets_satisfying(on_box(lower, size), boundaries_only=True))
        rim = FacetBasis(mesh, ElementTriP2(), facets=mesh.facets_satisfying(
            lambda x: np.hypot(*x) < 1, boundaries_only=True))
        a = stiffness.assemble(basis) - k ** 2 * mass.assemble(basis) - 1j * k * mass.assemble(outer)
        flux = lambda part: LinearForm(lambda v, w: part(w.x[0]) * w.n[0] * v).assemble(rim)
        b = flux(lambda x: k * sin(k * x)) - 1j * flux(lambda x: k * cos(k * x))
        u = probes(basis, points) @ spla.spsolve(a.tocsc(), b)
        return [u.real, u.imag]

    points = points_inside(clear_of(disk, 0.01), lower, size, 1000)
    two_grids("sound_hard", "x y u v".split(), points, solve, (0.2, 0.1))


def annular_ring():
    def solve(h, points, r):
        def shape(occ):
            body, _ = occ.fuse([(2, occ.addRectangle(-6.732, -1, 0, 13.464, 2))], [(2, occ.addDisk(0, 0, 0, 2, 2))])
            occ.cut(body, [(2, occ.addDisk(0, 0, 0, r, r))])

        mesh = curved_mesh(shape, h)
        flow, pressure = Basis(mesh, ElementVector(ElementTriP2()), intorder=5), Basis(mesh, ElementTriP1(), intorder=5)
        n = flow.N
        wall = flow.get_dofs(mesh.facets_satisfying(lambda x: x[0] < 6.73, boundaries_only=True)).flatten()
        b = -BilinearForm(lambda u, q, w: div(u) * q).assemble(flow, pressure)
        out = mesh.facets_satisfying(lambda x: x[0] > 6.73, boundaries_only=True)
        x = np.zeros(n + pressure.N)
        inlet = flow.get_dofs(mesh.facets_satisfying(lambda x: x[0] < -6.73, boundaries_only=True)).all("u^1")
        x[inlet] = 1.5 * (1 - flow.doflocs[1, inlet] ** 2)
        inner = np.setdiff1d(np.arange(len(x)), wall)
        assert len(out)
        for nu in (0.1, 0.04, 0.02, 0.01):
            for _ in range(20):
                now = flow.interpolate(x[:n])
                jacobian = BilinearForm(lambda u, v, w: nu * ddot(grad(u), grad(v)) + dot(
                    np.einsum("ij...,j...->i...", grad(w.now), u) + np.einsum("ij...,j...->i...", grad(u), w.now), v))
                residual = LinearForm(lambda v, w: nu * ddot(grad(w.now), grad(v)) + dot(
                    np.einsum("ij...,j...->i...", grad(w.now), w.now), v))
                matrix = sp.bmat([[jacobian.assemble(flow, now=now), b.T], [b, None]]).tocsc()
                rest = np.concatenate([residual.assemble(flow, now=now) + b.T @ x[n:], b @ x[:n]])
                change = spla.spsolve(matrix[inner][:, inner], -rest[inner])
                x[inner] += change
                if np.abs(change).max() < 1e-9:
                    break
            else:
                raise RuntimeError("Newton's method does not converge")
        uv = (probes(flow, points) @ x[:n]).reshape(2, -1, order="C")
        return [*uv, probes(pressure, points) @ x[n:]]

    inside = lambda r: lambda x: ((np.abs(x[1]) < 0.99) | (np.hypot(*x) < 1.98)) & (np.hypot(*x) > r + 0.02)
    rows = []
    for r in (0.75, 0.875, 1.0):
        points = points_inside(inside(r), (-6.732, -2), (13.464, 4), 250)
        coarse, fine = (solve(h, points, r) for h in (0.1, 0.05))
        for key, a, c in zip("uvp", coarse, fine):
            print(f"annular_ring r={r} {key}: {np.linalg.norm(a - c) / np.linalg.norm(c):.1e} between the grids", flush=True)
        rows.append(np.vstack([points, np.full(points.shape[1], r), fine]))
    write("annular_ring", "x y r u v p".split(), np.hstack(rows))


for asked in sys.argv[1:]:
    globals()[asked]()
