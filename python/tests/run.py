"""Runs the tests of the module, where there is what they need: run.py PINN_TRAIN LIBRARY"""

import importlib.util
import os
import sys
from pathlib import Path

for needed in ("numpy", "pytest"):
    if importlib.util.find_spec(needed) is None:
        print(f"test skipped: there is no {needed} for Python")
        sys.exit(0)

import pytest  # noqa: E402

os.environ["PINN_TRAIN"], os.environ["PINN_LIBRARY"] = sys.argv[1:3]
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", str(Path(__file__).parent)]))
