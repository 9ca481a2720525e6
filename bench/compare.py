#!/usr/bin/env python3
"""Measures pinn beside PyTorch and JAX, in turns, on the same inputs, and writes what it found as a dated table.

    bench/compare.py step        --pinn build/release/pinn-bench --python /tmp/peers/bin/python --threads 1 2
    bench/compare.py w-hess      --pinn build/release/pinn-bench --python /tmp/peers/bin/python --activations tanh
    bench/compare.py least-squares --pinn build/release/pinn-bench --python /tmp/peers/bin/python
    bench/compare.py step burgers-run order-4 step-memory s-a --pinn ... --python ...

Every contender is a process of its own that stays alive: pinn-bench --write leaves the inputs, each contender leaves
its gradient, these are compared with the float64 reference, and only then are samples taken, round after round, one
contender at a time. bench/README.md says what the rows are.
"""
import argparse
import datetime
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

from report.agreement import agrees
from report.contender import say, start
from report.machine import here, program, versions
from report.measured import Measured, title
from report.own import own
from report.summary import ASKED, STEPS, SUMMARIES, summary

HERE = os.path.dirname(os.path.abspath(__file__))

BESIDE_PEERS = {
    "step": {"sizes": ["20,8,10000", "64,4,10000", "128,4,10000", "256,6,16384", "20,8,64", "20,8,256", "64,4,1000"],
             "dtypes": ["f32", "f64"],
             "pinn": ["compiled", "taylor", "reverse"],
             "peers": ["torch-eager", "torch-func", "torch-taylor", "torch-taylor-compile", "torch-taylor3",
                       "torch-taylor3-compile", "torch-taylor3-graph", "torch-taylor3-compile-graph", "jax-jvp",
                       "jax-grad", "jax-jet"]},
    "burgers-run": {"sizes": ["16,4,4000"],  # those of configs/burgers.toml
                    "dtypes": ["f64"],
                    "pinn": ["compiled", "taylor", "reverse"],
                    "peers": ["torch-eager", "torch-taylor", "torch-taylor-compile", "jax-jvp", "jax-grad"]},
    "w-hess": {"sizes": ["512,2000"],
               "dtypes": ["f32"],
               "pinn": ["pruned", "unpruned", "taylor"],
               "peers": ["torch-eager", "torch-func", "jax-hessian", "jax-forward"]},
    "least-squares": {"sizes": ["64,4,1000", "128,4,1000"],
                      "dtypes": ["f32", "f64"],
                      "pinn": ASKED,
                      "peers": [f"jax-{asked}" for asked in ASKED]},
    "second-order": {"sizes": ["20,3,4000", "20,3,10000", "37,3,4000", "37,3,10000"],  # 921 and 2961 parameters
                     "dtypes": ["f64"],
                     "pinn": STEPS,
                     "peers": [f"jax-{step}" for step in STEPS]}}
SCRIPTS = {"step": "{}_step.py", "burgers-run": "{}_run.py", "w-hess": "{}_hessian.py",
           "least-squares": "{}_least_squares.py", "second-order": "{}_second_order.py"}
OWN = ["curvature", "order-4", "step-memory", "s-a", "s-b", "d-a", "d-b", "d-c", "d-d", "d-e", "ops"]
STAGES = {"adam": 1, "ssbroyden": 2}  # of configs/burgers.toml
TRAINING_STEPS = {"adam": 100, "ssbroyden": 20}  # before the run begins anew


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="+", choices=[*BESIDE_PEERS, *OWN])
    parser.add_argument("--pinn", required=True, help="the program pinn-bench")
    parser.add_argument("--python", help="a Python that has torch and jax; without it no peers run")
    parser.add_argument("--sizes", nargs="+", help="width,layers,points; w-hess: width,points")
    parser.add_argument("--activations", nargs="+", default=["relu", "tanh", "silu"], help="of w-hess")
    parser.add_argument("--optimizers", nargs="+", default=list(STAGES), choices=STAGES, help="of burgers-run")
    parser.add_argument("--dtypes", nargs="+", choices=["f32", "f64"])
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help="of step and w-hess")
    parser.add_argument("--threads", nargs="+", type=int, default=[1])
    parser.add_argument("--rows", nargs="+", help='only these, by whole name, as "pinn-tanh pruned"')
    parser.add_argument("--skip", nargs="+", default=[], help="not these rows")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--slow-rounds", type=int, default=3, help="of contenders that take more than a second a call")
    parser.add_argument("--seconds", type=float, default=0.5, help="about how long a contender runs per round")
    parser.add_argument("--at-once", type=int, default=4, help="contenders that start and compile at the same time")
    parser.add_argument("--name", help="of the file in bench/results; default: the workloads")
    parser.add_argument("--out", default=os.path.join(HERE, "results"), help="folder of the table; - prints only")
    return parser.parse_args()


