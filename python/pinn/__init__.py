"""Trained runs as functions, and training, from Python.

    import pinn
    run = pinn.train("burgers.toml")          # or pinn.load("runs/burgers")
    u = run(x=numpy.linspace(-1, 1, 201), t=0.5)
    u_x = run.field("u_x")(x=0.1, t=0.5)
"""

from __future__ import annotations

import ctypes
import html
import json
import math
import os
import signal
import threading
from ctypes import byref, c_char_p, c_double, c_void_p
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _library as _c
from ._library import Error, Interrupted, lib
from ._show import LiveCurve, Sweep, in_notebook
from ._show import plot as _plot

if TYPE_CHECKING:
    import xarray

__all__ = ["Error", "EstimatedError", "Field", "Interrupted", "LiveCurve", "Progress", "Run",
           "Sweep", "check", "load", "sweep", "train"]
__version__: str = lib.pinn_version().decode()

Array = NDArray[np.float64]
Path = Union[str, "PathLike[str]"]


@dataclass(frozen=True)
class Progress:
    """How a training stands. NaN is what is not known."""

    stage: str
    stage_number: int
    stages: int
    step: int  #: made, of `steps`, in this stage
    steps: int
    loss: float
    held_out: float  #: the loss at points that training does not see
    error: float  #: the largest relative L2 error, where a reference is known
    seconds: float


@dataclass(frozen=True)
class EstimatedError:
    """What a field is estimated to be off by. NaN is what is not known."""

    relative: float  #: L2, over that of the field; NaN: the field is 0
    absolute: float  #: root mean square, in the unit of the field
    explained: float  #: share of the squared residual that such an error accounts for
    at_least: bool  #: these are lower bounds: the error may be far larger

    def __str__(self) -> str:
        size, unit = self.relative, ""
        if math.isnan(size):
            size, unit = self.absolute, ", absolute"
        if math.isnan(size):
            return "not known"
        text = f"{size:.0e}"  # no estimate knows more than a digit
        if self.at_least and float(text) > size:  # a bound is rounded down
            text = f"{float(text) - 10.0 ** math.floor(math.log10(size)):.0e}"
        return f"{'at least' if self.at_least else 'about'} {text}{unit}"


