"""The processes of a run, as /proc shows them."""
import contextlib
import os
import re
import time


def environment(pid):
    try:
        with open(f"/proc/{pid}/environ", errors="replace") as file:
            return file.read().split("\0")
    except OSError:
        return []


def children(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children") as file:
        return list(map(int, file.read().split()))
    return []


def marked(mark):
    """Processes of a run that are there, whoever their parent is."""
    return [int(p) for p in os.listdir("/proc") if p.isdigit() and mark in environment(p)]


def field(pid, name):
    with contextlib.suppress(OSError, AttributeError), open(f"/proc/{pid}/status") as file:
        return re.search(rf"^{name}:\s*(\S+)", file.read(), re.MULTILINE).group(1)
    return "0"


def of_rank(run, rank, signal=None):
    """The process of a rank, as soon as it is there and handles that signal, or None where the run has ended."""
    while run.poll() is None:
        for pid in children(run.pid):
            hears = signal is None or int(field(pid, "SigCgt"), 16) >> (signal - 1) & 1
            if hears and f"OMPI_COMM_WORLD_RANK={rank}" in environment(pid):
                return pid
        time.sleep(0.002)
    return None