# ---- cases -----------------------------------------------------------------------------------------------------------


def cases(opts, workload):
    about = BESIDE_PEERS[workload]
    sizes = about["sizes"] if workload == "burgers-run" else opts.sizes or about["sizes"]
    kinds = {"w-hess": [{"activation": a} for a in opts.activations],
             "burgers-run": [{"optimizer": o} for o in opts.optimizers]}.get(workload, [{}])
    for size in sizes:
        numbers = list(map(int, size.split(",")))
        names = ["width", "points"] if len(numbers) == 2 else ["width", "layers", "points"]
        for kind in kinds:
            for dtype in opts.dtypes or about["dtypes"]:
                for threads in opts.threads:
                    yield {"workload": workload, **dict(zip(names, numbers)), **kind, "dtype": dtype,
                           "threads": threads, "device": opts.device}


def arguments(case, keys):
    return [f"--{key}={case[key]}" for key in keys if key in case]


def training(case):
    """What a run is given besides."""
    return [f"--count={TRAINING_STEPS[case['optimizer']]}"] if "optimizer" in case else []


def pinn_arguments(case):
    if "optimizer" in case:  # the problem file says the rest
        return [f"--stage={STAGES[case['optimizer']]}", "--dtype", case["dtype"], *training(case)]
    return arguments(case, ["width", "layers", "points", "activation"]) + ["--dtype", case["dtype"]]


def commands(opts, case, folder):
    """(name, command) of every contender of a case."""
    workload, last = case["workload"], ["--threads", str(case["threads"]), "--folder", folder]
    place = ["--device", opts.device] if opts.device != "cpu" else []
    pinn, peers = BESIDE_PEERS[workload]["pinn"], BESIDE_PEERS[workload]["peers"]
    if workload == "w-hess":
        pinn = [f"{case['activation']} {row}{backward}" for row in pinn for backward in ("", " backward")]
        peers = [row + backward for row in peers for backward in ("", " backward")]
    every = [(f"pinn-{row}", [opts.pinn, workload, *pinn_arguments(case), *last, *place, "--row", row, "--serve"])
             for row in pinn]
    if opts.python:
        given = arguments(case, ["width", "layers", "activation", "optimizer", "dtype"]) + training(case)
        for row in peers:
            script = os.path.join(HERE, "peers", SCRIPTS[workload].format(row.split("-")[0]))
            every.append((row, [opts.python, script, *given, *last, *place, "--row", row]))
    return [(name, command) for name, command in every
            if (not opts.rows or name in opts.rows) and name not in opts.skip
            and (opts.device != "cpu" or not name.endswith("-graph"))]


