"""The module against the program: PINN_TRAIN names pinn-train, PINN_LIBRARY libpinn."""

from __future__ import annotations

import _thread
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import pinn  # noqa: E402

PROGRAM = os.environ["PINN_TRAIN"]
DOCS = Path(__file__).resolve().parents[2] / "docs"
PROBLEM = """
[problem]
coordinates = { x = [0.0, 1.0], t = [0.0, 0.5] }
fields      = ["u"]
[[equation]]
name     = "heat"
residual = "u_t = 0.1*u_xx"
points   = 200
[network]
layers = [8]
[network.output]
u = "sin(pi*x) + t*x*(1 - x)*N"
[[stage]]
optimizer = "ssbroyden"
steps     = 60
[reference]
exact = { u = "exp(-0.1*pi^2*t)*sin(pi*x)" }
[output]
grid = { x = 11, t = 6 }
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("trained")
    (place / "heat.toml").write_text(PROBLEM)
    subprocess.run([PROGRAM, "heat.toml", "--quiet"], cwd=place, check=True, capture_output=True)
    return place


@pytest.fixture()
def run(trained: Path) -> pinn.Run:
    return pinn.load(trained / "runs" / "heat")


def test_a_run_says_what_it_is(run: pinn.Run) -> None:
    assert run.coordinates == {"x": (0.0, 1.0), "t": (0.0, 0.5)}
    assert run.fields == ("u",)
    assert run.steps == 60 and 0 < run.step <= 60
    assert 0 < run.errors["u"] < 1e-2 and run.held_out > 0
    assert "u_t = 0.1*u_xx" in run.source
    assert "step 60" in run.status
    assert repr(run).startswith("<pinn.Run")
    steps, loss = run.history["loss"]
    assert steps[-1] == 60 and loss[-1] < loss[0] and len(steps) == len(loss)


def write_trust(folder: Path, trust: dict[str, object]) -> None:
    """Puts this in the place of what a finished run wrote of its errors."""
    status = json.loads((folder / "status.json").read_text())
    (folder / "status.json").write_text(
        json.dumps({**status, "trust": trust}, separators=(",", ":")))


def test_a_run_says_what_it_estimates_its_errors_to_be(run: pinn.Run, trained: Path,
                                                       tmp_path: Path) -> None:
    assert run.estimated_errors["u"].relative > 0 and run.no_estimated_errors == ""
    assert str(run.estimated_errors["u"]) in run.status
    assert run.standard_errors == {} and run.no_standard_errors == "there are no unknowns"
    folder = shutil.copytree(trained / "runs" / "heat", tmp_path / "copy")
    write_trust(folder, {
        "estimated_errors": {
            "u": {"relative": 3.2e-5, "explained": 0.97, "at_least": False, "absolute": 1.2e-5},
            "v": {"relative": 1.9e-3, "explained": 0.5, "at_least": True, "absolute": 0.25},
            "w": {"relative": None, "explained": 0.5, "at_least": True, "absolute": 9.6e-4},
            "old": {"relative": 0.02, "explained": 0.9},
        },
        "standard_errors": {"nu": 5.8e-6, "k": None},
    })
    copy = pinn.load(folder)
    assert copy.estimated_errors["u"] == pinn.EstimatedError(3.2e-5, 1.2e-5, 0.97, False)
    assert {name: str(error) for name, error in copy.estimated_errors.items()} == {
        "u": "about 3e-05", "v": "at least 1e-03", "w": "at least 9e-04, absolute",
        "old": "about 2e-02"}
    assert copy.estimated_errors["v"].at_least and not copy.estimated_errors["old"].at_least
    assert np.isnan(copy.estimated_errors["old"].absolute)
    assert copy.standard_errors["nu"] == 5.8e-6 and np.isnan(copy.standard_errors["k"])
    assert copy.no_standard_errors == ""


def test_a_run_without_estimated_errors_says_why(trained: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(trained / "runs" / "heat", tmp_path / "copy")
    write_trust(folder, {"no_estimated_errors": "the file asks for data alone"})
    assert pinn.load(folder).estimated_errors == {}
    assert pinn.load(folder).no_estimated_errors == "the file asks for data alone"


def test_fields_are_functions_that_broadcast(run: pinn.Run) -> None:
    x, t = np.linspace(0, 1, 7), np.linspace(0, 0.5, 3)[:, None]
    u = run(x=x, t=t)
    assert u.shape == (3, 7)
    assert np.allclose(u, np.exp(-0.1 * np.pi**2 * t) * np.sin(np.pi * x), atol=1e-2)
    assert float(run(x=0.5, t=0.25)) == run(x=[0.5], t=0.25)[0]


def test_derivatives_are_those_of_the_field(run: pinn.Run) -> None:
    h, x = 1e-5, np.linspace(0.1, 0.9, 5)
    difference = (run(x=x + h, t=0.3) - run(x=x - h, t=0.3)) / (2 * h)
    assert np.allclose(run.field("u_x")(x=x, t=0.3), difference, atol=1e-8)
    both = run.evaluate("u_xx, residual", x=x, t=0.3)
    assert set(both) == {"u_xx", "residual_heat"} and both["u_xx"].shape == x.shape


def test_values_are_those_of_the_files(run: pinn.Run) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(f"{run.folder}/fields.h5") as file:
        x, t, u = file["x"][:], file["t"][:], file["u"][:]
    found = run(x=x, t=t[:, None])
    assert np.array_equal(found if u.shape == found.shape else found.T, u)


def test_wrong_points_and_names_are_told(run: pinn.Run) -> None:
    with pytest.raises(TypeError, match="x, t"):
        run(x=0.5)
    with pytest.raises(TypeError, match="x, t"):
        run(x=0.5, t=0.1, y=3)
    with pytest.raises(ValueError, match="columns x, t"):
        run.field("u").at([[1.0]])
    with pytest.raises(pinn.Error, match="v_x") as told:
        run.field("v_x")
    assert told.value.code == 1
    with pytest.raises(pinn.Error, match="no such folder"):
        pinn.load("nowhere")


def test_the_page_is_that_of_the_report(run: pinn.Run) -> None:
    assert run.report().lower().startswith("<!doctype html>")
    assert run._repr_html_().startswith("<iframe srcdoc=")


def test_a_dataset_has_the_fields_by_name(run: pinn.Run) -> None:
    pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    data = run.dataset()
    assert float(data["u"].sel(x=0.5, t=0.5)) == pytest.approx(float(run(x=0.5, t=0.5)), abs=1e-12)


def test_what_a_dataset_needs_is_said(run: pinn.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    xarray = pytest.importorskip("xarray")

    def refuse(*_arguments: object, **_options: object) -> None:
        raise ValueError("unrecognized engine 'h5netcdf' must be one of your download engines")

    monkeypatch.setattr(xarray, "open_dataset", refuse)
    with pytest.raises(ImportError, match="pip install h5netcdf"):
        run.dataset()


def test_training_gives_the_bits_of_the_program(run: pinn.Run) -> None:
    told: list[pinn.Progress] = []
    again = pinn.train(text=PROBLEM, progress=told.append)
    x = np.linspace(0, 1, 5)
    assert np.array_equal(again(x=x, t=0.2), run(x=x, t=0.2))
    assert told[-1].step == told[-1].steps == 60 and told[-1].stages == 1
    assert pinn.train(text=PROBLEM, set={"stage.1.steps": 7}).steps == 7
    folder = again.folder
    del again
    assert not os.path.exists(folder)


def test_values_are_set_as_a_file_has_them() -> None:
    settings = {"equation.1.points": {"count": 150, "method": "lhs"}, "network.layers": (6, 5)}
    plan = pinn.check(text=PROBLEM, set=settings)
    assert "150" in plan and "lhs" in plan
    with pytest.raises(pinn.Error, match=r'a "b"'):  # read as a text, and no part of the network
        pinn.check(text=PROBLEM, set={"stage.1.train": ['a "b"']})


def test_a_text_that_c_would_cut_is_refused(trained: Path) -> None:
    for call in (lambda: pinn.load(f"{trained}/runs/heat\0else"), lambda: pinn.check(text="[problem]\0")):
        with pytest.raises(ValueError, match="NUL"):
            call()


def test_a_file_is_trained_in_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("heat.toml").write_text(PROBLEM)
    assert pinn.train("heat.toml").folder == "runs/heat"
    assert "parameters" in pinn.check("heat.toml")
    with pytest.raises(pinn.Error, match="heat.toml:"):
        Path("heat.toml").write_text(PROBLEM.replace("u_xx", "u_yy"))
        pinn.check("heat.toml")


def test_ctrl_c_ends_a_training_that_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    options = {"stage.1.optimizer": "adam", "stage.1.steps": 20000}
    seen: list[pinn.Progress] = []

    def interrupt(progress: pinn.Progress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            _thread.interrupt_main()

    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        pinn.train(text=PROBLEM, set=options, folder=folder, progress=interrupt)
    assert seen[-1].step < 20000
    part = pinn.load(folder).steps
    options["stage.1.steps"] = part + 500
    rest = pinn.train(text=PROBLEM, set=options, folder=folder, resume=True)
    whole = pinn.train(text=PROBLEM, set=options)
    assert rest.steps == whole.steps == part + 500
    assert rest(x=0.3, t=0.3) == whole(x=0.3, t=0.3)


def test_ctrl_c_is_raised_whenever_it_comes(tmp_path: Path) -> None:
    options = {"stage.1.optimizer": "adam", "stage.1.steps": 2000000}
    for k in range(4):
        told = threading.Event()  # the library is at work

        def press() -> None:
            told.wait()
            os.kill(os.getpid(), signal.SIGINT)

        hand = threading.Thread(target=press)
        hand.start()
        with pytest.raises(KeyboardInterrupt):
            pinn.train(text=PROBLEM, set=options, folder=tmp_path / str(k),
                       progress=lambda _: told.set())
        hand.join()
        assert 0 < pinn.load(tmp_path / str(k)).steps < 2000000
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_progress_raises_is_raised(tmp_path: Path) -> None:
    def stop(progress: pinn.Progress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        pinn.train(text=PROBLEM, progress=stop)


def test_threads_evaluate_side_by_side(run: pinn.Run) -> None:
    x = np.linspace(0, 1, 20001)
    alone, found = run(x=x, t=0.1), [None] * 4

    def ask(k: int) -> None:
        found[k] = run.field("u", threads=1)(x=x, t=0.1)

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(each, alone) for each in found)


def test_the_blocks_of_the_documentation_run(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trained)
    text = (DOCS / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) == 2
    names = {"problem": PROBLEM, "points": np.array([[0.1, 0.2], [0.3, 0.4]])}
    for block in blocks:  # of Burgers' equation there, of the heat equation here
        block = block.replace("runs/burgers", "runs/heat").replace("burgers.toml", "heat.toml")
        exec(compile(block, "docs/python.md", "exec"), names)
    assert names["u"].shape == (201,)
