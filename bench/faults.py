#!/usr/bin/env python3
"""Lets ranks of small runs fail at random moments, and looks at what each leaves and whether it goes on.

    bench/faults.py --train build/release/pinn-train --folder faults --seed 1     50 faults, 15 minutes
    bench/faults.py --train build/release/pinn-train --folder faults --only stop disk --faults 10
    bench/faults.py --folder faults --table                                       prints what is known

Each fault has a run of its own, on 2 or 3 ranks, and a moment between its start and its end. After it all
processes have to end in the time that docs/ranks.md states, or the run has to come to its end; each file has
to be whole; and the run has to go on, on another number of ranks, to the checkpoint of a run that nobody
disturbed, to the last bit. What stands still goes on after a while: before the first checkpoint, and rank 0
after the last step, may be waited for longer than --rank-patience.
Some faults need a library that is loaded before MPI (ranks/fault.cpp, built here by c++); a full disk is a
tmpfs, which root alone may mount. Checkpoints are read by h5py. Exit code 1 where something was not as it has
to be.
"""
import argparse
import collections
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import uuid

from ranks import leavings, processes

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEM = """[problem]
coordinates = { x = [-1.0, 1.0] }
fields      = ["u"]
unknowns    = { k = { start = 0.3, min = 0.01, max = 20, scale = "log" } }

[[equation]]
name     = "poisson"
residual = "u_xx = -k*sin(pi*x)"
points   = { count = 300, redraw = 7 }

[[condition]]
on       = ["x = -1", "x = 1"]
residual = "u = 0"

[network]
layers = [22, 22]

[[stage]]
optimizer = "adam"
steps     = 40
weighting = { kind = "grad_norm", every = 7 }

[[stage]]
optimizer = "ssbroyden"
steps     = 120
sampling  = { kind = "rad", every = 9, candidates = 2000 }

[run]
checkpoint = { every = 3, minutes = 0 }
threads    = 1

[output]
grid = { x = 11 }
"""
KINDS = {
    "kill": "SIGKILL",
    "stop": "SIGSTOP",
    "exit": "`_exit(3)` in a signal handler",
    "exception": "the next `new` throws a `std::runtime_error`",
    "memory": "no `new` of 1 kB or more finds memory",
    "limit": "the address space may grow no more (`RLIMIT_AS`)",
    "disk": "the disk of the run's folder is full, of rank 0",
    "clock": "the clock of the day jumps by an hour",
}
IN_LIBRARY = ("exit", "exception", "memory", "clock")
# Exit codes that docs/ranks.md states; where none are, mpirun makes one, which is not 0. A rank that finds no
# memory in a place that must not throw, or in MPI, is ended by a signal, and the code is mpirun's.
CODES = {"stop": {0, 9}, "exception": {70}, "memory": {6}, "limit": {0, 6}, "disk": {0, 5}, "clock": {0}}
WHY = {5: "No space left", 6: "out of memory", 70: "a fault of bench/faults.py"}
MAY_GO_ON = ("limit", "disk", "clock")
PAIRS = [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)]  # ranks, and which of them
AFTER_FAILURE = 5  # seconds that others are left after a rank failed
MARGIN = 15  # seconds, for a machine that does other things
STEPS = 160
HOUR = 3600
MOMENT = signal.SIGRTMIN + 9
MARK = "PINN_FAULTS"  # in the environment of all processes of a run


def launch(o, folder, ranks, variables=None):
    """A run at work, on so many ranks; it goes on where there is one already. Its mark is in `mark`."""
    words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    for name, value in (variables or {}).items():
        words += ["-x", f"{name}={value}"]
    words = words if ranks > 1 else []
    words += [o.train, "p.toml", "--out", "run", "--resume", "--rank-patience", str(o.patience)]
    mark = uuid.uuid4().hex
    with open(os.path.join(folder, "out.txt"), "w") as out, open(os.path.join(folder, "err.txt"), "w") as err:
        run = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                               env={**os.environ, MARK: mark})
    run.mark = f"{MARK}={mark}"
    return run


