#!/usr/bin/env python3
"""Trains every file of configs/auto, which say nothing but equations and conditions, and prints a table of what came out.

    bench/auto.py --pinn-train build/release/pinn-train --threads 2 --seeds 0 1 2
    bench/auto.py --pinn-train build/release/pinn-train --only burgers heat

Times are of the processor and of the clock; a machine that does other things at the same time tells only the first.
"""
import argparse
import glob
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TUNED_ON = ["advection", "allen_cahn", "burgers", "heat", "lotka_volterra", "poisson"]  # docs/auto.md
ERROR = re.compile(r"relative L2 error of (\w+): ([0-9.e+-]+|nan)")
ALLOWED = 1e-3


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pinn-train", required=True, help="the program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="of these files, without .toml")
    return parser.parse_args()


def processor_seconds():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def train(program, file, seed, threads, folder):
    """Errors by field, processor seconds, seconds."""
    command = [program, file, "--verbose", "--overwrite", "--out", folder, "--threads", str(threads),
               "--set", f"run.seed={seed}"]
    cpu, begun = processor_seconds(), time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    errors = {name: float(error) for name, error in ERROR.findall(done.stdout)}
    return errors, processor_seconds() - cpu, time.monotonic() - begun


def row(name, seed, errors, cpu, wall):
    shown = ", ".join(f"{field} {error:.1e}" for field, error in errors.items())
    split = "tuned on" if name in TUNED_ON else "not seen"
    return f"| {name} | {split} | {seed} | {shown} | {cpu:.0f} s | {wall:.0f} s |"


def main():
    asked = options()
    names = sorted(os.path.basename(f)[:-5] for f in glob.glob(os.path.join(ROOT, "configs/auto/*.toml")))
    worst = {}
    print("| file | | seed | relative L2 error | processor | clock |\n|---|---|---|---|---|---|")
    for name in names:
        if asked.only and name not in asked.only:
            continue
        for seed in asked.seeds:
            with tempfile.TemporaryDirectory() as folder:
                file = os.path.join(ROOT, "configs/auto", name + ".toml")
                errors, cpu, wall = train(asked.pinn_train, file, seed, asked.threads, os.path.join(folder, "run"))
            print(row(name, seed, errors, cpu, wall), flush=True)
            worst[name, seed] = max(errors.values())
    good = sum(error <= ALLOWED for error in worst.values())
    better = sum(error <= ALLOWED / 10 for error in worst.values())
    print(f"\n{good} of {len(worst)} at most {ALLOWED:g}, {better} at most {ALLOWED / 10:g}")


if __name__ == "__main__":
    main()
