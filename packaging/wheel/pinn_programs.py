"""The programs of pinn, as commands of a Python installation: each becomes the native one."""

import os
import sys


def _become(name: str) -> None:
    program = os.path.join(os.path.dirname(__file__), "pinn", "bin", name)
    os.execv(program, [name, *sys.argv[1:]])


def train() -> None:
    _become("pinn-train")


def export() -> None:
    _become("pinn-export")


def report() -> None:
    _become("pinn-report")


def sweep() -> None:
    _become("pinn-sweep")


def verify() -> None:
    _become("pinn-verify")


def reference() -> None:
    _become("pinn-reference")