def measure(opts, case):
    """Runs a case; what it came to, and whether all contenders started and agreed."""
    began = time.monotonic()
    say(title(case))
    with tempfile.TemporaryDirectory(prefix="pinn-bench-") as folder:
        place = ["--device", opts.device] if opts.device != "cpu" else []
        subprocess.run([opts.pinn, case["workload"], *pinn_arguments(case), *place, "--folder", folder, "--write"],
                       check=True, stdout=subprocess.DEVNULL)
        wanted = commands(opts, case, folder)
        large = case["points"] * case["width"] * case.get("layers", 6) > 1e7  # a peer takes gigabytes of such a case
        contenders = start(wanted, folder, case["threads"], 2 if large else opts.at_once, opts.device)
        good = [c for c in contenders if agrees(folder, c, case["dtype"])]
        ready = time.monotonic()
        for turn in range(opts.rounds):
            for contender in good:
                if turn < opts.slow_rounds or not contender.slow():
                    contender.sample(opts.seconds)
                    time.sleep(0.02)  # threads that spin while they wait have time to stop
        measured = Measured(case, good)
        for contender in contenders:
            contender.close()
    say(f"  {ready - began:.0f} s to start and compare, {time.monotonic() - ready:.0f} s to measure")
    return measured, len(good) == len(wanted)


# ---- the document ----------------------------------------------------------------------------------------------------


def machine(opts):
    """Lines that say what was measured, where and how."""
    lines = [f"{here(opts.pinn)}; load before {os.getloadavg()[0]:.2f}", program(opts.pinn)]
    if opts.device != "cpu":
        said = subprocess.run([opts.pinn, "gpu-limits", "--device", opts.device], stdout=subprocess.PIPE, text=True)
        if said.returncode:
            sys.exit(f"no table: {opts.pinn} gpu-limits ended with {said.returncode}")
        limits = json.loads(said.stdout.splitlines()[-1])
        lines.append(f"* {limits['device']}: products {limits['float32_gflops'] / 1e3:.1f} TFLOP/s in float32, "
                     f"{limits['tf32_gflops'] / 1e3:.1f} in TF32, {limits['float64_gflops'] / 1e3:.1f} in float64; "
                     f"copies {limits['copy_gigabytes_per_second']:.0f} GB/s read and written; an empty round "
                     f"{limits['round_trip_us']:.0f} us")
    if opts.python:
        lines.append("* " + versions(opts.python, "torch", "jax", "jaxlib", "numpy"))
    return lines + [f"* command: `bench/compare.py {shlex.join(sys.argv[1:])}`",
                    f"* {opts.rounds} rounds ({opts.slow_rounds} where a call takes more than a second), contenders in "
                    f"turns, about {opts.seconds} s each per round; median and least of all samples, by the clock; CPU: "
                    "median of the process"]


class Document:
    """Written after every case, so that an interrupted run leaves what it has."""

    def __init__(self, opts):
        self.name = f"{datetime.date.today()}-{opts.name or '-'.join(opts.workloads)}"
        self.path = None if opts.out == "-" else os.path.join(opts.out, f"{self.name}.md")
        self.head, self.results, self.tables, self.good = [f"# {self.name}", "", *machine(opts), ""], [], [], True

    def add(self, lines, good):
        self.tables += lines
        self.good = self.good and good
        say("\n".join(lines))
        self.write()

    def summaries(self):
        return [line for workload in SUMMARIES for line in summary(workload, self.results)]

    def write(self):
        if self.path:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(self.path, "w") as file:
                file.write("\n".join(self.head + self.summaries() + self.tables))


def main():
    opts = options()
    document = Document(opts)
    for workload in opts.workloads:
        if workload in OWN:
            with tempfile.TemporaryDirectory(prefix="pinn-bench-", dir=".") as folder:  # on a disk, for s-a
                for threads in opts.threads if workload == "order-4" else [max(opts.threads)]:
                    given = ["--threads", str(threads), "--samples", str(opts.rounds)]
                    document.add(*own(opts.pinn, [workload, *given], folder))
            continue
        for case in cases(opts, workload):
            measured, good = measure(opts, case)
            document.results.append(measured)
            document.add(measured.table(), good)
    say("\n".join(document.summaries()))
    document.head.insert(-1, f"* load after {os.getloadavg()[0]:.2f}")
    document.write()
    say(f"written: {document.path}" if document.path else "")
    sys.exit(0 if document.good else 1)


main()
