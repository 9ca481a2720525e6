"""Writes fichera.stl: the cube (-1, 1)^3 without the octant (0, 1)^3, its surface in the solids `outer` and `notch`."""
import itertools


def squares():
    """Unit squares of the surface, each with its outward axis and sign."""
    full = {c for c in itertools.product((-1, 0), repeat=3)} - {(0, 0, 0)}
    for cell in sorted(full):
        for axis, sign in itertools.product(range(3), (-1, 1)):
            beside = tuple(c + sign * (i == axis) for i, c in enumerate(cell))
            if beside not in full:
                yield cell, axis, sign


def triangles(cell, axis, sign):
    """Two triangles, counter-clockwise from outside."""
    a, b = [(axis + 1) % 3, (axis + 2) % 3][::sign]
    corners = []
    for da, db in ((0, 0), (1, 0), (1, 1), (0, 1)):
        p = list(cell)
        p[axis] += sign > 0
        p[a] += da
        p[b] += db
        corners.append(tuple(p))
    return [(corners[0], corners[1], corners[2]), (corners[0], corners[2], corners[3])]


solids = {"outer": [], "notch": []}
for cell, axis, sign in squares():
    notch = sign > 0 and cell[axis] == -1
    solids["notch" if notch else "outer"] += triangles(cell, axis, sign)
with open("fichera.stl", "w") as out:
    for name, faces in solids.items():
        print(f"solid {name}", file=out)
        for face in faces:
            print("facet normal 0 0 0\n outer loop", file=out)
            for p in face:
                print("  vertex %g %g %g" % p, file=out)
            print(" endloop\nendfacet", file=out)
        print(f"endsolid {name}", file=out)
