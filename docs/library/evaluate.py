"""Asks a trained run for u and u_x, by nothing but ctypes: the pinn module does more.

    python3 evaluate.py runs/burgers
"""

import ctypes
import os
import sys

lib = ctypes.CDLL(os.environ.get("LIBPINN", "libpinn.so.0"))
lib.pinn_formula_count.restype = ctypes.c_size_t


def check(code, error):
    if code != 0:
        text = ctypes.cast(error, ctypes.c_char_p).value.decode()
        lib.pinn_free(error)
        sys.exit(text)


run, formulas, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
check(lib.pinn_load(sys.argv[1].encode(), ctypes.byref(run), ctypes.byref(error)), error)
check(lib.pinn_compile(run, b"u, u_x", 0, ctypes.byref(formulas), ctypes.byref(error)), error)

positions = [-0.6, -0.2, 0.2, 0.6, 1.0]
count = len(positions)
points = (ctypes.c_double * (2 * count))(*[c for x in positions for c in (x, 0.5)])
values = (ctypes.c_double * (lib.pinn_formula_count(formulas) * count))()
check(lib.pinn_evaluate(formulas, ctypes.c_size_t(count), points, values, ctypes.byref(error)),
      error)
for i, x in enumerate(positions):
    print(f"u({x}, 0.5) = {values[i]:.9f}  u_x = {values[count + i]:.9f}")

lib.pinn_release(formulas)
lib.pinn_close(run)
