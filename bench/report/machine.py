"""Lines that say what a table was measured on, and with which programs."""
import functools
import json
import subprocess


@functools.cache
def asked(pinn):
    first = subprocess.run([pinn, "d-c", "--count", "10", "--samples", "0"], capture_output=True, text=True,
                           check=True).stdout.splitlines()[0]
    return json.loads(first)


def here(pinn):
    m = asked(pinn)
    flags = ", ".join(f for f in ("avx512", "amx_bf16") if m[f]) or "neither AVX-512 nor AMX"
    return f"* machine: {m['cpu']} (family {m['family']}), {m['cores']} cores, {flags}"


def program(pinn):
    m = asked(pinn)
    return f"* pinn {m['version']}, {m['compiler']}, vectors of {m['vector_bytes']} bytes"


def versions(python, *packages):
    """Of those of the packages that a Python has."""
    code = f"import importlib.metadata as m; print(', '.join(d.name + ' ' + d.version for d in m.distributions() if d.name.lower() in {packages}))"
    return subprocess.run([python, "-c", code], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
