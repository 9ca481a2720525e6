#!/usr/bin/env python3
"""Trains four problems by every method that competes, and prints the error over the processor's seconds: which is best when.

    bench/methods.py --pinn-train build/release/pinn-train --minutes 3
    bench/methods.py --pinn-train build/release/pinn-train --only burgers --methods ssbroyden kfac
    bench/methods.py --pinn-train build/release/pinn-train --table --plot methods.svg

One seed. The problems are those of configs/records (that of Korteweg and de Vries until t = 0.2, in one window), and their stages are replaced: 500 steps of adam,
then the method, with as many steps as --minutes of the processor allow. A run that is stopped goes on when the same line is given again,
with what is left of its minutes. Seconds of the table are those of the clock times the share of a processor that the run had on
the whole, so that other work on the machine does not count. Errors are those of the latest network by then, which no
reference chose. A cell is empty where a run was not let go on for so long. The plot needs matplotlib.
"""
import argparse
import json
import os
import sys
import time

from records import ROOT, sittings, train

PROBLEMS = {  # and what is set in them, for all methods
    "allen_cahn": [],
    "burgers": [],
    "kdv": ["windows.count=1", "problem.coordinates.t=[0.0,0.2]"],  # from window to window only who solves one would go
    "poisson_5d": [],
}
FIRST = 'optimizer = "adam", steps = 500, rate = 3e-3'
DECAY = 'schedule = { kind = "exponential", decay = 0.9, every = 1000 }'  # of no horizon
METHODS = {
    "adam": "rate = 3e-3, " + DECAY,
    "soap": "rate = 1e-2, " + DECAY,
    "muon": "rate = 1e-2, " + DECAY,
    "lbfgs": "",
    "ssbroyden": "",
    "levenberg_marquardt": "",
    "sketched_gauss_newton": "",
    "natural_gradient": "",
    "kfac": "",
    "nystrom_newton_cg": "",
}
MOMENTS = [10, 30, 100, 300, 1000]  # seconds, of the table


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pinn-train", required=True, help="the program")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=3, help="of each method, of each thread's processor")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=PROBLEMS, choices=PROBLEMS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--folder", default="build/methods", help="of the runs")
    parser.add_argument("--table", action="store_true", help="print what is known, train nothing")
    parser.add_argument("--plot", help="a file for the curves, .svg or .png")
    return parser.parse_args()


def curve(folder):
    """Seconds and errors of u, as far as a run came."""
    points = []
    path = os.path.join(folder, "metrics.jsonl")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                if "error:u" in record:
                    points.append((record["seconds"], record["error:u"]))
    return points


def known_number(path):
    return float(open(path, encoding="utf-8").read()) if os.path.exists(path) else 0.0


def run(asked, problem, method):
    """What became of it: seconds of the processor and errors, and whether it ended by itself."""
    folder = os.path.join(asked.folder, f"{problem}-{method}-{asked.seed}")
    ended, file = folder + ".ended", os.path.join(ROOT, "configs/records", problem + ".toml")
    second = ", ".join(filter(None, [f'optimizer = "{method}", steps = 1000000', METHODS[method]]))
    sets = [*PROBLEMS[problem], f"stage=[{{ {FIRST} }}, {{ {second} }}]"]
    os.makedirs(asked.folder, exist_ok=True)
    while not asked.table and not os.path.exists(ended):
        left = 60 * asked.minutes * asked.threads - known_number(folder + ".seconds")
        if left < 2:
            break
        began = time.monotonic()
        said, spent = train(asked.pinn_train, file, asked.seed, asked.threads, folder, left / asked.threads,
                            [w for s in sets for w in ("--set", s)])
        clock = time.monotonic() - began
        sittings(folder, spent)
        sittings(folder + ".clock", clock)
        if said is not None:
            open(ended, "w", encoding="utf-8").close()
        elif clock < left / asked.threads - 2:
            sys.exit("stopped; the same line goes on")
        print(f"{problem}, {method}: {spent:.0f} s", file=sys.stderr, flush=True)
    clock = known_number(folder + ".clock.seconds")
    share = min(1.0, known_number(folder + ".seconds") / clock) if clock else 1.0
    return [(share * when, error) for when, error in curve(folder)], os.path.exists(ended)


def at(points, ended, seconds):
    before = [error for when, error in points if when <= seconds]
    return f"{before[-1]:.1e}" if before and (ended or points[-1][0] >= 0.9 * seconds) else ""


def draw(curves, file):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    problems = sorted({problem for problem, _ in curves})
    figure, axes = pyplot.subplots(1, len(problems), figsize=(5 * len(problems), 4), squeeze=False)
    for axis, problem in zip(axes[0], problems):
        for (of, method), (points, _) in curves.items():
            if of == problem and points:
                axis.loglog(*zip(*points), label=method)
        axis.set(title=problem, xlabel="seconds", ylabel="relative L2 error")
        axis.grid(True, alpha=0.3)
    axes[0][-1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(file)


def main():
    asked = options()
    curves = {(problem, method): run(asked, problem, method) for problem in asked.only for method in asked.methods}
    print("| problem | method | " + " | ".join(f"{s} s" for s in MOMENTS) + " | last |\n|" + "---|" * (len(MOMENTS) + 3))
    for (problem, method), (points, ended) in curves.items():
        if points:
            cells = " | ".join(at(points, ended, s) for s in MOMENTS)
            print(f"| {problem} | {method} | {cells} | {points[-1][1]:.1e} after {points[-1][0]:.0f} s |")
    if asked.plot:
        draw(curves, asked.plot)


if __name__ == "__main__":
    main()
