#!/usr/bin/env python3
"""Measures what a scheme does - a way of choosing points or weights, time in windows, a constant on the way to its
value: the error after equal processor time, with it and without.

    bench/effects.py --train build/release/pinn-train --problems burgers wave --seeds 5

For each problem (bench/effects/NAME.toml) and scheme: first what the start and a step cost, in rounds of short runs of
all schemes in turns (medians of processor seconds); then whole runs with as many steps of the last stage as take the
time of the run without a scheme, on one thread each, seed by seed, all schemes in turns. Windows share the steps of
every stage out among them. Seeds count from
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


def windows(count, **more):
    return {"windows": {"count": count, **more}}


# What the last stage gets, but for tables of the file: [sampling], [windows].
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
    "windows_2": windows(2),
    "windows_5": windows(5),
    "windows_10": windows(10),
    "windows_10_anew": windows(10, carry="false"),
    "ramp": {"ramp": {"nu": {"from": 0.01, "levels": 8}}},
    "ramp_rad": {"ramp": {"nu": {"from": 0.01, "levels": 8}}, **points("rad", every=500)},
}
# Those of no use to every problem are asked for by name.
USUAL = [scheme for scheme in SCHEMES if not scheme.startswith(("windows", "ramp"))]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", required=True, help="the program pinn-train")
    parser.add_argument("--problems", nargs="+", required=True, help="names of files in bench/effects")
    parser.add_argument("--schemes", nargs="+", default=USUAL, choices=SCHEMES)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=7001)
    parser.add_argument("--at-once", type=int, default=1, help="runs at the same time, one thread each")
    parser.add_argument("--rounds", type=int, default=3, help="of short runs, for the cost of a step")
    return parser.parse_args()


def assignments(key, value):
    if isinstance(value, dict):
        return [text for name, inner in value.items() for text in assignments(f"{key}.{name}", inner)]
    return [f"{key}={value}"]


def window_count(scheme):
    return SCHEMES[scheme].get("windows", {}).get("count", 1)


def overrides(scheme, problem, steps):
    """What --set gets for a scheme, with so many steps of the last stage in all windows together."""
    count = window_count(scheme)
    stages = [*problem.steps[:-1], steps]
    sets = [f"stage.{number}.steps={round(steps / count)}" for number, steps in enumerate(stages, 1)]
    for table, value in SCHEMES[scheme].items():
        place = {"redraw": "sampling.redraw", "windows": "windows"}.get(table, f"stage.{len(stages)}.{table}")
        sets += assignments(place, value)
    return sets


class Problem:
    def __init__(self, name):
        self.path = os.path.join(HERE, "effects", name + ".toml")
        with open(self.path, "rb") as file:
            stages = tomllib.load(file)["stage"]
        self.name, self.steps = name, [stage["steps"] for stage in stages]


def train(program, problem, scheme, seed, steps):
    """The errors of the fields together, as the largest of them, and the processor seconds of a run."""
    with tempfile.TemporaryDirectory() as folder:
        sets = [f"run.seed={seed}", *overrides(scheme, problem, steps)]
        command = [program, problem.path, "--verbose", "--threads", "1", "--out", os.path.join(folder, "run")]
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


def affordable(program, problem, schemes, rounds, first):
    """Steps of the last stage that take as long as all without a scheme: medians of rounds in turns.

    Seconds are a start and so many for each step; by the start of every window there is more to the first.
    """
    steps = problem.steps[-1]
    few = max(200, steps // 8)

    def line(scheme, seed):
        least = window_count(scheme)
        start = train(program, problem, scheme, seed, least)[1]
        return start, (train(program, problem, scheme, seed, few)[1] - start) / (few - least)

    found = {scheme: [] for scheme in schemes}
    for seed in range(first, first + rounds):
        start, each = line("none", seed)
        for scheme in schemes:
            own_start, own_each = line(scheme, seed)
            found[scheme].append((start + each * steps - own_start) / own_each)
    return {scheme: min(steps, round(statistics.median(f))) if scheme != "none" else steps for scheme, f in found.items()}


def measure(program, problem, schemes, o):
    schemes = ["none"] + [s for s in schemes if s != "none"]
    steps = affordable(program, problem, schemes, o.rounds, o.first)
    tasks = [(scheme, seed) for seed in range(o.first, o.first + o.seeds) for scheme in schemes]
    with ThreadPoolExecutor(o.at_once) as pool:
        ends = list(pool.map(lambda t: train(program, problem, *t, steps[t[0]]), tasks))
    found = dict(zip(tasks, ends))
    print(f"\n### {problem.name}: {o.seeds} seeds from {o.first}\n")
    print("| scheme | steps of the last stage | median error | least | largest | processor s | better seeds |")
    print("|---|---|---|---|---|---|---|")
    seeds = range(o.first, o.first + o.seeds)
    for scheme in schemes:
        errors = [found[scheme, s][0] for s in seeds]
        better = sum(found[scheme, s][0] < found["none", s][0] for s in seeds)
        seconds = statistics.median(found[scheme, s][1] for s in seeds)
        print(f"| {scheme} | {steps[scheme]} | {statistics.median(errors):.1e} | {min(errors):.1e} "
              f"| {max(errors):.1e} | {seconds:.1f} | {'' if scheme == 'none' else f'{better} of {o.seeds}'} |",
              flush=True)


def main():
    o = options()
    for name in o.problems:
        measure(o.train, Problem(name), o.schemes, o)


if __name__ == "__main__":
    main()
