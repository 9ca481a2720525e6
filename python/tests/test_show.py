"""What notebooks show, without one: PINN_TRAIN names pinn-train, PINN_LIBRARY libpinn."""

from __future__ import annotations

import os
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from test_pinn import PROBLEM, run, trained  # noqa: F401 - fixtures

import pinn
from pinn import _show


def test_a_run_shows_the_first_screen_of_its_report(run: pinn.Run) -> None:  # noqa: F811
    shown = run._repr_html_()
    assert "relative L2 error of u" in shown and "held-out residual" in shown
    assert "What is asked" not in shown and "What is asked" in run.report()


def test_curves_lie_where_their_values_are() -> None:
    svg = _show.curves_svg({"loss": ([0, 10], [1.0, 1e-4]), "a<b": ([0], [float("nan")])})
    (x0, y0), (x1, y1) = [tuple(map(float, p.split(","))) for p in
                          re.search(r'points="([^"]+)"', svg).group(1).split()]
    assert x1 > x0 and y1 > y0  # later, and lower on the page
    assert "a&lt;b" in svg and "1e-04" in svg and "1e+00" in svg


def test_a_training_draws_its_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    handle = types.SimpleNamespace(update=drawn.append)
    display = types.SimpleNamespace(HTML=str, display=lambda *_, **__: handle)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(
        display=display, get_ipython=lambda: None))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    told: list[pinn.Progress] = []
    pinn.train(text=PROBLEM, live=True, progress=told.append, set={"output.trust": False})
    assert told and "stage 1 of 1" in drawn[-1] and "step 60 of 60" in drawn[-1]
    assert "<polyline" in drawn[-1]
    drawn.clear()
    pinn.train(text=PROBLEM, set={"stage.1.steps": 5})  # no notebook: nothing is drawn
    assert not drawn


def test_a_live_curve_of_many_steps_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    curve = _show.LiveCurve.__new__(_show.LiveCurve)
    curve.curves = {}
    for step in range(100_000):
        curve._add("loss", step, 1.0 + step)
    steps, values = curve.curves["loss"]
    assert len(steps) <= curve.most and values == [1.0 + s for s in steps]


def test_a_run_is_plotted_where_its_other_coordinates_are_fixed(run: pinn.Run) -> None:  # noqa: F811
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("svg")
    line = run.plot(t=0.25).lines[0]
    x, u = line.get_data()
    assert np.array_equal(u, run(x=x, t=0.25))
    both = run.plot("u_x", points=11)
    assert both.get_title() == "u_x" and both.get_ylabel() == "t"
    with pytest.raises(TypeError, match="no coordinate y"):
        run.plot(y=1)
    with pytest.raises(TypeError, match="0 coordinates are free"):
        run.plot(x=0, t=0)


def test_a_sweep_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(
        'stage.1.rate,seed,state,error:u,folder\n0.001,0,done,2.5e-3,"a, b"\n'
        "0.003,1,failed (5),,c\n")
    table = pinn.sweep(tmp_path)
    assert len(table) == 2 and table["seed"] == [0, 1] and table["error:u"] == [2.5e-3, None]
    assert table.rows[0]["folder"] == "a, b" and "<td>failed (5)</td>" in table._repr_html_()


def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    for needed in ("ipykernel", "matplotlib"):
        pytest.importorskip(needed)
    root = Path(__file__).resolve().parents[2]
    notebook = nbformat.read(root / "docs" / "notebook.ipynb", 4)
    paths = os.pathsep.join(filter(None, (str(root / "python"), os.environ.get("PYTHONPATH"))))
    os.environ["PYTHONPATH"] = paths
    preprocessors.ExecutePreprocessor(timeout=600).preprocess(
        notebook, {"metadata": {"path": str(tmp_path)}})
    shown = [o for cell in notebook.cells for o in cell.get("outputs", [])]
    assert sum("image/png" in o.get("data", {}) for o in shown) == 2
    assert any("polyline" in o.get("data", {}).get("text/html", "") for o in shown)
