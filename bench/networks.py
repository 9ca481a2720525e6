#!/usr/bin/env python3
"""Trains the cavity at Re = 1000 and Allen and Cahn's equation by every kind of network, and prints the errors beside each other.

    bench/networks.py --pinn-train build/release/pinn-train --hours 1
    bench/networks.py --pinn-train build/release/pinn-train --only allen_cahn --kinds mlp resnet --orders second
    bench/networks.py --pinn-train build/release/pinn-train --table

Networks of one problem have about as many parameters: a modified perceptron has narrower layers, for it has two gates besides. `second` is
trained as the file says, by `ssbroyden`; `first` by `adam` alone, for about as long. It can be stopped at any time: what is
finished is kept, and a run at work goes on from its checkpoint. Seconds are of the processor. The network that held-out points
choose is compared with the reference of its file.
"""
import argparse
import os
import statistics
import sys
import time

from records import FIELD, ROOT, Results, sittings, train

PROBLEMS = {  # file, then layers of a kind: plain, modified
    "allen_cahn": ("configs/allen_cahn.toml", ["[20,20,20]", "[18,18,18]"]),
    "cavity_1000": ("configs/records/cavity_1000.toml", ["[20,20,20,20]", "[19,19,19,19]"]),
}
KINDS = {  # and what is set for it
    "mlp": [],
    "modified_mlp": ["network.kind=modified_mlp"],
    "resnet": ["network.kind=resnet"],
    "siren": ["network.activation=sin", "network.initialization=siren"],
}
ADAM = 'optimizer = "adam", rate = 3e-3, schedule = { kind = "exponential", decay = 0.9, every = 1000 }'
FIRST_ORDER = {
    "allen_cahn": ["stage=[{ " + ADAM + ", steps = 20000 }]"],
    "cavity_1000": ["stage=[{ " + ADAM + ", steps = 20000, ramp = { nu = { from = 0.01, levels = 4 } } }, { " + ADAM
                    + ", steps = 30000 }]"],
}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pinn-train", required=True, help="the program")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--only", nargs="+", default=list(PROBLEMS), choices=PROBLEMS)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--orders", nargs="+", default=["second", "first"], choices=["second", "first"])
    parser.add_argument("--hours", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--folder", default="build/networks", help="of runs and results")
    parser.add_argument("--table", action="store_true", help="print what is known, train nothing")
    return parser.parse_args()


def overrides(problem, kind, order):
    sets = [f"network.layers={PROBLEMS[problem][1][kind == 'modified_mlp']}", *KINDS[kind], "output.trust=false",
            "output.report=false", *(FIRST_ORDER[problem] if order == "first" else [])]
    return [word for one in sets for word in ("--set", one)]


def print_table(results, asked):
    print("| problem | order | kind | seeds | error of u, median | least | largest | seconds |\n|---|---|---|---|---|---|---|---|")
    for problem in asked.only:
        for order in asked.orders:
            for kind in asked.kinds:
                found = [r for r in results.all.values() if r["what"] == [problem, order, kind]]
                if not found:
                    continue
                errors = sorted(r["error"] for r in found)
                print(f"| {problem} | {order} | {kind} | {len(found)} | {statistics.median(errors):.1e} | {errors[0]:.1e} | "
                      f"{errors[-1]:.1e} | {statistics.median(r['seconds'] for r in found):.0f} |")


def main():
    asked = options()
    results = Results(asked.folder)
    end = time.monotonic() + 3600 * asked.hours
    for seed in [] if asked.table else asked.seeds:  # so that what is known at any time is of all kinds
        for problem in asked.only:
            for order in asked.orders:
                for kind in asked.kinds:
                    key = f"{problem} {order} {kind} {seed}"
                    if key in results.all:
                        continue
                    folder = os.path.join(asked.folder, key.replace(" ", "-"))
                    said, spent = train(asked.pinn_train, os.path.join(ROOT, PROBLEMS[problem][0]), seed, asked.threads,
                                        folder, end - time.monotonic(), overrides(problem, kind, order))
                    seconds = sittings(folder, spent)
                    if said is None:
                        print_table(results, asked)
                        return
                    errors = dict(FIELD.findall(said))
                    results.add({"key": key, "what": [problem, order, kind], "seconds": seconds,
                                 "error": float(errors.get("u", "inf"))})
                    print(key, errors, f"{seconds:.0f} s", file=sys.stderr)
    print_table(results, asked)


main()
