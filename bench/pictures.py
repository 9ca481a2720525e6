#!/usr/bin/env python3
"""Draws the fields of runs, one PNG each, as docs/problems.md shows them.

  python3 bench/pictures.py runs/annulus runs/torus --to docs/pictures

Reads RUN/fields.h5 (fields on a grid, NaN outside of the domain). Of more than two coordinates in space the middle plane
is shown, of time or a parameter three values. Needs h5py and matplotlib.
"""
import argparse
import pathlib

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def axes_of(file, values):
    """The names and positions of the coordinates along the dimensions of an array."""
    names = [values.dims[k][0].name.lstrip("/") for k in range(values.ndim)]
    return names, [file[name][()] for name in names]


def planes(names, positions, values):
    """Pairs of a title and a plane of the last two dimensions (y, x)."""
    while values.ndim > 3 or (values.ndim == 3 and names[0] == "z"):
        middle = values.shape[0] // 2
        names, positions, values = names[1:], positions[1:], values[middle]
    if values.ndim < 3:
        return [("", values)]
    chosen = [0, values.shape[0] // 2, values.shape[0] - 1]
    return [(f", {names[0]} = {positions[0][k]:.3g}", values[k]) for k in chosen]


def draw(run, to):
    with h5py.File(run / "fields.h5") as file:
        fields = [name for name in file if isinstance(file[name], h5py.Dataset) and file[name].ndim > 1]
        panels = []
        for name in fields[:3]:
            names, positions = axes_of(file, file[name])
            for title, plane in planes(names, positions, file[name][()]):
                panels.append((name + title, names[-2:], positions[-2:], plane))
    shapes = [np.ptp(p[2][1]) / np.ptp(p[2][0]) for p in panels]
    columns = 1 if shapes[0] > 2 else len(panels)
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(3.3 * columns * min(2.2, max(1, shapes[0])), 2.9 * rows),
                                squeeze=False, layout="constrained")
    for place, (title, names, (vertical, horizontal), plane) in zip(grid.flat, panels):
        image = place.pcolormesh(horizontal, vertical, plane, cmap="viridis", shading="nearest", rasterized=True)
        figure.colorbar(image, ax=place, shrink=0.85)
        place.set(title=title, xlabel=names[1], ylabel=names[0])
        place.set_aspect("equal" if 0.2 < shapes[0] < 6 else "auto")
    to.mkdir(parents=True, exist_ok=True)
    figure.savefig(to / f"{run.name}.png", dpi=75, pil_kwargs={"optimize": True})
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path("docs/pictures"))
    arguments = parser.parse_args()
    for run in arguments.runs:
        draw(run, arguments.to)
        print(f"{arguments.to / run.name}.png")


if __name__ == "__main__":
    main()
