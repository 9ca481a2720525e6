#!/usr/bin/env python3
"""Measures what a way of choosing points or weights does: the error after equal processor time, with it and without.

    bench/effects.py --train build/release/pinn-train --problems burgers wave --seeds 5

For each problem (bench/effects/NAME.toml) and scheme: first what a step costs, in rounds of short runs of all schemes
in turns (median of processor seconds over those without a scheme); then whole runs with as many steps of the last stage
as take the time of the run without a scheme, on one thread each, seed by seed, all schemes in turns. Seeds count from
--first, which no choice was made with. Prints a Markdown table: the median error, the least and the largest, the
processor seconds beside those without, and how many seeds ended better than the same seed without.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))


def points(kind, **more):
    return {"sampling": {"kind": kind, **more}}


def weights(kind, **more):
    return {"weighting": {"kind": kind, **more}}


def factors(kind, **more):
    return {"pointwise": {"kind": kind, **more}}


# What the last stage gets; "redraw" goes to [sampling].
SCHEMES = {
    "none": {},
    "redraw": {"redraw": 500},
    "rad": points("rad", every=500),
    "rar": points("rar", every=500),
    "r3": points("r3", every=500),
    "grad_norm": weights("grad_norm"),
    "ntk": weights("ntk"),
    "relobralo": weights("relobralo"),
    "softadapt": weights("softadapt"),
    "balance": weights("balance"),
    "rba": factors("rba"),
    "self_adaptive": factors("self_adaptive"),
    "causal": {"causal": {"tolerance": 1.0}},
}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", required=True, help="the program pinn-train")
    parser.add_argument("--problems", nargs="+", required=True, help="names of files in bench/effects")
    parser.add_argument("--schemes", nargs="+", default=list(SCHEMES), choices=SCHEMES)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=7001)
    parser.add_argument("--at-once", type=int, default=1, help="runs at the same time, one thread each")
    parser.add_argument("--rounds", type=int, default=3, help="of short runs, for the cost of a step")
    return parser.parse_args()


def overrides(scheme, stage):
    sets = []
    for table, keys in SCHEMES[scheme].items():
        if table == "redraw":
            sets.append(f"sampling.redraw={keys}")
            continue
        for key, value in keys.items():
            text = f'"{value}"' if isinstance(value, str) else value
            sets.append(f"stage.{stage}.{table}.{key}={text}")
    return sets


class Problem:
    def __init__(self, name):
        self.path = os.path.join(HERE, "effects", name + ".toml")
        with open(self.path, "rb") as file:
            stages = tomllib.load(file)["stage"]
        self.name, self.stage, self.steps = name, len(stages), stages[-1]["steps"]


def train(program, problem, scheme, seed, steps):
    """The errors of the fields together, as the largest of them, and the processor seconds of a run."""
    with tempfile.TemporaryDirectory() as folder:
        sets = [f"run.seed={seed}", f"stage.{problem.stage}.steps={steps}", *overrides(scheme, problem.stage)]
        command = [program, problem.path, "--quiet", "--threads", "1", "--out", os.path.join(folder, "run")]
        for each in sets:
            command += ["--set", each]
        with open(os.path.join(folder, "log"), "w+") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            log.seek(0)
            text = log.read()
    if process.returncode != 0:
        if "not finite" in text or "diverged" in text:
            return float("inf"), used.ru_utime + used.ru_stime
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{text}")
    errors = [float(e) for e in re.findall(r"relative L2 error of \S+: ([0-9.e+-]+|inf|nan)", text)]
    return max(errors), used.ru_utime + used.ru_stime


def costs(program, problem, schemes, rounds, first):
    """Processor seconds of a step with each scheme, over those without: medians of rounds in turns."""
    few = max(200, problem.steps // 8)
    ratios = {scheme: [] for scheme in schemes}
    for seed in range(first, first + rounds):
        empty = train(program, problem, "none", seed, 1)[1]
        without = train(program, problem, "none", seed, few)[1] - empty
        for scheme in schemes:
            ratios[scheme].append((train(program, problem, scheme, seed, few)[1] - empty) / without)
    return {scheme: max(1, statistics.median(r)) if scheme != "none" else 1 for scheme, r in ratios.items()}


def measure(program, problem, schemes, o):
    schemes = ["none"] + [s for s in schemes if s != "none"]
    cost = costs(program, problem, schemes, o.rounds, o.first)
    tasks = [(scheme, seed) for seed in range(o.first, o.first + o.seeds) for scheme in schemes]
    with ThreadPoolExecutor(o.at_once) as pool:
        ends = list(pool.map(lambda t: train(program, problem, *t, round(problem.steps / cost[t[0]])), tasks))
    found = dict(zip(tasks, ends))
    print(f"\n### {problem.name}: {o.seeds} seeds from {o.first}\n")
    print("| scheme | steps of the last stage | median error | least | largest | processor s | better seeds |")
    print("|---|---|---|---|---|---|---|")
    seeds = range(o.first, o.first + o.seeds)
    for scheme in schemes:
        errors = [found[scheme, s][0] for s in seeds]
        better = sum(found[scheme, s][0] < found["none", s][0] for s in seeds)
        seconds = statistics.median(found[scheme, s][1] for s in seeds)
        print(f"| {scheme} | {round(problem.steps / cost[scheme])} | {statistics.median(errors):.1e} | {min(errors):.1e} "
              f"| {max(errors):.1e} | {seconds:.1f} | {'' if scheme == 'none' else f'{better} of {o.seeds}'} |",
              flush=True)


def main():
    o = options()
    for name in o.problems:
        measure(o.train, Problem(name), o.schemes, o)


if __name__ == "__main__":
    main()
