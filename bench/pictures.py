#!/usr/bin/env python3
"""Draws a field of runs and its error, a PNG each, as docs/problems.md shows them.

  python3 bench/pictures.py runs/annulus runs/torus --to docs/pictures

Asks pinn-export for the first quantity of the run's reference and for how far it is from that, on a plane of the first two
coordinates through the middle of all others. Of a run without a reference of fields its first and last field are drawn. Needs h5py,
matplotlib and Python 3.11.
"""
import argparse
import io
import os
import pathlib
import subprocess
import tempfile
import tomllib

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

COUNT = 201  # positions along an axis


def problem_of(run):
    """The name of a run's problem, its file as read, and the folder that the file is in."""
    with h5py.File(run / "fields.h5") as file:
        text = {name: file["meta"][name][()].decode() for name in ("name", "config_toml", "path_from_folder")}
    return text["name"], tomllib.loads(text["config_toml"]), (run / text["path_from_folder"]).parent


def middles(coordinates):
    """Of all coordinates but two, the middle of their interval."""
    ranges = {name: c["range"] if isinstance(c, dict) else c for name, c in coordinates.items()}
    return {name: sum(ranges[name]) / 2 for name in list(ranges)[2:]}


def exported(export, run, fields, grid):
    """Planes of fields and their two axes, (horizontal, vertical) with their names."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "plane.h5"
        grid = ",".join(f"{name}={value}" for name, value in grid.items())
        subprocess.run([export, run, "--fields", ",".join(fields), "--grid", grid, "-o", out], check=True,
                       stdout=subprocess.DEVNULL)
        with h5py.File(out) as file:
            arrays = [file[field.replace("/", "_over_")] for field in fields]
            names = [arrays[0].dims[k][0].name.lstrip("/") for k in range(arrays[0].ndim)]
            axes = [(name, file[name][()]) for name in reversed(names) if file[name].size > 1]
            return [np.squeeze(array[()]) for array in arrays], axes


def error_in_file(path, field, plane, axes):
    """How far a plane is from a reference on the same grid, NaN where the field is missing."""
    with h5py.File(path) as file:
        names = [file[field].dims[k][0].name.lstrip("/") for k in range(file[field].ndim)]
        values = file[field][()]
        if names[0] == axes[0][0]:
            values = values.T
        if values.shape != plane.shape:
            raise SystemExit(f"{path}: {field} is {values.shape}, not {plane.shape}")
        return plane - values


def panels_of(run, export):
    """Pairs of a title and a plane, and the axes of all."""
    name, config, folder = problem_of(run)
    coordinates = config["problem"]["coordinates"]
    places = middles(coordinates)
    grid = {c: COUNT for c in list(coordinates)[:2]} | places
    there = "".join(f", {' = '.join(c for c in places if places[c] == at)} = {at:g}" for at in dict.fromkeys(places.values()))
    reference = config.get("reference", {})
    if exact := reference.get("exact"):
        field = next(iter(exact))
        planes, axes = exported(export, run, [field, f"{field} - ({exact[field]})"], grid)
        return name, [(field + there, planes[0]), (f"error of {field}", planes[1])], axes
    if "file" in reference:
        path = folder / reference["file"]
        with h5py.File(path) as file:
            field = next(f for f in reference["error"] if f in file)
            axis = [file[field].dims[k][0].name.lstrip("/") for k in range(file[field].ndim)]
            grid = {a: file[a].size for a in axis}
        planes, axes = exported(export, run, [field], grid)
        return name, [(field, planes[0]), (f"error of {field}", error_in_file(path, field, planes[0], axes))], axes
    fields = [config["problem"]["fields"][k] for k in (0, -1)]
    planes, axes = exported(export, run, fields, grid)
    return name, [(field + there, plane) for field, plane in zip(fields, planes)], axes


def show(place, title, axes, plane, figure):
    """A plane in a place of a figure; errors by a map that is white at zero, without the largest hundredth."""
    (across, x), (up, y) = axes
    error = title.startswith("error")
    size = np.nanpercentile(np.abs(plane), 99) if error else None
    image = place.pcolormesh(x, y, plane, cmap=plt.get_cmap("RdBu_r" if error else "viridis", 65), vmin=-size if error else None,
                             vmax=size, shading="nearest", rasterized=True)
    bar = figure.colorbar(image, cax=place.inset_axes([1.03, 0, 0.05, 1]), extend="both" if error else "neither")
    bar.formatter.set_powerlimits((-2, 3))
    shape = np.ptp(y) / np.ptp(x)
    place.set(title=title, xlabel=across, ylabel=up, aspect="equal" if 0.2 < shape < 5 else "auto")


def draw(run, export, to):
    name, panels, axes = panels_of(run, export)
    shape = np.ptp(axes[1][1]) / np.ptp(axes[0][1])
    wide = shape < 0.5
    size = (6, 1.4 + 8 * max(shape, 0.2)) if wide else (6.8, 0.6 + 2.3 * min(shape, 1.5))
    figure, places = plt.subplots(*((2, 1) if wide else (1, 2)), figsize=size, layout="constrained")
    for place, (title, plane) in zip(places.flat, panels):
        show(place, title, axes, plane, figure)
    to.mkdir(parents=True, exist_ok=True)
    memory = io.BytesIO()
    figure.savefig(memory, dpi=90)
    plt.close(figure)
    picture = to / f"{name}.png"
    Image.open(memory).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(picture, optimize=True)
    return picture


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path("docs/pictures"))
    parser.add_argument("--export", default="build/release/pinn-export", help="the program pinn-export")
    arguments = parser.parse_args()
    for run in arguments.runs:
        picture = draw(run, os.path.abspath(arguments.export), arguments.to)
        print(f"{picture}, {picture.stat().st_size} bytes")


if __name__ == "__main__":
    main()
