"""What a run leaves: whether it is whole, and the same as what another left."""
import glob
import json
import os

OF_THE_CLOCK = ("meta/threads", "state/seconds", "history/speed/")


def in_checkpoint(path):
    """All that a file of HDF5 holds but what a clock decides."""
    import h5py
    found = {}

    def take(name, item):
        if not name.startswith(OF_THE_CLOCK):
            value = item[()] if isinstance(item, h5py.Dataset) else b""
            bits = value if isinstance(value, bytes) else value.tobytes()
            found[name] = (bits, {k: bytes(v.tobytes()) for k, v in item.attrs.items()})
    with h5py.File(path, "r") as file:
        file.visititems(take)
    return found


def metrics(folder):
    """The records, without what a clock decides."""
    with open(os.path.join(folder, "run", "metrics.jsonl")) as file:
        rows = [json.loads(line) for line in file]
    clock = ("seconds", "steps_per_second", "points_per_second", "gflops", "share_of_peak")
    return [{k: v for k, v in row.items() if k not in clock} for row in rows]


def torn(folder):
    """Files of a run that are not whole."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "run", "*"))):
        name = os.path.basename(path)
        try:
            if name in ("checkpoint.h5", "checkpoint.prev.h5", "fields.h5"):
                in_checkpoint(path)
            elif name == "metrics.jsonl":
                metrics(folder)
            elif name in ("status.json", "fields.xdmf", "report.html"):
                with open(path) as file:
                    text = file.read()
                end = {"status.json": "}", "fields.xdmf": "</Xdmf>", "report.html": "</html>"}[name]
                if not text.rstrip().endswith(end):
                    raise ValueError("its end is missing")
            elif "damaged" in name:
                raise ValueError("it was found damaged")
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            found.append(f"{name}: {error}")
    return found


def differences(folder, whole, kind):
    """In what a finished run differs from one that nobody disturbed."""
    found = []
    ours, theirs = (in_checkpoint(os.path.join(f, "run", "checkpoint.h5")) for f in (folder, whole))
    found += [f"checkpoint.h5: {name}" for name in ours.keys() | theirs if ours.get(name) != theirs.get(name)]
    records, expected = metrics(folder), metrics(whole)
    as_told = all(r in expected for r in records) if kind == "disk" else records == expected
    found += [] if as_told else ["metrics.jsonl"]  # what a full disk did not take is not there
    names = [set(os.listdir(os.path.join(f, "run"))) for f in (folder, whole)]
    return found + [f"{name} is there, or is not" for name in sorted(names[0] ^ names[1])]
