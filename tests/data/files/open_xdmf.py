"""Opens what write_fields writes with the programs of others: pyvista, which reads with VTK as
ParaView does, and meshio.

    python3 tests/data/files/open_xdmf.py --set-up          installs them into build/peers, from PyPI
    python3 tests/data/files/open_xdmf.py TEST_DATA_FILES   opens files that this test program writes

Without them the second says that it is skipped. A file is named by its axes; its field is
u = x + 10 y + 100 z + 1000 t, so every value tells whether it stands at its point."""
import os
import pathlib
import subprocess
import sys
import tempfile

peers = pathlib.Path(__file__).resolve().parents[3] / "build" / "peers"
weight = {"x": 1, "y": 10, "z": 100, "t": 1000}


def set_up():
    subprocess.run([sys.executable, "-m", "venv", peers], check=True)
    subprocess.run([peers / "bin" / "pip", "install", "meshio", "pyvista", "h5py"], check=True)


def mesh_axes(path):
    """The axes along x, y and z of the mesh, and whether time runs from moment to moment."""
    name, cloud = path.stem.removesuffix("_cloud"), path.stem.endswith("_cloud")
    moments = not cloud and path.suffix == ".xdmf" and "t" in name and len(name) > 2
    space = name.replace("t", "")
    return (space + ("t" if "t" in name and not moments else ""))[:3], moments


def check(path, points, values, cloud_times, time):
    axes, moments = mesh_axes(path)
    expected = sum(weight[a] * points[:, i] for i, a in enumerate(axes))
    expected = expected + (weight["t"] * time if moments else 0)
    if "t" in path.stem.split("_")[0] and "t" not in axes and not moments:
        expected = expected + weight["t"] * cloud_times
    assert values.shape == (len(points),), f"{values.shape} values on {len(points)} points"
    assert abs(values - expected).max() < 1e-12, "a value stands at another point"


def open_with_pyvista(path):
    import pyvista

    mesh = pyvista.read(path)
    check(path, mesh.points, mesh["u"], mesh.point_data.get("t"), 0)
    if not path.stem.endswith("_cloud"):  # its cells fill the box, and are not inside out
        sizes = mesh.compute_cell_sizes()
        size = {1: "Length", 2: "Area", 3: "Volume"}[len(mesh_axes(path)[0])]
        lower, upper = mesh.points.min(axis=0), mesh.points.max(axis=0)
        box = 1.0
        for edge in upper - lower:
            box *= edge if edge > 0 else 1
        assert abs(sizes[size].sum() - box) < 1e-12 * box and sizes[size].min() > 0, "wrong cells"
    if path.suffix != ".xdmf":
        return 1
    reader = pyvista.get_reader(path)
    for time in reader.time_values:
        reader.set_active_time_value(time)
        mesh = reader.read()
        check(path, mesh.points, mesh["u"], mesh.point_data.get("t"), time)
    return len(reader.time_values)


def open_with_meshio(path):
    import meshio

    if path.suffix == ".vtu":
        mesh = meshio.read(path)
        check(path, mesh.points, mesh.point_data["u"], mesh.point_data.get("t"), 0)
        return 1
    with meshio.xdmf.TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        for k in range(reader.num_steps):
            time, data, _ = reader.read_data(k)
            mesh = meshio.Mesh(points, cells, point_data=data)
            check(path, mesh.points, mesh.point_data["u"], mesh.point_data.get("t"), time)
        return reader.num_steps


def open_all(test_program):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, PINN_FIELDS=folder)
        subprocess.run([test_program, "fields for the readers of others"], check=True,
                       env=environment, stdout=subprocess.DEVNULL)
        paths = sorted(pathlib.Path(folder).glob("*.xdmf")) + sorted(pathlib.Path(folder).glob("*.vtu"))
        assert len(paths) > 15, f"the test program wrote {len(paths)} files"
        for path in paths:
            for opened in (open_with_pyvista, open_with_meshio):
                try:
                    moments = opened(path)
                    print(f"{opened.__name__[10:]:8} {path.name:16} {moments} of time")
                except (Exception, SystemExit) as error:  # meshio exits
                    failed += 1
                    print(f"{opened.__name__[10:]:8} {path.name:16} FAILED: {error!r}")
    return failed


def main():
    if sys.argv[1:] == ["--set-up"]:
        return set_up()
    inside = peers / "bin" / "python3"
    if inside.exists() and pathlib.Path(sys.prefix) != peers:
        os.execv(inside, [inside, *sys.argv])
    try:
        import h5py, meshio, pyvista  # noqa: F401, E401
    except ImportError as error:
        print(f"test skipped: {error}; python3 {__file__} --set-up installs it")
        return 0
    return 1 if open_all(sys.argv[1]) > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
