"""What every peer does: reads pinn-bench's inputs, leaves its results beside them, and answers with times.

Speaks the protocol of `pinn-bench --serve`: one JSON line when ready; then, for each number n read from stdin, one
line with the times of n calls in seconds, by the clock and of this process.
"""
import argparse
import ctypes
import json
import os
import sys
import time

import numpy as np


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--row", required=True)
    parser.add_argument("--folder", required=True, help="where pinn-bench --write has left the inputs")
    parser.add_argument("--width", type=int, required=True)
    parser.add_argument("--layers", type=int, default=6, help="hidden layers")
    parser.add_argument("--dtype", choices=["f32", "f64"], default="f32")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--activation", default="tanh")
    parser.add_argument("--optimizer", choices=["adam", "ssbroyden"], default="adam")
    parser.add_argument("--count", type=int, default=100, help="training steps before it begins anew")
    return parser.parse_args()


def read(opts, key):
    return np.fromfile(os.path.join(opts.folder, f"input.{key}.f64"))


class Inputs:
    """The points [points, 2], and weights [in, out] and biases [out] of each layer, as float64 arrays."""

    def __init__(self, opts, outputs, features=2):
        flat = read(opts, "parameters")
        self.x = read(opts, "x").reshape(-1, 2)
        sizes = [features] + [opts.width] * opts.layers + [outputs]
        self.layers, at = [], 0
        for fan_in, fan_out in zip(sizes, sizes[1:]):
            w = flat[at:at + fan_in * fan_out].reshape(fan_in, fan_out)
            at += fan_in * fan_out
            self.layers.append((w, flat[at:at + fan_out]))
            at += fan_out
        if at != flat.size:
            sys.exit(f"{flat.size} parameters do not fill a network of {sizes}")


def flat_gradient(pairs):
    """Gradients by (weight [in, out], bias) pairs as one array, in pinn's order."""
    return np.concatenate([np.asarray(g, dtype=np.float64).ravel() for pair in pairs for g in pair])


def serve(opts, versions, act, results):
    """act() is timed and must finish before it returns; results() gives arrays by name."""
    start = time.perf_counter()
    act()  # compiles, where there is a compiler
    first = time.perf_counter() - start
    for key, values in results().items():
        np.ascontiguousarray(values, dtype=np.float64).tofile(
            os.path.join(opts.folder, f"{opts.row}.{key}.f64"))
    once = first
    for _ in range(2):  # the first may have been the compiler's
        if once < 0.5 or once == first:
            start = time.perf_counter()
            act()
            once = time.perf_counter() - start
    say({"ready": True, "row": opts.row, "dtype": opts.dtype, "threads": opts.threads, "first_ms": 1e3 * first,
         "once_ms": 1e3 * once, "versions": versions})
    give_back = ctypes.CDLL(None).malloc_trim
    give_back(0)  # what is free, so that all contenders fit in memory while they wait
    for line in sys.stdin:
        wall, cpu = [], []
        for _ in range(int(line)):
            w, c = time.perf_counter(), time.process_time()
            act()
            cpu.append(time.process_time() - c)
            wall.append(time.perf_counter() - w)
        say({"wall": wall, "cpu": cpu, "peak": []})
        give_back(0)


def serve_training(opts, versions, training, gradient):
    """training.step() is timed; after opts.count steps training.begin() comes again. What is left to compare: the
    gradient at the beginning, and training.loss() after so many steps."""
    done = opts.count

    def step():
        nonlocal done
        if done == opts.count:
            training.begin()
            done = 0
        training.step()
        done += 1

    def results():
        nonlocal done
        arrays = {"gradient": gradient()}
        training.begin()
        for _ in range(opts.count):
            training.step()
        arrays["loss"] = [training.loss()]
        done = opts.count
        return arrays

    serve(opts, versions, step, results)


def say(line):
    print(json.dumps(line), flush=True)