class Disk:
    """A small disk that can be filled, mounted at a folder."""
    def __init__(self, folder):
        self.folder, self.filler = folder, os.path.join(folder, "filler")

    def __enter__(self):
        os.makedirs(self.folder, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", self.folder], check=True)
        return self

    def fill(self):
        with contextlib.suppress(OSError), open(self.filler, "wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass

    def free(self):
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.filler)

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.folder], check=True)


def phase(folder):
    """Where a run stands: before its first checkpoint, in its steps, or after them."""
    import h5py
    for name in ("checkpoint.h5", "checkpoint.prev.h5"):
        path = os.path.join(folder, "run", name)
        with contextlib.suppress(FileNotFoundError), h5py.File(path, "r") as file:
            return "end" if file["state/step"][()] == STEPS else "steps"
    return "start"


def strike(o, kind, pid, disk, dice):
    """The fault itself; what undoes it after some seconds, if anything does."""
    if kind == "kill":
        os.kill(pid, signal.SIGKILL)
    elif kind == "stop":
        os.kill(pid, signal.SIGSTOP)
        return o.patience + AFTER_FAILURE + MARGIN / 3, lambda: os.kill(pid, signal.SIGCONT)
    elif kind in IN_LIBRARY:
        os.kill(pid, MOMENT)
    elif kind == "limit":
        now = 1024 * int(processes.field(pid, "VmSize"))
        resource.prlimit(pid, resource.RLIMIT_AS, (now, now))
    else:
        disk.fill()
        return (dice.uniform(0.2, 2), disk.free) if dice.random() < 0.7 else None
    return None


def end_of(run, limit, later):
    """Waits until all processes are gone: how long it took, and how many were left at the limit."""
    began = time.monotonic()
    while run.poll() is None or processes.marked(run.mark):
        waited = time.monotonic() - began
        if later and waited > later[0]:
            with contextlib.suppress(ProcessLookupError):
                later[1]()
            later = None
        if waited > limit:
            left = processes.marked(run.mark)
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            run.wait()
            return waited, len(left)
        time.sleep(0.02)
    return time.monotonic() - began, 0


def text_of(folder):
    with open(os.path.join(folder, "err.txt"), errors="replace") as file:
        return file.read()


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "p.toml"), "w") as file:
        file.write(PROBLEM)


def whole(o, ranks):
    return os.path.join(o.folder, f"whole-{ranks}")


def undisturbed(o, ranks):
    """Seconds that a run takes; what it leaves is in the folder `whole`."""
    fresh(whole(o, ranks))
    began = time.monotonic()
    if launch(o, whole(o, ranks), ranks).wait() != 0:
        sys.exit(f"an undisturbed run fails:\n{text_of(whole(o, ranks))}")
    return time.monotonic() - began


def limit_of(o, kind, ranks):
    """Seconds after a fault in which all processes have to be gone."""
    goes_on = kind in MAY_GO_ON or kind == "stop"
    return o.patience + AFTER_FAILURE + MARGIN + (4 * o.seconds[ranks] if goes_on else 0)


def as_stated(fault, end):
    """What of the end of a run is not as docs/ranks.md says."""
    kind, code, found = fault["kind"], end["code"], []
    if end["left"]:
        return [f"{end['left']} processes were left after {end['waited']:.0f} s"]
    # MPI has exit codes of its own where it finds no memory when it starts, and so has the loader before it.
    by_signal = code > (0 if kind == "limit" and end["at"] == "start" else 128)
    by_signal &= kind in ("exception", "memory", "limit")
    asked_nothing = code == 0 and end["at"] == "end" and kind in ("exception", "memory")  # `new` no more
    if kind in CODES and code not in CODES[kind] and not by_signal and not asked_nothing:
        found.append(f"exit code {code}")
    if kind not in CODES and code == 0 and end["at"] != "end":
        found.append("exit code 0")
    waits_for_it = end["at"] == "start" or (end["at"] == "end" and fault["rank"] == 0)
    if kind == "stop" and code == 0 and not waits_for_it:
        found.append("it was waited for longer than stated")
    named = f"rank {fault['rank']} of" in end["text"] or "neither together" in end["text"]
    if kind == "stop" and code == 9 and not named:
        found.append("the text does not name the rank")
    if WHY.get(code, "") not in end["text"]:
        found.append("it does not say why")
    return found


