"""Event files of a run that was killed and went on, read by TensorBoard: opened afterwards, and open all the while.

read_by_tensorboard.py PINN_TRAIN
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

PROBLEM = """
[problem]
coordinates = { x = [-1, 1] }
fields = ["u"]
unknowns = { k = 1.0 }
[[equation]]
name = "poisson"
residual = "u_xx = -k*sin(pi*x)"
points = 200
[[condition]]
name = "ends"
on = "boundary"
residual = "u = 0"
[network]
layers = [16, 16]
[[stage]]
optimizer = "adam"
steps = 3000
[run]
threads = 1
checkpoint = { every = 500, minutes = 0 }
[output]
tensorboard = true
report = false
trust = false
[reference]
exact = { u = "sin(pi*x)/pi^2" }
"""


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def told(folder):
    """By tag, steps and values as metrics.jsonl has them."""
    tags = {}
    with open(f"{folder}/metrics.jsonl") as file:
        for line in file:
            record = json.loads(line)
            for name, value in record.items():
                if name not in ("step", "stage", "seconds"):
                    tags.setdefault(name, []).append((record["step"], float32(value)))
    return tags


def shown(reader, name):
    tag = {"poisson": "loss/poisson", "ends": "loss/ends"}.get(name, name.replace(":", "/", 1))
    tag = "speed/" + tag if tag in ("steps_per_second", "points_per_second", "gflops", "share_of_peak") else tag
    return [(event.step, event.value) for event in reader.Scalars(tag)]


def saved_step(folder):
    try:
        with open(f"{folder}/checkpoint.h5", "rb") as file:
            head = file.read(512).decode(errors="replace")
    except FileNotFoundError:
        return 0
    return int(next(line for line in head.splitlines() if line.startswith("step")).split()[-1])


def recorded_step(folder):
    try:
        with open(f"{folder}/metrics.jsonl") as file:
            lines = [line for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return 0
    return json.loads(lines[-1])["step"] if lines else 0


def wait_for(what):
    for _ in range(6000):
        if what():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come true for a minute")


def main():
    try:
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    except ImportError:
        print("test skipped: there is no TensorBoard (pip install tensorboard)")
        return
    everything = {"scalars": 0}  # without leaving any out
    with tempfile.TemporaryDirectory() as place:
        with open(f"{place}/small.toml", "w") as file:
            file.write(PROBLEM)
        folder = f"{place}/run"
        words = [os.path.abspath(sys.argv[1]), "small.toml", "--quiet", "--out", "run", "--resume"]
        open_meanwhile, kills = None, 0
        for wanted in (600, 1700):  # each time a part of what was told is lost
            process = subprocess.Popen(words, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wait_for(lambda: process.poll() is not None
                     or (recorded_step(folder) >= wanted and 0 < saved_step(folder) < recorded_step(folder)))
            kills += process.poll() is None
            process.kill()
            process.wait()
            open_meanwhile = open_meanwhile or EventAccumulator(folder, everything)
            open_meanwhile.Reload()
        assert kills == 2, "the run ended before it was killed"
        subprocess.run(words, cwd=place, check=True, stdout=subprocess.DEVNULL)
        open_meanwhile.Reload()
        opened_now = EventAccumulator(folder, everything)
        opened_now.Reload()
        expected = told(folder)
        assert len(expected["loss"]) == 300 and "unknown:k" in expected and "error:u" in expected, expected.keys()
        for name, curve in expected.items():
            assert shown(opened_now, name) == curve, name
            assert shown(open_meanwhile, name) == curve, name
        files = sorted(name for name in os.listdir(folder) if "tfevents" in name)
        assert len(files) == kills + 1, files
    print("TensorBoard shows each step once")


if __name__ == "__main__":
    main()
