"""Random programs of the engine beside PyTorch: values and derivatives in every way.

beside_torch.py PROGRAM [--kind tame|wild|special] [--count 20000] [--first 0] [--seed 1]
"""
import argparse
import collections
import json
import math
import subprocess
import sys

try:
    import torch
except ImportError:
    print("test skipped: there is no PyTorch (pip install torch)")
    sys.exit(0)
from special_points import DECIDED, DO_NOT_EXIST, row_of
from torch_ways import DTYPES, Program


class Difference:
    def __init__(self, text, pairs=()):
        self.text, self.pairs = text, pairs


def differ(a, b, bound, open_where_nan):
    return not (abs(a - b) <= bound or a == b or (a != a and b != b) or open_where_nan(a, b))


def closed(a, b):
    return False


def open_in_first(a, b):
    """PyTorch multiplies by what does not count, so that its NaN may be a number here."""
    return b != b


def open_in_second(a, b):
    """At poles and infinities it depends on the order of operations what is a number."""
    return a != a or b != b


def difference(ours, theirs, tolerance, open_where_nan, own):
    """What differs between two lists of tensors, or nothing. `own`: the type of all numbers of the program."""
    for i, ((dtype, shape, values), other) in enumerate(zip(ours, theirs)):
        if (DTYPES[dtype] != other.dtype and dtype != own) or shape != list(other.shape):
            return Difference(f"tensor {i} is {dtype} {shape}, PyTorch's {other.dtype} {list(other.shape)}")
        expected = other.flatten().tolist()
        bound = tolerance * max([1] + [abs(b) for b in expected if math.isfinite(b)])
        pairs = [(a, b) for a, b in zip(values, expected) if differ(a, b, bound, open_where_nan)]
        if pairs:
            return Difference(f"tensor {i}: {values} is not {expected}", pairs)
    return None


class Comparison:
    def __init__(self, shown=20):
        self.shown = shown
        self.counts = collections.Counter()
        self.refusals = collections.Counter()
        self.different = 0

    def compare(self, told):
        program = Program(told)
        theirs = {}
        is_rough = told["dtype"] == "float32" or any(call.op == "cast" for call in program.calls)
        tolerance = (1e-4 if is_rough else 1e-10) * told["largest"] ** 2
        self.counts["programs"] += 1
        for way, ours in told["ways"].items():
            if program.leaves_open(way):
                continue
            # Where all is derivatives, the second ones are the same in all three orders.
            theirs_by = "reverse over reverse" if told["derives"] and " over " in way else way
            if theirs_by not in theirs:
                theirs[theirs_by] = program.found(theirs_by)
            other = theirs[theirs_by]
            if isinstance(ours, str) or isinstance(other, str):
                who = "both" if isinstance(ours, str) and isinstance(other, str) else (
                    "pinn" if isinstance(ours, str) else "PyTorch")
                self.counts[f"{way}: refused by {who}"] += 1
                self.refusals[f"{who}: {ours if isinstance(ours, str) else other}"[:150]] += 1
                continue
            is_open = (open_in_second if " over " in way else open_in_first) if told["wild"] else closed
            wrong = difference(ours, other, tolerance, is_open, told["dtype"])
            self.counts[f"{way}: {'different' if wrong else 'equal'}"] += 1
            if wrong:
                self.tell(told, way, wrong)

    def is_decided(self, told, way, wrong):
        return False

    def finish(self):
        pass

    def tell(self, told, way, wrong):
        if self.is_decided(told, way, wrong):
            return
        self.different += 1
        if self.different > self.shown:
            return
        print(f"program {told['number']}, {way}: {wrong.text}\n  {told['dtype']}, inputs {told['inputs']}")
        for i, call in enumerate(told["calls"]):
            print(f"    {call}")
        print(f"  results {told['results']}", flush=True)


class SpecialPoints(Comparison):
    def is_decided(self, told, way, wrong):
        op = told["calls"][-1][0]
        if op in DO_NOT_EXIST:
            return True
        row = row_of(op, [values[0] for _, values in told["inputs"]], way, wrong.pairs)
        if row:
            row.used += 1
        return row is not None

    def finish(self):
        for row in DECIDED:
            print(f"{row.used:9d} {' '.join(row.ops)}: {row.why}")
            self.different += row.used == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=["tame", "wild", "special"], default="tame")
    parser.add_argument("--threads", type=int, default=2, help="of the engine")
    words = parser.parse_args()
    torch.set_num_threads(1)
    comparison = SpecialPoints() if words.kind == "special" else Comparison()
    numbers = [str(n) for n in (words.seed, words.first, words.count, words.threads)]
    numbers = ["special"] if words.kind == "special" else [words.kind, *numbers]
    with subprocess.Popen([words.program, *numbers], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            comparison.compare(json.loads(line))
    comparison.finish()
    for name, count in sorted(comparison.counts.items()):
        print(f"{count:9d} {name}")
    for name, count in comparison.refusals.most_common(25):
        print(f"{count:9d} {name}")
    ran = comparison.counts["programs"]
    if process.returncode or comparison.different or (words.kind != "special" and ran != words.count):
        sys.exit(f"{comparison.different} differences in {ran} programs")


if __name__ == "__main__":
    main()
