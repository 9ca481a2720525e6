#!/usr/bin/env python3
"""Measures how a step's time goes with the ranks of a run, and holds a model (ranks/model.py) against that.

    bench/scaling.py measure --train build/release/pinn-train --folder scaling    runs, in turns; stopped, it goes on
    bench/scaling.py report --folder scaling                                      prints tables of what is there

Runs train Burgers' equation on 1 to 8 ranks of this machine, more than it has processors where need be. A library that
is loaded before MPI (ranks/between.cpp, built here by mpicxx) keeps when each message was sent and had come, and puts
delays in. A time is the lower quartile over windows of ten steps, and the median over rounds.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from ranks import fit, model, tables

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEM = """[problem]
coordinates = {{ x = [-1.0, 1.0], t = [0.0, 1.0] }}
fields      = ["u"]
constants   = {{ nu = "0.01/pi" }}

[[equation]]
name     = "burgers"
residual = "u_t + u*u_x = nu*u_xx"
points   = {points}

[network]
layers = {sides}

[network.output]
u = "-sin(pi*x) + t*(1 - x^2)*N"

[[stage]]
optimizer = "{method}"
steps     = {steps}

[output]
report = false
trust  = false
grid   = {{ x = 3, t = 3 }}
"""
DELAYS = (3e-4, 1e-3, 3e-3)  # seconds before each message
PAUSE = 0.7  # seconds, for others, after each run at real-time priority
PROBES = 300  # gathers at the end of a run, one after the other


def of(method, width, layers, points, steps):
    return {"method": method, "width": width, "layers": layers, "points": points, "steps": steps}


# Width, layers, points, steps.
SIZES = [of("adam", 20, 8, 64, 2000), of("adam", 20, 8, 1000, 400), of("adam", 20, 8, 10000, 80),
         of("adam", 20, 3, 4000, 200), of("adam", 64, 4, 2000, 120), of("adam", 128, 4, 1000, 60)]
QUASI = [of("ssbroyden", 20, 3, 4000, 150), of("ssbroyden", 20, 8, 1000, 100)]
DENSE = [of("levenberg_marquardt", 12, 3, 2000, 20), of("levenberg_marquardt", 16, 3, 2000, 20)]
DELAYED = [of("adam", 20, 8, 64, 200), of("adam", 20, 8, 1000, 200)]
PAIRED = [of("adam", 20, 8, 10000, 80), of("adam", 64, 4, 10000, 40), of("adam", 20, 8, 40000, 30)]
PAIRS = 9  # of runs of equally many threads, as ranks and as threads of one, one after the other


def runs(rounds):
    """Every run: a case, ranks, threads of each, seconds of delay, the number of the round."""
    for k in range(rounds):
        for case in SIZES + QUASI:
            yield from ((case, ranks, 1, 0.0, k) for ranks in (1, 2, 4, 8))
        yield from ((SIZES[1], ranks, 1, 0.0, k) for ranks in (3, 6))
        for case in DENSE:
            yield from ((case, ranks, 1, 0.0, k) for ranks in (1, 2, 4))
    for case in DELAYED:
        yield from ((case, ranks, 1, delay, 0) for delay in DELAYS for ranks in (2, 4, 8))
    for k in range(rounds, PAIRS):
        for case in PAIRED:
            yield from ((case, ranks, 2 // ranks, 0.0, k) for ranks in (1, 2))
    for k in range(rounds, 2 * PAIRS):
        yield from ((SIZES[0], ranks, 1, 0.0, k) for ranks in (1, 2))


def key(case, ranks, threads, delay, k):
    return f"{case['method']} {case['width']} {case['layers']} {case['points']} x{ranks}x{threads} {delay:g} {k}"


def build(folder):
    library = os.path.join(folder, "between.so")
    source = os.path.join(HERE, "ranks", "between.cpp")
    flags = ["-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX", "-shared", "-fPIC"]
    subprocess.run(["mpicxx", *flags, source, "-o", library], check=True)
    return os.path.abspath(library)


def quartile(values):
    return statistics.quantiles(values, n=4, method="inclusive")[0] if len(values) > 1 else values[0]


def seconds_per_step(metrics):
    """The lower quartile over windows between two records, the first few left out."""
    with open(metrics) as file:
        at = [(r["step"], r["seconds"]) for r in map(json.loads, file)]
    at = at[2:] if len(at) > 4 else at
    return quartile([(t - s) / (n - m) for (m, s), (n, t) in zip(at, at[1:])])


class Log:
    """What between.cpp kept: gathers of the run, then probes."""

    def __init__(self, folder, ranks, probes):
        rows = []
        for rank in range(ranks):
            with open(os.path.join(folder, str(rank))) as file:
                rows.append([tuple(map(float, line.split())) for line in file])
        end = len(rows[0]) - probes
        self.run, self.probes = [r[:end] for r in rows], [r[end:] for r in rows]

    def probe(self):
        """The lower quartile of the time of a gather after all were there, by numbers of each rank."""
        times = {}
        for of_all in zip(*self.probes):
            late = max(g[0] for g in of_all)
            times.setdefault(int(of_all[0][5]), []).append(max(g[1] for g in of_all) - late)
        return {str(numbers): quartile(t) for numbers, t in times.items()}

    def steps(self, sums):
        """Of the steps: gathers by kind, numbers of each rank in a gather of gradients, work between gathers."""
        gradients = [i for i, g in enumerate(self.run[0]) if g[4] >= sums and g[4] % sums in (0, len(self.run))]
        if len(gradients) < 3:
            return {}
        first, last = gradients[0], gradients[-1]
        between = list(range(first, last))
        by_size = {}
        for i in between:
            by_size[int(self.run[0][i][4])] = by_size.get(int(self.run[0][i][4]), 0) + 1
        work = []
        for rank in self.run:
            each = [sum(rank[i + 1][2] - rank[i][3] for i in range(a, b)) for a, b in zip(gradients, gradients[1:])]
            work.append(quartile(each))
        own = [int(rank[first][5]) for rank in self.run]
        return {"gradients": len(gradients) - 1, "gathers": by_size, "work": work, "own": own}


def one(launch, program, library, case, ranks, threads, delay):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "p.toml"), "w") as file:
            file.write(PROBLEM.format(sides=[case["width"]] * case["layers"], **case))
        net = model.Net(case["width"], case["layers"], case["points"])
        probes = [1, net.sums]
        environment = {**os.environ, "LD_PRELOAD": library, "PINN_BETWEEN_TO": folder, "PINN_BETWEEN_DELAY": str(delay),
                       "PINN_BETWEEN_PROBE": " ".join(map(str, [PROBES if delay == 0 else 0, *probes]))}
        bound = ["--bind-to", "none"]
        if threads == 1:
            bound = ["--map-by", "core:OVERSUBSCRIBE", "--bind-to", "core:overload-allowed"]
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", *bound, "-n", str(ranks)]
        for name in ("LD_PRELOAD", "PINN_BETWEEN_TO", "PINN_BETWEEN_DELAY", "PINN_BETWEEN_PROBE"):
            words += ["-x", f"{name}={environment.pop(name)}"]
        run = subprocess.run([*words, *launch, program, "p.toml", "--threads", str(threads), "--out", "run", "--quiet"],
                             cwd=folder, env=environment, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"ended with {run.returncode}:\n{run.stdout}{run.stderr}")
        found = {"seconds": seconds_per_step(os.path.join(folder, "run", "metrics.jsonl")), "load": os.getloadavg()[0]}
        if ranks > 1:
            log = Log(folder, ranks, 2 * PROBES if delay == 0 else 0)
            found |= log.steps(net.sums)
            found["all_gathers"] = len(log.run[0])
            if delay == 0:
                found["probe"] = log.probe()
        return found


def block_of(program, case):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "p.toml"), "w") as file:
            file.write(PROBLEM.format(sides=[case["width"]] * case["layers"], **case))
        text = subprocess.run([program, "p.toml", "--check"], cwd=folder, capture_output=True, text=True, check=True)
    return int(re.search(r"blocks of (\d+) points", text.stdout + text.stderr).group(1))


def read(folder):
    path = os.path.join(folder, "measured.jsonl")
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return {row["key"]: row for row in map(json.loads, file)}


def measure(o):
    os.makedirs(o.folder, exist_ok=True)
    program = os.path.abspath(o.train)
    library, launch = build(o.folder), ["chrt", "--fifo", "1"] if o.real_time else []
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    there, blocks = read(o.folder), {}
    for case, ranks, threads, delay, k in runs(o.rounds):
        name = key(case, ranks, threads, delay, k)
        if name in there:
            continue
        size = (case["width"], case["layers"], case["points"])
        if size not in blocks:
            blocks[size] = block_of(program, case)
        row = {"key": name, "case": case, "ranks": ranks, "threads": threads, "delay": delay, "round": k,
               "block": blocks[size], "version": version, **one(launch, program, library, case, ranks, threads, delay)}
        there[name] = row
        with open(os.path.join(o.folder, "measured.jsonl"), "a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{name}: {1e6 * row['seconds']:.0f} us, load {row['load']:.1f}", flush=True)
        if o.real_time:
            time.sleep(PAUSE)


def report(o):
    runs = fit.Runs(read(o.folder).values())
    core, wires, counts = fit.fitted(runs)
    tables.all_measured(runs, core, wires, counts, o.cores)
    print(f"\nPredictions: a message takes {o.latency:g} s, and {o.message:g} s of a processor; "
          f"{o.bandwidth:g} bytes a second arrive.")
    tables.predicted(core, model.Wire(o.latency, o.message, 1 / o.bandwidth), counts)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measure", "report"))
    parser.add_argument("--folder", required=True, help="of what was measured")
    parser.add_argument("--train", help="the program pinn-train, built with MPI")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--real-time", action="store_true", help="ranks go before all else on the machine (chrt, by root)")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="of the machine that was measured")
    parser.add_argument("--latency", type=float, default=2e-6, help="predictions: seconds of a message on its way")
    parser.add_argument("--message", type=float, default=5e-7, help="predictions: seconds of a processor for each")
    parser.add_argument("--bandwidth", type=float, default=1e10, help="predictions: bytes a second into a rank")
    return parser.parse_args()


def main():
    o = options()
    if o.what == "measure" and (not o.train or not shutil.which("mpirun")):
        sys.exit("measuring needs --train and an mpirun")
    measure(o) if o.what == "measure" else report(o)


if __name__ == "__main__":
    main()