class Field:
    """Formulas of a run, compiled: a function of its coordinates."""

    def __init__(self, run: Run, formulas: str, threads: int = 0) -> None:
        self._handle, error = c_void_p(), c_void_p()
        _c.check(
            lib.pinn_compile(
                run._handle, _bytes(formulas), threads, byref(self._handle), byref(error)
            ),
            error,
        )
        self.coordinates = tuple(run.coordinates)
        count = lib.pinn_formula_count(self._handle)
        self.names = tuple(lib.pinn_formula_name(self._handle, k).decode() for k in range(count))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            lib.pinn_release(self._handle)

    def at(self, points: ArrayLike) -> Array:
        """Values [formulas, points] at points [points, coordinates]."""
        x = np.ascontiguousarray(points, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != len(self.coordinates):
            raise ValueError(
                f"points have the shape {x.shape}: write [points, {len(self.coordinates)}], "
                f"columns {', '.join(self.coordinates)}"
            )
        values, error = np.empty((len(self.names), len(x))), c_void_p()
        _c.check(
            lib.pinn_evaluate(self._handle, len(x), x.ctypes.data, values.ctypes.data, byref(error)),
            error,
        )
        return values

    def __call__(self, **coordinates: ArrayLike) -> Any:
        """Values where the coordinates, broadcast together, say: an array; of several formulas
        a dict of them."""
        if set(coordinates) != set(self.coordinates):
            raise TypeError(f"name every coordinate, once: {', '.join(self.coordinates)}")
        given = [np.asarray(coordinates[name], dtype=np.float64) for name in self.coordinates]
        grid = np.broadcast_arrays(*given)
        flat = self.at(np.stack([axis.ravel() for axis in grid], axis=1))
        shaped = {name: row.reshape(grid[0].shape)[()] for name, row in zip(self.names, flat)}
        return shaped if len(shaped) > 1 else shaped[self.names[0]]


class Run:
    """A trained run. Made by `load` and `train`."""

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle
        self.coordinates: dict[str, tuple[float, float]] = {}
        for i, name in enumerate(self._numbers(_c.COORDINATES)):
            ends = (c_double * 2)()
            lib.pinn_range(handle, i, ends)
            self.coordinates[name] = (ends[0], ends[1])
        self.fields: tuple[str, ...] = tuple(self._numbers(_c.FIELDS))
        self.unknowns: dict[str, float] = self._numbers(_c.UNKNOWNS)
        self.errors: dict[str, float] = self._numbers(_c.ERRORS)  #: relative L2, of the result
        #: of a run that is done, without a reference, by field; see `no_estimated_errors`
        self.estimated_errors: dict[str, EstimatedError] = {
            name: self._estimate(i) for i, name in enumerate(self._numbers(_c.ESTIMATES))
        }
        #: of unknowns by the noise of data; NaN: left open; see `no_standard_errors`
        self.standard_errors: dict[str, float] = self._numbers(_c.STANDARD_ERRORS)
        facts = self._numbers(_c.FACTS)
        self.step, self.steps = int(facts["step"]), int(facts["steps"])
        self.parameters = int(facts["parameters"])
        self.held_out, self.seconds = facts["held_out"], facts["seconds"]
        self._compiled: dict[str, Field] = {}

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            lib.pinn_close(self._handle)

    def _numbers(self, kind: int) -> dict[str, float]:
        count = lib.pinn_count(self._handle, kind)
        names = [lib.pinn_name(self._handle, kind, i).decode() for i in range(count)]
        return {name: lib.pinn_number(self._handle, kind, i) for i, name in enumerate(names)}

    def _estimate(self, index: int) -> EstimatedError:
        relative, absolute, explained, at_least = (
            lib.pinn_estimate(self._handle, index, part)
            for part in (_c.RELATIVE, _c.ABSOLUTE, _c.EXPLAINED, _c.AT_LEAST)
        )
        return EstimatedError(relative, absolute, explained, bool(at_least))

    def _text(self, kind: int) -> str:
        text, error = c_void_p(), c_void_p()
        _c.check(lib.pinn_text(self._handle, kind, byref(text), byref(error)), error)
        return _c.text_at(text)

    def field(self, formulas: str, threads: int = 0) -> Field:
        """Formulas between commas - fields, derivatives, expressions - as a function."""
        return Field(self, formulas, threads)

    def __call__(self, **coordinates: ArrayLike) -> Any:
        """The fields where the coordinates, broadcast together, say: an array, or a dict of them."""
        return self.evaluate(", ".join(self.fields), **coordinates)

    def evaluate(self, formulas: str, **coordinates: ArrayLike) -> Any:
        """The same of any formulas; what was compiled once is kept."""
        if formulas not in self._compiled:
            self._compiled[formulas] = self.field(formulas)
        return self._compiled[formulas](**coordinates)

    @property
    def history(self) -> dict[str, tuple[NDArray[np.int64], Array]]:
        """Steps and values of every recorded loss, residual, error and unknown."""
        columns = {}
        for k, name in enumerate(self._numbers(_c.HISTORY)):
            count = lib.pinn_history(self._handle, k, 0, None, None)
            steps, values = np.empty(count, np.int64), np.empty(count)
            lib.pinn_history(self._handle, k, count, steps.ctypes.data, values.ctypes.data)
            known = np.isfinite(values)
            columns[name] = (steps[known], values[known])
        return columns

    folder = property(lambda self: self._text(_c.FOLDER), doc="Where the run lies.")
    source = property(lambda self: self._text(_c.SOURCE), doc="The problem file as it was read.")
    notes = property(lambda self: self._text(_c.NOTES), doc="Warnings, and what was damaged.")
    no_estimated_errors = property(
        lambda self: self._text(_c.NO_ESTIMATES), doc="Why there are none; empty where there are."
    )
    no_standard_errors = property(
        lambda self: self._text(_c.NO_STANDARD_ERRORS), doc="The same of standard errors."
    )
    status = property(lambda self: self._text(_c.STATUS), doc="How the run stands, in lines.")

    def report(self) -> str:
        """The page of the run: HTML that needs nothing else."""
        return self._text(_c.REPORT)

    def _repr_html_(self) -> str:
        """The report's first screen: what the run came to."""
        first = self.report().split("<section", 1)[0] + "</article></body></html>"
        page = html.escape(first, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:22em;border:0"></iframe>'

    def plot(self, formula: Optional[str] = None, *, points: int = 201, ax: Any = None,
             **fixed: float) -> Any:
        """Draws a formula, the first field by default, over the coordinates that are not fixed:
        a curve over one, a map over two. Needs matplotlib; gives its axes."""
        return _plot(self, formula, fixed, points, ax)

    def __repr__(self) -> str:
        names = f"{', '.join(self.fields)} of {', '.join(self.coordinates)}"
        held_out = "" if math.isnan(self.held_out) else f", held-out residual {self.held_out:.2e}"
        return f"<pinn.Run {self.folder!r}: {names}, step {self.step}{held_out}>"

    def dataset(self) -> xarray.Dataset:
        """The fields that training wrote to fields.h5, as xarray opens them."""
        import xarray

        try:
            return xarray.open_dataset(f"{self.folder}/fields.h5", engine="h5netcdf")
        except (ImportError, ValueError) as e:
            if "h5netcdf" not in str(e):
                raise
            raise ImportError("xarray reads fields.h5 by h5netcdf: pip install h5netcdf") from e


def _request(
    problem: Optional[Path],
    text: Optional[str],
    set: Optional[Mapping[str, Any]],
) -> tuple[_c.RequestStruct, Any]:
    if problem is None and text is None:
        raise TypeError("name a problem file, or give its text")
    request = _c.RequestStruct(size=ctypes.sizeof(_c.RequestStruct))
    request.text = _bytes(text) if text is not None else None
    request.file = _bytes(problem) if problem is not None else None
    words = [_bytes(f"{key}={_toml(value)}") for key, value in (set or {}).items()]
    overrides = (c_char_p * len(words))(*words)
    request.overrides, request.override_count = overrides, len(words)
    return request, overrides


def _bytes(text: Path) -> bytes:
    """A text or a path as C takes it."""
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise ValueError(f"{text!r} has a NUL in it")
    return encoded


def _toml(value: Any, within: bool = False) -> str:
    """A value as a problem file has it; a text that stands alone as it is, as --set takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        items = (f"{_toml(str(key), True)} = {_toml(v, True)}" for key, v in value.items())
        return "{ " + ", ".join(items) + " }"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_toml(v, True) for v in value) + "]"
    if isinstance(value, str) and within:  # what JSON escapes, TOML reads
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)


def load(folder: Path) -> Run:
    """Opens the run in a folder: its newest good checkpoint. It may be in training."""
    handle, error = c_void_p(), c_void_p()
    _c.check(lib.pinn_load(_bytes(folder), byref(handle), byref(error)), error)
    return Run(handle)


def sweep(folder: Path) -> Sweep:
    """Reads the table of a sweep that `pinn-sweep` made."""
    return Sweep(folder)


def check(problem: Optional[Path] = None, *, text: Optional[str] = None,
          set: Optional[Mapping[str, Any]] = None) -> str:
    """Checks a problem, and gives the plan of its training."""
    request, _kept = _request(problem, text, set)
    plan, error = c_void_p(), c_void_p()
    _c.check(lib.pinn_check(byref(request), byref(plan), byref(error)), error)
    return _c.text_at(plan)


def train(
    problem: Optional[Path] = None,
    *,
    text: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,
    folder: Optional[Path] = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Optional[Callable[[Progress], Any]] = None,
    live: Optional[bool] = None,
) -> Run:
    """Trains a problem file, or a text, to its end.

    set       overrides: {"run.seed": 3, "stage.1.steps": 200}
    folder    of the run; by default runs/NAME of a file, and for a text one that goes with the run
    progress  called about twenty times a second; what it raises, and Ctrl-C, ends the training in
              good order, and then is raised here
    live      draws its curves while it trains; by default in a notebook that says no `progress`
    """
    curve = None
    if live or (live is None and progress is None and in_notebook()):
        curve = LiveCurve()
    request, _kept = _request(problem, text, set)
    where = folder if folder is not None else "" if problem is not None else None
    request.folder = _bytes(where) if where is not None else None
    request.resume, request.overwrite = resume, overwrite
    raised: list[BaseException] = []

    def signaled(number: int, frame: Any) -> None:
        try:
            before(number, frame)
        except BaseException as e:  # noqa: BLE001 - handed on below
            raised.append(e)

    def told(view: Any, _user: Any) -> int:
        try:
            p = view.contents
            now = Progress(p.stage.decode(), *(getattr(p, name) for name, _ in p._fields_[2:]))
            if curve is not None:
                curve(now)
            if progress is not None:
                progress(now)
        except BaseException as e:  # noqa: BLE001 - handed on below
            raised.append(e)
        return len(raised)

    request.progress = _c.ProgressFunction(told)
    handle, error = c_void_p(), c_void_p()
    # Python calls what handles Ctrl-C where it likes in `told`, also where nothing catches, and
    # ctypes swallows what leaves that; so it is noted while the library is at work.
    before: Any = signal.getsignal(signal.SIGINT)
    notes = callable(before) and threading.current_thread() is threading.main_thread()
    if notes:
        signal.signal(signal.SIGINT, signaled)
    try:
        code = lib.pinn_train(byref(request), byref(handle), byref(error))
    finally:
        if notes:
            signal.signal(signal.SIGINT, before)
    if curve is not None:
        curve.draw()
    run = Run(handle) if handle else None
    if raised:
        raise raised[0]
    try:
        _c.check(code, error)
    except Error as e:
        if isinstance(e, Interrupted):
            e.run = run
        raise
    assert run is not None
    return run
