"""What notebooks show: curves of a training at work, plots of fields, tables of sweeps."""

from __future__ import annotations

import csv
import html
import math
import sys
import time
from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Union

import numpy as np

if TYPE_CHECKING:
    from . import Progress, Run

WIDTH, HEIGHT, MARGIN = 560.0, 220.0, 44.0


def in_notebook() -> bool:
    """True in a kernel of Jupyter, whose pages can be drawn on."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and shell.__class__.__name__ == "ZMQInteractiveShell"


def _decades(values: list[float]) -> tuple[int, int]:
    known = [v for v in values if v > 0 and math.isfinite(v)]
    if not known:
        return -1, 0
    low, high = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
    return low, max(high, low + 1)


def curves_svg(curves: Mapping[str, tuple[list[float], list[float]]]) -> str:
    """Positive values over steps, by a logarithmic scale; each curve with its name."""
    low, high = _decades([v for _, values in curves.values() for v in values])
    last = max([1.0, *(s for steps, _ in curves.values() for s in steps)])
    right, bottom = WIDTH - 110, HEIGHT - MARGIN / 2

    def place(step: float, value: float) -> str:
        x = MARGIN + (right - MARGIN) * step / last
        y = bottom - (bottom - 10) * (math.log10(value) - low) / (high - low)
        return f"{x:.1f},{y:.1f}"

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" '
             f'height="{HEIGHT:.0f}" font-family="sans-serif" font-size="11">']
    for decade in range(low, high + 1):
        y = float(place(0, 10.0**decade).split(",")[1])
        parts.append(f'<path d="M{MARGIN},{y:.1f}H{right}" stroke="#ccc"/>'
                     f'<text x="4" y="{y + 4:.1f}">1e{decade:+03d}</text>')
    for k, (name, (steps, values)) in enumerate(curves.items()):
        color = ("#1f77b4", "#d62728", "#2ca02c")[k % 3]
        points = " ".join(place(s, v) for s, v in zip(steps, values) if v > 0 and math.isfinite(v))
        parts.append(f'<polyline fill="none" stroke="{color}" points="{points}"/>'
                     f'<text x="{right + 6}" y="{24 + 16 * k}" fill="{color}">'
                     f"{html.escape(name)}</text>")
    parts.append(f'<text x="{right}" y="{HEIGHT - 6}" text-anchor="end">step {last:.0f}</text>')
    return "".join(parts) + "</svg>"


class LiveCurve:
    """A curve in a notebook that grows while a training is at work."""

    most = 2000  #: points of a curve; of more every second one is left out

    def __init__(self, every: float = 0.5) -> None:
        shown = import_module("IPython.display")
        self._html = shown.HTML
        self._handle = shown.display(self._html("<p>training begins</p>"), display_id=True)
        self._every, self._drawn = every, -math.inf
        self._before, self._stage, self._last = 0, 0, 0
        self.curves: dict[str, tuple[list[float], list[float]]] = {}
        self._line = ""

    def __call__(self, p: Progress) -> None:
        if p.stage_number != self._stage:
            self._before, self._stage = self._before + self._last, p.stage_number
        self._last = p.step
        named = {"loss": p.loss, "held-out residual": p.held_out, "error": p.error}
        for name, value in named.items():
            if math.isfinite(value) and value > 0:
                self._add(name, self._before + p.step, value)
        self._line = (f"stage {p.stage_number} of {p.stages} ({p.stage}), step {p.step} of "
                      f"{p.steps}, {p.seconds:.0f} s")
        if time.monotonic() - self._drawn > self._every:
            self.draw()

    def _add(self, name: str, step: float, value: float) -> None:
        steps, values = self.curves.setdefault(name, ([], []))
        if steps and steps[-1] == step:
            values[-1] = value
            return
        steps.append(step)
        values.append(value)
        if len(steps) > self.most:
            del steps[1::2], values[1::2]

    def draw(self) -> None:
        self._drawn = time.monotonic()
        text = f"<p>{html.escape(self._line)}</p>" + curves_svg(self.curves)
        self._handle.update(self._html(text))


def plot(run: Run, formula: Optional[str], fixed: Mapping[str, float], points: int,
         ax: Any) -> Any:
    """A formula over the coordinates that are not fixed: a curve of one, a map of two."""
    plt = import_module("matplotlib.pyplot")
    unknown = set(fixed) - set(run.coordinates)
    if unknown:
        raise TypeError(f"the run has no coordinate {', '.join(sorted(unknown))}: its coordinates "
                        f"are {', '.join(run.coordinates)}")
    free = [name for name in run.coordinates if name not in fixed]
    if not 1 <= len(free) <= 2:
        raise TypeError(f"{len(free)} coordinates are free ({', '.join(free)}): fix all but one "
                        f"or two, as in plot({free[-1] if free else 'x'}=0.5)")
    name = formula if formula is not None else run.fields[0]
    axes = [np.linspace(*run.coordinates[c], points) for c in free]
    grid = dict(zip(free, np.meshgrid(*axes, indexing="ij")))
    values = run.evaluate(name, **grid, **fixed)
    if isinstance(values, dict):
        raise TypeError(f"plot one formula, and not {name!r}")
    ax = plt.subplots()[1] if ax is None else ax
    at = ", ".join(f"{c} = {v:g}" for c, v in fixed.items())
    estimate = run.estimated_errors.get(name)
    ax.set_title(name + (f" at {at}" if at else "") +
                 (f", error {estimate}" if estimate is not None else ""))
    ax.set_xlabel(free[0])
    if len(free) == 1:
        ax.plot(axes[0], values)
        ax.set_ylabel(name)
    else:
        drawn = ax.pcolormesh(axes[0], axes[1], values.T, shading="gouraud")
        ax.set_ylabel(free[1])
        ax.figure.colorbar(drawn, ax=ax)
    return ax


def _value(text: str) -> Union[float, int, str, None]:
    if text == "":
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


class Sweep:
    """The table of a sweep: a row for each of its runs, by the columns of table.csv; None is
    what is not known."""

    def __init__(self, folder: Union[str, PathLike[str]]) -> None:
        self.folder = fspath(folder)
        with open(f"{self.folder}/table.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.columns: tuple[str, ...] = tuple(rows[0])
        self.rows: list[dict[str, Any]] = [
            dict(zip(self.columns, map(_value, row))) for row in rows[1:]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, column: str) -> list[Any]:
        """A column, in the order of the rows."""
        return [row[column] for row in self.rows]

    def to_pandas(self) -> Any:
        return import_module("pandas").DataFrame(self.rows, columns=self.columns)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(c)}</th>" for c in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(row[c]))}</td>"
                                        for c in self.columns) + "</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        return f"<pinn.Sweep {self.folder!r}: {len(self)} runs, {', '.join(self.columns)}>"
