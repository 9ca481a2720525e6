"""What every peer of bench/time_to_error.py does: reads what pinn begins with, redraws points, and tells its error as it trains.

Prints JSON lines: one with the versions when the first step is about to be made, then one per judgment of u with step,
error, and the seconds of training alone, of the processor and of the clock.
"""
import argparse
import os
import sys
import time

import h5py
import numpy as np
from scipy.stats import qmc

import burgers
import peer

FRONT = 0.1  # half of the points are in |x| < FRONT


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", help="where pinn-bench --write has left the inputs")
    parser.add_argument("--reference", required=True, help="data/reference/burgers.h5")
    parser.add_argument("--width", type=int)
    parser.add_argument("--layers", type=int, help="hidden layers")
    parser.add_argument("--periodic", action="store_true")
    parser.add_argument("--first", type=int, default=500, help="steps of Adam before SSBroyden")
    parser.add_argument("--redraw", type=int, default=500, help="steps between points")
    parser.add_argument("--last", type=int, default=10 ** 9, help="steps of both")
    parser.add_argument("--to", type=float, required=True, help="the error to stop at")
    parser.add_argument("--seconds", type=float, required=True, help="of the processor to stop after")
    parser.add_argument("--dtype", default="float64", choices=["float32", "float64"], help="of DeepXDE")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Beginning:
    """Parameters and points of pinn's own run, weights of squares, and the points that follow them."""

    def __init__(self, opts):
        self.opts = opts
        self.inputs = peer.Inputs(opts, outputs=1, features=3 if opts.periodic else 2)
        self.weights = peer.read(opts, "weights")
        self.rate, self.beta1, self.beta2, self.epsilon = peer.read(opts, "optimizer")
        self.sobol = [qmc.Sobol(2, rng=np.random.default_rng([opts.seed, k])) for k in (0, 1)]

    def check(self, pairs):
        """Gradients by (weight [in, out], bias) at the beginning against those of pinn by nested reverse."""
        found, exact = peer.flat_gradient(pairs), np.fromfile(os.path.join(self.opts.folder, "reference.gradient.f64"))
        if not np.abs(found - exact).max() <= 1e-10 * np.abs(exact).max():
            sys.exit(f"the first gradient is off by {np.abs(found - exact).max() / np.abs(exact).max():.1e} of the largest entry")

    def first(self):
        return self.arrays(self.inputs.x)

    def redrawn(self):
        """As many points as before, of scrambled Sobol sequences: the first half everywhere, the other near the front."""
        half = len(self.inputs.x) // 2
        x = np.concatenate([sequence.random(half) for sequence in self.sobol])
        x[:half, 0] = 2 * x[:half, 0] - 1
        x[half:, 0] = FRONT * (2 * x[half:, 0] - 1)
        return self.arrays(x)

    def arrays(self, x):
        """Of the network, [inputs, 3 times points], channel by channel; of the form, [8, points]; weights [points]."""
        z = burgers.inputs(x, self.opts.periodic)
        return (np.concatenate(z, 1), burgers.three(x, self.opts.periodic), self.weights)


class Reference:
    def __init__(self, path):
        with h5py.File(path) as file:
            t, x = np.meshgrid(file["t"][:], file["x"][:], indexing="ij")
            self.points, self.u = np.stack([x.ravel(), t.ravel()], 1), file["u"][:].ravel()

    def error(self, u):
        """Relative L2 on the nodes, which are evenly spaced."""
        return float(np.linalg.norm(u - self.u) / np.linalg.norm(self.u))


class Diary:
    """Judges u ever more seldom, each time 3 % or a quarter of a second later, and stops the clocks meanwhile."""

    def __init__(self, opts, versions, u):
        """u(points) is the solution as it stands."""
        self.opts, self.u, self.reference = opts, u, Reference(opts.reference)
        self.cpu = self.wall = self.next = 0.0
        peer.say({"ready": True, "versions": versions, "before": time.process_time()})
        self.go_on()

    def go_on(self):
        self.since = time.process_time(), time.perf_counter()

    def after(self, step):
        """Whether to go on."""
        cpu, wall = (now - then for now, then in zip((time.process_time(), time.perf_counter()), self.since))
        if self.cpu + cpu < self.next and step != self.opts.last:
            return True
        self.cpu, self.wall = self.cpu + cpu, self.wall + wall
        error = self.reference.error(self.u(self.reference.points))
        peer.say({"step": step, "error": error, "cpu": self.cpu, "wall": self.wall})
        self.next = max(1.03 * self.cpu, self.cpu + 0.25)
        self.go_on()
        return error > self.opts.to and self.cpu < self.opts.seconds