def struck(o, fault, folder, disk, dice):
    """A run and what comes of a fault in it; None where the run had ended before the moment."""
    in_library = fault["kind"] in IN_LIBRARY
    variables = {"PINN_FAULT": fault["kind"], "PINN_FAULT_RANK": fault["rank"],
                 "PINN_FAULT_SHIFT": dice.choice([-HOUR, HOUR]), "LD_PRELOAD": o.library}
    run = launch(o, folder, fault["ranks"], variables if in_library else {})
    began = time.monotonic()
    try:
        pid = processes.of_rank(run, fault["rank"], MOMENT if in_library else None)
        time.sleep(max(0, fault["moment"] - (time.monotonic() - began)))
        if pid is None or run.poll() is not None:
            return None
        later = strike(o, fault["kind"], pid, disk, dice)
        at = phase(folder)
        waited, left = end_of(run, limit_of(o, fault["kind"], fault["ranks"]), later)
    except ProcessLookupError:
        return None
    finally:
        end_of(run, 0, None)
    return {"at": at, "code": run.returncode, "waited": round(waited, 2), "left": left,
            "text": text_of(folder)}


def gone_on(o, fault, folder, dice):
    """What comes of the run that goes on, on another number of ranks."""
    on = dice.choice([n for n in (1, 2, 3) if n != fault["ranks"]])
    run = launch(o, folder, on)
    left = end_of(run, MARGIN + 4 * o.seconds[3], None)[1]
    text = text_of(folder)
    if left or run.returncode != 0:
        differs = [f"on {on} ranks it did not go on: exit code {run.returncode}: {text}"]
    else:
        differs = leavings.torn(folder) + leavings.differences(folder, whole(o, 3), fault["kind"])
    return {"on": on, "same": not differs, "found_damage": "damaged" in text}, differs


def one(o, kind, ranks, rank, dice):
    """A fault: a row of what came of it, or None where the run had ended before."""
    folder = os.path.join(o.folder, "run")
    fresh(folder)
    moment = dice.uniform(0, o.within * o.seconds[ranks])
    fault = {"kind": kind, "ranks": ranks, "rank": rank, "moment": round(moment, 3)}
    with Disk(os.path.join(folder, "run")) if kind == "disk" else contextlib.nullcontext() as disk:
        end = struck(o, fault, folder, disk, dice)
        if end is None:
            return None
        if disk:
            disk.free()
        broken = leavings.torn(folder)
        after, differs = gone_on(o, fault, folder, dice)
    findings = as_stated(fault, end) + broken + differs
    files = len(broken) + (after["found_damage"] and not broken)
    return {**fault, **end, **after, "torn": files, "findings": findings}


def told(row):
    """A line for what came of a fault, and one for each finding."""
    head = (f"{row['kind']}, rank {row['rank']} of {row['ranks']}, {row['moment']:.2f} s, in {row['at']}: "
            f"exit code {row['code']} after {row['waited']:.1f} s; "
            f"on {row['on']} {'the same' if row['same'] else 'NOT THE SAME'}")
    return "\n  ".join([head, *row["findings"]])


