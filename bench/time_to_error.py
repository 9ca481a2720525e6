#!/usr/bin/env python3
"""Trains Burgers' equation, nu = 0.01/pi, by pinn and by others, and says after how many seconds an error was reached.

    bench/time_to_error.py --build build/release --python /tmp/peers/bin/python --out bench/results/DATE-time-to-error.md
    bench/time_to_error.py --build build/release --python /tmp/peers/bin/python --only pinn-record jax-record
    bench/time_to_error.py --build build/release --python /tmp/peers/bin/python --table

Contenders run one after another, each on one thread of one processor, from seed 0. Who is finished is kept in --folder, and the
same line goes on with the others; who was cut short begins anew. Seconds are of the processor and of the clock,
which on a machine that does other things tells little. Judging u against the reference is in the seconds of pinn and not of
a peer, and so is what comes before the first step (imports, compilers). --python needs torch, jax, deepxde, h5py and scipy.
"""
import argparse
import datetime
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib

from records import INTERRUPTED, ROOT
from report.contender import environment, say
from report.machine import here, program, versions
from report.seconds import ERRORS, table

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEMS = {"file": "configs/burgers.toml", "record": "configs/records/burgers.toml"}
CONTENDERS = [*(f"{by}-{problem}" for problem in PROBLEMS for by in ("pinn", "torch", "jax")), "deepxde-float32", "deepxde-float64"]
REFERENCE = os.path.join(ROOT, "data/reference/burgers.h5")


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the folder of pinn-train and pinn-bench")
    parser.add_argument("--python", required=True, help="of the peers")
    parser.add_argument("--only", nargs="+", default=CONTENDERS, choices=CONTENDERS)
    parser.add_argument("--minutes", type=float, default=15, help="of the processor, at most, for each")
    parser.add_argument("--to", type=float, default=ERRORS[-1], help="the error at which a contender may stop")
    parser.add_argument("--cpu", type=int, default=0, help="the processor that all run on")
    parser.add_argument("--folder", default="build/time-to-error", help="of the runs")
    parser.add_argument("--table", action="store_true", help="print what is known, train nothing")
    parser.add_argument("--out", help="a file for the document")
    return parser.parse_args()


def problem(name):
    """A problem file, and what of it peers are told."""
    path = os.path.join(ROOT, PROBLEMS[name])
    with open(path, "rb") as source:
        file = tomllib.load(source)
    layers, stages = file["network"]["layers"], file["stage"]
    told = ["--width", layers[0], "--layers", len(layers), "--first", stages[0]["steps"], "--last", sum(s["steps"] for s in stages)]
    return path, [*map(str, told), *(["--periodic"] if "periodic" in file["network"] else [])]


def start(asked, command):
    return subprocess.Popen(["taskset", "-c", str(asked.cpu), *command], stdout=subprocess.PIPE, text=True,
                            env=environment(asked.folder, 1, "cpu"))


def pinn(asked, name, log):
    """Trains by pinn-train, and takes down each error it records and the seconds until then."""
    folder = os.path.join(asked.folder, name)
    path, _ = problem(name.split("-")[1])
    shutil.rmtree(folder, ignore_errors=True)
    child = start(asked, [os.path.join(asked.build, "pinn-train"), path, "--quiet", "--threads", "1", "--out", folder])
    seen, error, cpu = 0, 1.0, 0.0
    while child.poll() is None:
        time.sleep(0.1)
        cpu = seconds_of(child.pid) or cpu
        records, seen = read(os.path.join(folder, "metrics.jsonl"), seen)
        for record in records:
            if "error:u" in record:
                error = record["error:u"]
                log({"step": record["step"], "error": error, "cpu": cpu, "wall": record["seconds"]})
        if error <= asked.to or cpu >= 60 * asked.minutes:
            child.send_signal(signal.SIGTERM)
            child.wait()
    return child.returncode in (0, INTERRUPTED)


def peer(asked, name, log):
    """Trains by a script of peers, which takes down by itself."""
    by, variant = name.split("-")
    command = [asked.python, os.path.join(HERE, "peers", by + "_train.py"), "--reference", REFERENCE, "--to", str(asked.to),
               "--seconds", str(60 * asked.minutes)]
    if by == "deepxde":
        command += ["--dtype", variant]
    else:
        path, told = problem(variant)
        inputs = os.path.join(asked.folder, name)
        os.makedirs(inputs, exist_ok=True)
        subprocess.run([os.path.join(asked.build, "pinn-bench"), "burgers-run", "--stage", "1", "--dtype", "f64", "--count", "1",
                        "--problem", path, "--folder", inputs, "--write"], check=True, stdout=subprocess.DEVNULL)
        command += ["--folder", inputs, *told]
    child = start(asked, command)
    for line in child.stdout:
        if line.startswith("{"):
            log(json.loads(line))
    return child.wait() == 0


def seconds_of(pid):
    """That a process has taken of the processor; None where it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read(path, since=0):
    """The lines of JSON that are whole, from a place in the file on, and where they end."""
    if not os.path.exists(path):
        return [], since
    with open(path, "rb") as file:
        file.seek(since)
        whole = file.read().rpartition(b"\n")[0]
    return [json.loads(line) for line in whole.splitlines()], since + (len(whole) + 1 if whole else 0)


def run(asked, name):
    unfinished, finished = (os.path.join(asked.folder, name + end) for end in (".tmp", ".jsonl"))
    if os.path.exists(finished) or asked.table or name not in asked.only:
        return
    say(name)
    with open(unfinished, "w", encoding="utf-8") as out:
        def log(record):
            out.write(json.dumps(record) + "\n")
            out.flush()
        log({"begun": f"{datetime.datetime.now():%H:%M}", "load": os.getloadavg()[0]})
        good = (pinn if name.startswith("pinn") else peer)(asked, name, log)
    if good:
        os.rename(unfinished, finished)
    else:
        say(f"  {name} failed; what it said is in {unfinished}")


def document(asked):
    found = {name: read(os.path.join(asked.folder, name + ".jsonl"))[0] for name in CONTENDERS}
    found = {name: lines for name, lines in found.items() if lines}
    machine = here(os.path.join(asked.build, "pinn-bench")), program(os.path.join(asked.build, "pinn-bench"))
    return "\n".join([f"# {datetime.date.today()}-time-to-error", "", *machine,
                      "* " + versions(asked.python, "torch", "jax", "jaxlib", "numpy", "scipy", "deepxde"),
                      f"* command: `bench/time_to_error.py {shlex.join(sys.argv[1:])}`",
                      "* load of the machine when each began: " + ", ".join(f"{n} {lines[0]['load']:.1f}" for n, lines in found.items()),
                      "* seconds of the processor, and in brackets of the clock", "", *table(found), ""])


def main():
    asked = options()
    os.makedirs(asked.folder, exist_ok=True)
    for name in CONTENDERS:
        run(asked, name)
    text = document(asked)
    say(text)
    if asked.out:
        with open(asked.out, "w", encoding="utf-8") as out:
            out.write(text)


if __name__ == "__main__":
    main()
