#!/usr/bin/env python3
"""Trains the files of configs/records with several seeds and prints what came out beside what each file promises.

    bench/records.py --pinn-train build/release/pinn-train
    bench/records.py --pinn-train build/release/pinn-train --only poisson_2d beam --seeds 0 1 --hours 1
    bench/records.py --pinn-train build/release/pinn-train --table

All of it takes most of a day. It can be stopped at any time (Ctrl-C, a signal, --hours): what is finished is kept, by
the text of its file, and the run at work goes on from its checkpoint when the same line is given again. A record is
held where the median of the seeds is at most what the file promises and the worst at most ten times that; a run that
diverges counts as worse than any.
Times are of the processor; on a machine that does other things at the same time those of the clock tell nothing.
"""
import argparse
import glob
import hashlib
import json
import math
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import time
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIELD = re.compile(r"^relative L2 error of (\w+): ([0-9.e+-]+|nan)", re.MULTILINE)
VALUE = re.compile(r"^(?:value )?(\w+) = [-0-9.e+]+, relative error ([0-9.e+-]+|nan)", re.MULTILINE)
DIVERGED, INTERRUPTED = 3, 4  # exit codes of pinn-train
WORST = 10       # times the promise


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pinn-train", required=True, help="the program")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="of these files, without .toml")
    parser.add_argument("--hours", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--folder", default="build/records", help="of runs and results")
    parser.add_argument("--table", action="store_true", help="print what is known, train nothing")
    return parser.parse_args()


def files(only):
    every = {os.path.basename(f)[:-5]: f for f in sorted(glob.glob(os.path.join(ROOT, "configs/records/*.toml")))}
    unknown = [name for name in only if name not in every]
    if unknown:
        sys.exit(f"there is no configs/records/{unknown[0]}.toml; there are {', '.join(every)}")
    return {name: file for name, file in every.items() if not only or name in only}


def promises(file):
    with open(file, "rb") as source:
        return tomllib.load(source).get("reference", {}).get("error", {})


class Results:
    """What is finished, by file, its text and seed."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "results.jsonl")
        self.all = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as lines:
                for line in lines:
                    record = json.loads(line)
                    self.all[record["key"]] = record

    @staticmethod
    def key(file, seed):
        with open(file, "rb") as source:
            digest = hashlib.sha256(source.read()).hexdigest()[:12]
        return f"{os.path.basename(file)[:-5]} {digest} {seed}"

    def add(self, record):
        self.all[record["key"]] = record
        with open(self.path, "a", encoding="utf-8") as lines:
            lines.write(json.dumps(record) + "\n")


def processor_seconds():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def train(program, file, seed, threads, folder, seconds_left, more=()):
    """What pinn-train says, or None where time is up. Seconds are those of this sitting."""
    command = [program, file, "--verbose", "--resume", "--out", folder, "--threads", str(threads), "--set", f"run.seed={seed}",
               "--max-time", f"{max(1, int(seconds_left))}", *more]
    begun = processor_seconds()
    # Out of reach of the terminal: of two signals the second would end it unsaved.
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        said, mistakes = child.communicate()
    except KeyboardInterrupt:
        child.send_signal(signal.SIGTERM)
        child.communicate()
        return None, processor_seconds() - begun
    if child.returncode == INTERRUPTED:
        return None, processor_seconds() - begun
    if child.returncode == DIVERGED:
        return "", processor_seconds() - begun
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {child.returncode}:\n{mistakes}")
    return said, processor_seconds() - begun


def sittings(folder, spent):
    """Adds up the processor's seconds of a run over its sittings."""
    path = folder + ".seconds"
    before = float(open(path, encoding="utf-8").read()) if os.path.exists(path) else 0
    with open(path, "w", encoding="utf-8") as out:
        out.write(str(before + spent))
    return before + spent


def errors(said):
    found = {name: float(error) for name, error in FIELD.findall(said)}
    found.update({name: float(error) for name, error in VALUE.findall(said)})
    return found


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":")[1].strip()
    return "unknown"


def print_table(asked, results):
    print("| file | quantity | promised | median | worst | seeds | processor, median | |\n|---|---|---|---|---|---|---|---|")
    held = total = 0
    for name, file in files(asked.only).items():
        known = [results.all[key] for key in (Results.key(file, seed) for seed in asked.seeds) if key in results.all]
        if not known:
            continue
        seconds = statistics.median(record["seconds"] for record in known)
        for quantity, bar in promises(file).items():
            found = [record["errors"].get(quantity, float("nan")) for record in known]
            if any(math.isnan(error) for error in found):  # of a run that diverged, or has no such error
                found = [math.inf if math.isnan(error) else error for error in found]
            median, worst = statistics.median(found), max(found)
            good = median <= bar and worst <= WORST * bar
            verdict = ("held" if good else "missed") + ("" if len(known) == len(asked.seeds) else ", so far")
            print(f"| {name} | {quantity} | {bar:.0e} | {median:.1e} | {worst:.1e} | {len(known)} | {seconds:.0f} s | {verdict} |")
            held, total = held + good, total + 1
    print(f"\n{held} of {total} held")


def main():
    asked = options()
    results, end = Results(asked.folder), time.monotonic() + 3600 * asked.hours
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for seed in asked.seeds if not asked.table else []:
        for name, file in files(asked.only).items():
            key = Results.key(file, seed)
            if key in results.all:
                continue
            left = end - time.monotonic()
            folder = os.path.join(asked.folder, key.replace(" ", "-"))
            said, spent = (None, 0) if left <= 0 else train(asked.pinn_train, file, seed, asked.threads, folder, left)
            seconds = sittings(folder, spent)
            if said is None:
                print_table(asked, results)
                sys.exit("stopped; the same line goes on")
            record = {"key": key, "errors": errors(said), "seconds": seconds, "processor": processor(), "threads": asked.threads}
            results.add(record)
            print(f"{name}, seed {seed}: " + ", ".join(f"{q} {e:.1e}" for q, e in record["errors"].items()) + f", {seconds:.0f} s",
                  flush=True)
    print_table(asked, results)


if __name__ == "__main__":
    main()
