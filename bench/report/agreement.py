"""Whether contenders computed the same: arrays they left are held to the float64 reference."""
import array
import os

from report.contender import say
from report.summary import ASKED, STEPS

LIMITS = {("gradient", "f32"): 1e-5, ("gradient", "f64"): 1e-10, ("hessian", "f32"): 2e-6, ("hessian", "f64"): 1e-10,
          **{(step, "f64"): 1e-6 for step in STEPS},  # parameters after a step
          ("loss", "f32"): 1e-2, ("loss", "f64"): 1e-6,  # the loss after many steps, along which rounding grows
          **{(asked, dtype): limit for asked in ASKED for dtype, limit in (("f32", 2e-5), ("f64", 1e-10))}}


def read(folder, name, key):
    path = os.path.join(folder, f"{name}.{key}.f64")
    if not os.path.exists(path):
        return None
    values = array.array("d")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def difference(folder, name, key):
    """The largest difference from the reference, relative to its largest entry; None where there is nothing."""
    exact, values = read(folder, "reference", key), read(folder, name, key)
    if values is None:
        return None
    if len(values) != len(exact):
        return float("inf")
    scale = max(map(abs, exact)) or 1.0
    return max(abs(a - b) if a == a else float("inf") for a, b in zip(values, exact)) / scale


def agrees(folder, contender, dtype):
    """Whether the results are the reference's; says so where not."""
    for key in ("gradient", "hessian", "loss", *ASKED, *STEPS):
        d = difference(folder, contender.name, key)
        if d is None:
            continue
        contender.differences[key] = d
        if not d <= LIMITS[key, dtype]:
            say(f"  {contender.name}: its {key} is {d:.1e} away from the reference; limit {LIMITS[key, dtype]:.0e}")
            return False
    return bool(contender.differences)
