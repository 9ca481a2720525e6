"""libpinn, as ctypes sees it: pinn.h in Python."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from . import Run

DONE, INTERRUPTED = 0, 4
COORDINATES, FIELDS, UNKNOWNS, ERRORS, FACTS, HISTORY, ESTIMATES, STANDARD_ERRORS = range(8)
STATUS, SOURCE, NOTES, FOLDER, REPORT, NO_ESTIMATES, NO_STANDARD_ERRORS = range(7)
RELATIVE, ABSOLUTE, EXPLAINED, AT_LEAST = range(4)


class ProgressStruct(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("stage", c_char_p),
        ("stage_number", c_int64),
        ("stages", c_int64),
        ("step", c_int64),
        ("steps", c_int64),
        ("loss", c_double),
        ("held_out", c_double),
        ("error", c_double),
        ("seconds", c_double),
    ]


ProgressFunction = ctypes.CFUNCTYPE(c_int, POINTER(ProgressStruct), c_void_p)


class RequestStruct(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("text", c_char_p),
        ("file", c_char_p),
        ("overrides", POINTER(c_char_p)),
        ("override_count", c_size_t),
        ("folder", c_char_p),
        ("resume", c_int),
        ("overwrite", c_int),
        ("progress", ProgressFunction),
        ("user", c_void_p),
    ]


# What a function gives, and what it takes.
_PROTOTYPES = {
    "pinn_version": (c_char_p, []),
    "pinn_free": (None, [c_void_p]),
    "pinn_load": (c_int, [c_char_p, POINTER(c_void_p), POINTER(c_void_p)]),
    "pinn_close": (None, [c_void_p]),
    "pinn_count": (c_size_t, [c_void_p, c_int]),
    "pinn_name": (c_char_p, [c_void_p, c_int, c_size_t]),
    "pinn_number": (c_double, [c_void_p, c_int, c_size_t]),
    "pinn_range": (None, [c_void_p, c_size_t, POINTER(c_double)]),
    "pinn_estimate": (c_double, [c_void_p, c_size_t, c_int]),
    "pinn_history": (c_size_t, [c_void_p, c_size_t, c_size_t, c_void_p, c_void_p]),
    "pinn_text": (c_int, [c_void_p, c_int, POINTER(c_void_p), POINTER(c_void_p)]),
    "pinn_compile": (
        c_int,
        [c_void_p, c_char_p, c_int, POINTER(c_void_p), POINTER(c_void_p)],
    ),
    "pinn_release": (None, [c_void_p]),
    "pinn_formula_count": (c_size_t, [c_void_p]),
    "pinn_formula_name": (c_char_p, [c_void_p, c_size_t]),
    "pinn_evaluate": (c_int, [c_void_p, c_size_t, c_void_p, c_void_p, POINTER(c_void_p)]),
    "pinn_check": (c_int, [POINTER(RequestStruct), POINTER(c_void_p), POINTER(c_void_p)]),
    "pinn_train": (c_int, [POINTER(RequestStruct), POINTER(c_void_p), POINTER(c_void_p)]),
}


def _open() -> ctypes.CDLL:
    """The library of PINN_LIBRARY; else the one beside this file, or of the installation that this
    file belongs to; else the system's.

    Beside this file lies, in a wheel, a small library that names libpinn: the system's loader then
    picks the one for this processor.
    """
    here = Path(__file__).resolve()
    near = [here.parent / "lib" / "libpinn_loader.so"]
    near += [folder / "libpinn.so.0" for folder in list(here.parents)[3:4]]
    found = [str(file) for file in near if file.exists()]
    name = os.environ.get("PINN_LIBRARY") or (found[0] if found else "libpinn.so.0")
    try:
        opened = ctypes.CDLL(name)
    except OSError as problem:
        raise ImportError(
            f"error: the library of pinn cannot be loaded\n  where: {problem}\n  fix:   install the "
            "package, or name the file in PINN_LIBRARY, as in PINN_LIBRARY=build/release/libpinn.so.0"
        ) from None
    for function, (gives, takes) in _PROTOTYPES.items():
        prototype = getattr(opened, function)
        prototype.restype, prototype.argtypes = gives, takes
    return opened


lib = _open()


class Error(RuntimeError):
    """What the library could not do: what, where, how to mend it. `code` as pinn-train exits."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Interrupted(Error):
    """A training that was stopped. `run` is what it came to; it can be resumed."""

    run: Optional[Run] = None


def text_at(pointer: c_void_p) -> str:
    """A text that the library gave, which is freed."""
    if not pointer:
        return "out of memory"
    text = ctypes.cast(pointer, c_char_p).value or b""
    lib.pinn_free(pointer)
    return text.decode("utf-8", "replace")


def check(code: int, error: c_void_p) -> None:
    """Raises what a call said."""
    if code != DONE:
        raise (Interrupted if code == INTERRUPTED else Error)(code, text_at(error))
