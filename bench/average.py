#!/usr/bin/env python3
"""Trains shipped problems by Adam alone, with and without a mean of the parameters (`average`), and prints both errors.

    bench/average.py --pinn-train build/release/pinn-train

Both runs of a seed make the same steps. The network that held-out points choose is compared with the reference of its file.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

PROBLEMS = ["burgers", "poisson_2d", "helmholtz_2d", "kovasznay", "wave", "allen_cahn"]
STEPS = {"3e-3, all points": "rate = 3e-3", "1e-2, batches of 200": "rate = 1e-2, batch = 200"}


def outcome(program, problem, seed, kind, average, steps):
    stage = f'stage=[{{ optimizer = "adam", steps = {steps}, {STEPS[kind]}{average} }}]'
    with tempfile.TemporaryDirectory() as folder:
        run = f"{folder}/run"
        subprocess.run([program, f"configs/{problem}.toml", "--set", stage, "--set", f"run.seed={seed}", "--set", "output.trust=false",
                        "--set", "output.report=false", "--threads", "1", "--quiet", "--out", run], check=True, capture_output=True)
        best = json.loads(pathlib.Path(run, "status.json").read_text())["best"]
        return best["held_out"], max(best["errors"].values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pinn-train", required=True, help="the program")
    parser.add_argument("--seeds", type=int, nargs="+", default=[101, 102, 103, 104, 105])
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--average", type=float, default=0.99)
    asked = parser.parse_args()
    print("| problem | rate | error without, median | with | ratio, median | least | largest | held-out residual, ratio |\n"
          "|---|---|---|---|---|---|---|---|")
    for problem in PROBLEMS:
        for kind in STEPS:
            runs = [[outcome(asked.pinn_train, problem, seed, kind, average, asked.steps)
                     for average in ("", f", average = {asked.average}")] for seed in asked.seeds]
            ratios = [mean[1] / plain[1] for plain, mean in runs]
            print(f"| {problem} | {kind} | {statistics.median(plain[1] for plain, _ in runs):.2e} "
                  f"| {statistics.median(mean[1] for _, mean in runs):.2e} | {statistics.median(ratios):.2f} | {min(ratios):.2f} "
                  f"| {max(ratios):.2f} | {statistics.median(mean[0] / plain[0] for plain, mean in runs):.2f} |", flush=True)


main()
