"""The parameters of model.py, from runs on this machine."""
import itertools
import statistics
from collections import defaultdict

from ranks import model


class Runs:
    """What was measured, the rounds of a run together: medians."""

    def __init__(self, rows):
        self.by = defaultdict(list)
        for row in rows:
            case = row["case"]
            net = model.Net(case["width"], case["layers"], case["points"], row["block"])
            self.by[case["method"], net, row["ranks"], row["threads"], row["delay"]].append(row)

    def seconds(self, *key):
        return statistics.median(row["seconds"] for row in self.by[key])

    def keys(self, method=None, ranks=None, threads=1, delay=0.0):
        """None: any."""
        asked = (method, None, ranks, threads, delay)
        return sorted((k for k in self.by if all(a is None or a == b for a, b in zip(asked, k))),
                      key=lambda k: (k[0], k[1].width, k[1].layers, k[1].points, k[2], k[4]))

    def median(self, key, what):
        return statistics.median(what(row) for row in self.by[key])


def solve(matrix, right):
    """By elimination with pivots; None where it is singular."""
    rows = [list(map(float, row)) + [r] for row, r in zip(matrix, right)]
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        if abs(rows[k][k]) < 1e-300:
            return None
        for i in range(n):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def nonnegative(rows, values):
    """The x >= 0 with the least squares of (rows x - values) / values: of every choice of zeros the best."""
    rows = [[a / v for a in row] for row, v in zip(rows, values)]
    best, found = float("inf"), None
    for free in itertools.product((False, True), repeat=len(rows[0])):
        at = [k for k, f in enumerate(free) if f]
        if not at:
            continue
        normal = [[sum(row[i] * row[j] for row in rows) for j in at] for i in at]
        x = solve(normal, [sum(row[i] for row in rows) for i in at])
        if x is None or min(x) < 0:
            continue
        miss = sum((sum(row[k] * v for k, v in zip(at, x)) - 1) ** 2 for row in rows)
        if miss < best:
            best, found = miss, [x[at.index(k)] if f else 0.0 for k, f in enumerate(free)]
    return found


def counted(runs, key):
    """What a move asked for, by the gathers of a run."""
    method, net, ranks = key[:3]
    numbers = sum(model.shared_out(net, ranks).spans) * net.sums
    row = runs.by[key][0]
    moves = row["case"]["steps"]
    counts = model.Counts(0, 0, 0, 0)
    for size, times in row["gathers"].items():
        of_one = int(size)
        if numbers <= of_one <= numbers + ranks:
            counts.gradients += times / moves
        elif of_one >= net.points and method == "levenberg_marquardt":
            counts.rows += times / moves
        elif of_one <= ranks + 4 * sum(model.shared_out(net, ranks).spans):
            counts.small += times / moves
    return counts


def gathers(row):
    """Of a step."""
    return sum(row["gathers"].values()) / row["case"]["steps"]


def core_of(runs):
    """Own work from ranks that have no points; that of points from runs of one rank; the cost of a number from what
    ranks with the same points spend more where more numbers arrive."""
    core = model.Core()
    core.number = number_of(runs)
    without = [k for k in runs.keys("adam", 2) if k[1].points <= k[1].block]
    idle = [(runs.median(k, lambda row: min(row["work"])), k[1]) for k in without]
    core.parameter = statistics.median((work - core.number * net.sums) / net.parameters for work, net in idle)
    alone, sweeps = runs.keys("adam", 1), model.adam().sweeps
    rows = [[sweeps * k[1].points * k[1].elements, sweeps * k[1].points * k[1].product_flops] for k in alone]
    core.element, core.flop = nonnegative(rows, [runs.seconds(*k) - core.parameter * k[1].parameters for k in alone])
    return core


def number_of(runs):
    """All ranks' work, less that of the points, grows with ranks by what each does alike and by numbers: from 2 to 8
    ranks, six times the work of 2 that is no points' falls out. Of the networks with most numbers."""
    found = []
    for key in runs.keys("adam", 8):
        net = key[1]
        if ("adam", net, 2, 1, 0.0) not in runs.by or ("adam", net, 4, 1, 0.0) not in runs.by:
            continue
        work = {r: runs.median(("adam", net, r, 1, 0.0), lambda row: sum(row["work"])) for r in (2, 4, 8)}
        numbers = {r: r * sum(model.shared_out(net, r).spans) * net.sums for r in (2, 4, 8)}
        # work = a + b ranks + c numbers
        x = solve([[1, r, numbers[r]] for r in (2, 4, 8)], [work[r] for r in (2, 4, 8)])
        if x and max(model.shared_out(net, 8).spans) == 1 and net.points > net.block:
            found.append((net.parameters, x[2]))
    return max(0.0, max(found)[1]) if found else 0.0


def wires(runs):
    """For each number of ranks here, from gathers one after the other: of a number, and of a gradient."""
    found = defaultdict(list)
    for key in runs.keys():
        for row in runs.by[key]:
            if "probe" in row:
                (_, one), (many, all_) = sorted((int(n), t) for n, t in row["probe"].items())
                found[key[2]].append((one, (all_ - one) / (8 * key[2] * (many - 1))))
    middle = {ranks: [statistics.median(each) for each in zip(*times)] for ranks, times in sorted(found.items())}
    return {ranks: model.Wire(one, 0, max(0.0, byte)) for ranks, (one, byte) in middle.items()}


def fitted(runs):
    """The core, the wire by ranks, and what moves of each method ask for."""
    core = core_of(runs)
    counts = {"adam": model.adam(statistics.median(gathers(runs.by[k][0]) for k in runs.keys("adam") if k[2] > 1))}
    for method in ("ssbroyden", "levenberg_marquardt"):
        many = runs.keys(method, 2)
        if many:
            each = {k[1]: counted(runs, k) for k in many}
            counts[method] = each
    for method, name in (("ssbroyden", "square"), ("levenberg_marquardt", "dense")):
        found = []
        for key in runs.keys(method, 1):
            net = key[1]
            if net not in counts.get(method, {}):
                continue
            rest = model.step(core, model.Wire(), method, counts[method][net], net, 1).time
            per = net.parameters**2 if method == "ssbroyden" else model.dense_flops(net, net.points)
            found.append((net.parameters, (runs.seconds(*key) - rest) / per))
        if found:  # of the largest: its matrices are in memory, not in a cache
            setattr(core, name, max(found)[1])
    return core, wires(runs), counts
