#!/usr/bin/env python3
"""Holds estimated errors against true ones: trains problem files, each once to a limit and once cut short at a random moment, and prints
what each run would say of its error and what is true, with the rates.

    bench/estimates.py --build build/release --seed 1 --folder /tmp/estimates
    bench/estimates.py --build build/release --seed 1 --folder /tmp/estimates --only auto/burgers --limit 60

Runs that are in the folder already are not trained again. Seeds and moments follow from --seed and the file's name.
"""
import argparse
import glob
import hashlib
import json
import math
import os
import random
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FILES = ["configs/auto/*.toml", "configs/*.toml", "tests/newcomer/*.toml", "bench/public/*.toml"]
SMALL, FACTOR, MOST = 1e-2, 3, 10
FINISHED = (0, 4)  # exit codes: done, and stopped by the limit


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the folder with pinn-train and pinn-bench")
    parser.add_argument("--folder", required=True, help="where runs are left")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60, help="seconds of a run; cut short ones take 2 s to half of it")
    parser.add_argument("--runs", type=int, default=1000, help="so many at most, in a random order")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="of these files: auto/burgers")
    parser.add_argument("--trained-only", action="store_true", help="train nothing: runs that are in the folder")
    parser.add_argument("--estimate-again", action="store_true", help="of runs that were estimated before, too")
    return parser.parse_args()


def jobs(asked):
    for pattern in FILES:
        for file in sorted(glob.glob(os.path.join(ROOT, pattern))):
            name = os.path.basename(os.path.dirname(file)) + "/" + os.path.basename(file)[:-5]
            if asked.only and name not in asked.only:
                continue
            for cut in (False, True):
                dice = random.Random(hashlib.sha256(f"{asked.seed} {name} {cut}".encode()).hexdigest())
                limit = math.exp(dice.uniform(math.log(2), math.log(asked.limit / 2))) if cut else asked.limit
                yield dice.random(), name, file, cut, limit, dice.randrange(1000, 100000)


def train(asked, folder, file, limit, seed):
    done = os.path.join(folder, "exit_code")
    if not os.path.exists(done):
        command = [os.path.join(asked.build, "pinn-train"), file, "--out", folder, "--overwrite", "--quiet", "--threads", "1",
                   "--device", "cpu", "--max-time", f"{limit:.1f}", "--set", f"run.seed={seed}"]
        code = subprocess.run(command, capture_output=True, check=False).returncode
        if os.path.isdir(folder):
            with open(done, "w", encoding="utf-8") as out:
                out.write(str(code))
        return code
    with open(done, encoding="utf-8") as known:
        return int(known.read())


def estimates(asked, folder):
    file = os.path.join(folder, "estimates.jsonl")
    if asked.estimate_again or not os.path.exists(file):
        command = [os.path.join(asked.build, "pinn-bench"), "estimates", "--folder", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        with open(file, "w", encoding="utf-8") as out:
            out.write(done.stdout)
    with open(file, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def row(name, cut, said):
    """A line of the table, and what it counts for: (field, truth, ratio or None, bound holds or None)."""
    key = "absolute" if said.get("zero") else "relative"
    truth, told = said.get("true_" + key), said.get(key)
    if truth is None or told is None:
        return None
    number = not said["at_least"]
    word = ("about" if number else "at least") + (", absolute" if said.get("zero") else "")
    print(f"| {name} | {'cut' if cut else 'whole'} | {said['field']} | {truth:.1e} | {word} {told:.1e} | {truth / told:.2f} | "
          f"{100 * said['explained']:.0f} % | {said['why']} |", flush=True)
    return truth, told, number


def off(truth, told):
    return max(truth / told, told / truth) if truth > 0 and told > 0 else math.inf


def rates(runs):
    """Of runs, each a list of (truth, told, whether as a number): one with several fields counts by its worst."""
    numbers = [max(off(t, e) for t, e, number in run if number) for run in runs if any(number for *_, number in run)]
    bounds = [all(t >= e for t, e, number in run if not number) for run in runs if not all(number for *_, number in run)]
    small = [all(number for *_, number in run) for run in runs if max(t for t, *_ in run) < SMALL]
    print(f"\n{len(runs)} runs. {len(numbers)} tell a number: within {FACTOR} of the truth {sum(n <= FACTOR for n in numbers)}, beyond {MOST} "
          f"{sum(n > MOST for n in numbers)}, the worst {max(numbers, default=1):.2f}.\n{len(bounds)} tell a lower bound: below the truth "
          f"{sum(bounds)}.\nOf {len(small)} whose true errors are all below {SMALL:g}, {sum(small)} tell a number of every field.")


def main():
    asked = options()
    runs = []
    print("| file | run | field | true error | told | true / told | of the squared residual | why |\n" + "|---" * 8 + "|")
    for _, name, file, cut, limit, seed in sorted(jobs(asked))[:asked.runs]:
        folder = os.path.join(asked.folder, name.replace("/", "_") + ("-cut" if cut else ""))
        if asked.trained_only and not os.path.exists(os.path.join(folder, "exit_code")):
            continue
        if train(asked, folder, file, limit, seed) not in FINISHED:
            continue
        told = [r for said in estimates(asked, folder) if "field" in said and (r := row(name, cut, said))]
        runs += [told] if told else []
    rates(runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