def campaign(o):
    """Rows of all faults: kinds in turn, and of each all ranks in turn."""
    dice = random.Random(o.seed)
    o.seconds = {ranks: undisturbed(o, ranks) for ranks in (2, 3)}
    pairs = {kind: dice.sample(PAIRS, len(PAIRS)) for kind in o.only}
    rows = []
    for i in range(o.faults):
        kind = o.only[i % len(o.only)]
        ranks, rank = pairs[kind][i // len(o.only) % len(PAIRS)]
        row, tries = None, 0
        while row is None:
            row, tries = one(o, kind, ranks, 0 if kind == "disk" else rank, dice), tries + 1
        rows.append({**row, "too_late": tries - 1})
        with open(os.path.join(o.folder, "faults.jsonl"), "a") as file:
            file.write(json.dumps(rows[-1]) + "\n")
        print(f"{i + 1} {told(row)}", file=sys.stderr, flush=True)
    return rows


def row_of(kind, of):
    at = collections.Counter(r["at"] for r in of)
    codes = sorted(collections.Counter(r["code"] for r in of).items())
    waits = [r["waited"] for r in of if r["code"] != 0]
    same = f"{sum(r['same'] for r in of)} of {len(of)}"
    cells = [f"{kind}: {KINDS[kind]}", len(of), f"{at['start']}, {at['steps']}, {at['end']}",
             f"{max(waits):.1f}" if waits else "-", ", ".join(f"{code} ({n})" for code, n in codes),
             sum(r["left"] for r in of), sum(r["torn"] for r in of), same]
    return "| " + " | ".join(map(str, cells)) + " |"


def table(rows):
    heads = ["kind", "faults", "at the start, in steps, at the end", "longest until all had ended, s",
             "exit codes", "left processes", "torn files", "went on to the same bits"]
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    for kind in KINDS:
        of = [r for r in rows if r["kind"] == kind]
        if of:
            print(row_of(kind, of))
    late = sum(r["too_late"] for r in rows)
    print(f"\n{len(rows)} faults; {late} more came after the end of their run, and were made anew.")
    for r in rows:
        for finding in r["findings"]:
            print(f"* {r['kind']}, rank {r['rank']} of {r['ranks']}, in {r['at']}: {finding.strip()}")


def read(folder):
    with open(os.path.join(folder, "faults.jsonl")) as file:
        return list(map(json.loads, file))


def options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", help="the program pinn-train, built with MPI")
    parser.add_argument("--folder", required=True, help="of the runs, and of faults.jsonl")
    parser.add_argument("--faults", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND",
                        help=", ".join(KINDS))
    parser.add_argument("--patience", type=float, default=5, help="what ranks get as --rank-patience")
    parser.add_argument("--within", type=float, default=1, metavar="SHARE",
                        help="moments are in this first part of a run")
    parser.add_argument("--table", action="store_true", help="print what is known, train nothing")
    o = parser.parse_args()
    o.train, o.folder = os.path.abspath(o.train or ""), os.path.abspath(o.folder)
    return o


def require_tools(o):
    try:
        import h5py  # noqa: F401
    except ImportError:
        sys.exit("checkpoints are read by h5py, and this Python has none\n  fix:   pip install h5py")
    if not os.path.isfile(o.train) or not shutil.which("mpirun"):
        sys.exit("faults need --train and an mpirun")
    if "disk" in o.only and os.geteuid() != 0:
        sys.exit("a disk is mounted by root alone\n  fix:   be root, or leave disk out: --only "
                 + " ".join(kind for kind in KINDS if kind != "disk"))


def main():
    o = options()
    if o.table:
        return table(read(o.folder))
    require_tools(o)
    os.makedirs(o.folder, exist_ok=True)
    o.library = os.path.join(o.folder, "fault.so")
    subprocess.run(["c++", "-std=c++20", "-O2", "-shared", "-fPIC", os.path.join(HERE, "ranks", "fault.cpp"),
                    "-o", o.library], check=True)
    rows = campaign(o)
    table(rows)
    sys.exit(any(r["findings"] for r in rows))


if __name__ == "__main__":
    main()
