"""How long a step takes on R ranks: what bench/scaling.py fits to runs, and then asks about ranks that are not there.

The first half repeats, in the words of solvers/residual, how points are cut into chunks and shared out; what it says of
the numbers that go around is held against what went around in the runs. The second half is time.
"""
import math
from dataclasses import dataclass
from functools import lru_cache

USUAL_CHUNKS, MOST_CHUNKS, FLOPS_PER_SUM = 16, 4096, 12000  # solvers/residual/loss/reduction.cpp
VALUE = 1 / 3  # of a gradient's work, what a loss or a residual alone takes


@dataclass(frozen=True)
class Net:
    """A network 2, width x layers, 1 and the points of one requirement with one residual."""
    width: int
    layers: int
    points: int
    planned: int = 120  # points worked on together, as pinn-train --check says

    @property
    def block(self):
        """As even_block (autograd/program/plan.cpp): hardly more blocks, about equally long."""
        blocks, line = math.ceil(self.points / self.planned), 8
        if blocks <= 1:
            return self.planned
        blocks = math.ceil(blocks / 16) * 16 if blocks > 16 else blocks + blocks % 2
        lines = math.ceil(math.ceil(self.points / blocks) / line)
        return min(self.planned, (lines + (lines % 4 == 0)) * line)

    @property
    def parameters(self):
        w, layers = self.width, self.layers
        return 3 * w + (layers - 1) * (w * w + w) + w + 1

    @property
    def product_flops(self):
        """Of a point and its gradient: three channels, once forward and twice back."""
        return 18 * (self.layers - 1) * self.width**2

    @property
    def elements(self):
        """Activations of a point, in three channels."""
        return 3 * self.layers * self.width

    @property
    def sums(self):
        return self.parameters + 1


def chunk_count(net):
    blocks = math.ceil(net.points / net.block)
    count = min(blocks, USUAL_CHUNKS)
    flops = net.product_flops * net.points / net.sums
    while 2 * count <= min(blocks, MOST_CHUNKS) and 2 * count * FLOPS_PER_SUM <= flops:
        count *= 2
    return count


def subtrees(net, hands):
    """The first point of each subtree, and the end."""
    count, size = chunk_count(net), 1
    while count // (2 * size) >= max(USUAL_CHUNKS, 4 * hands):
        size *= 2
    blocks = math.ceil(net.points / net.block)
    return [blocks * chunk // count * net.block for chunk in range(0, count, size)] + [net.points]


def shares(firsts, ranks):
    """The first subtree of each rank, and the end; as ProcessGroup::shares."""
    sizes = [b - a for a, b in zip(firsts, firsts[1:])]
    first, before, at = [0], 0, 0
    for rank in range(1, ranks):
        while at < len(sizes) and before + sizes[at] / 2 < firsts[-1] * rank / ranks:
            before += sizes[at]
            at += 1
        first.append(at)
    return first + [len(sizes)]


def spans(first, last, count):
    """The sums that are left of subtrees first ... last - 1 when the tree has added what it can."""
    at, left = first, 0
    while at < last:
        apart = 1
        while at % (2 * apart) == 0 and apart < count and min(at + 2 * apart, count) <= last:
            apart *= 2
        left, at = left + 1, at + apart
    return left


@dataclass(frozen=True)
class Share:
    points: int  # of the rank that has most
    spans: tuple  # of each rank: so many gradients it gives to the others


@lru_cache
def shared_out(net, ranks, threads=1):
    firsts = subtrees(net, ranks * threads)
    first = shares(firsts, ranks)
    count = len(firsts) - 1
    return Share(max(firsts[b] - firsts[a] for a, b in zip(first, first[1:])),
                 tuple(spans(a, b, count) for a, b in zip(first, first[1:])))


@dataclass
class Core:
    """What a core takes, in seconds."""
    element: float = 0  # per activation of a point and its gradient
    flop: float = 0  # per operation in its products
    parameter: float = 0  # of an evaluation and a move, per parameter: weights repacked, Adam, bookkeeping
    number: float = 0  # per number of a gather: copied, and added
    square: float = 0  # of a move of SSBroyden, per square of the parameters
    dense: float = 0  # of a step of Levenberg-Marquardt, per operation of dense algebra

    def of_points(self, net, points):
        return points * (net.elements * self.element + net.product_flops * self.flop)


@dataclass
class Wire:
    """What a gather takes when all ranks are there, in seconds."""
    latency: float = 0
    message: float = 0  # for each other rank: one is sent to it, and one received
    byte: float = 0

    def gather(self, ranks, numbers):
        return self.latency + (ranks - 1) * self.message + 8 * numbers * self.byte


@dataclass
class Counts:
    """What a move asks for."""
    gradients: float = 1
    values: float = 0  # losses without a gradient
    rows: float = 0  # residuals, or products J v: a number for each point goes around
    small: float = 0  # gathers of a number for each rank

    @property
    def gathers(self):
        return self.gradients + self.values + self.rows + self.small

    @property
    def sweeps(self):
        return self.gradients + VALUE * (self.values + self.rows)


def adam(gathers=1.2):
    """A gradient, and every ten steps a loss for the record, after which ranks compare their parameters."""
    return Counts(1, 0.1, 0, gathers - 1.1)


def own_work(core, method, net):
    """What every rank does alike, beside the points."""
    if method == "ssbroyden":
        return core.square * net.parameters**2
    if method == "levenberg_marquardt":
        return core.dense * dense_flops(net, net.points)
    return 0.0


def dense_flops(net, rows):
    return 2 * rows * net.parameters**2 + 10 / 3 * net.parameters**3


@dataclass
class Parts:
    """Of a step, in seconds."""
    points: float
    own: float
    numbers: float
    messages: float

    @property
    def time(self):
        return self.points + self.own + self.numbers + self.messages


def step(core, wire, method, counts, net, ranks, threads=1, cores=None, delay=0.0):
    """`cores`: how many there are for all ranks, where that is fewer than they would take."""
    share = shared_out(net, ranks, threads)
    own = own_work(core, method, net) + max(1, counts.gradients) * core.parameter * net.parameters
    points = counts.sweeps * core.of_points(net, share.points / threads)
    if cores and ranks * threads > cores:  # others of the same cores come first
        points = max(points, counts.sweeps * core.of_points(net, net.points / cores))
        own *= ranks * threads / cores
    if ranks == 1:
        return Parts(points, own, 0, 0)
    numbers = sum(share.spans) * net.sums
    copied = counts.gradients * numbers * core.number * (max(1, ranks / cores) if cores else 1)
    messages = (counts.gradients * wire.gather(ranks, numbers + ranks) + counts.rows * wire.gather(ranks, net.points)
                + (counts.values + counts.small) * wire.gather(ranks, 2 * ranks) + delay * counts.gathers)
    return Parts(points, own, copied, messages)


def step_by_tree(core, wire, method, counts, net, ranks, threads=1, shares_own=False):
    """If ranks added gradients along the tree, halving what they exchange, then doubling it, and a rank's share were
    blocks, not chunks. `shares_own`: and if they shared out what the optimizer does, as rows of its matrix, or as leaves
    of one QR factorization whose triangles go up the tree, and each a damping."""
    hands, levels, p = ranks * threads, math.log2(ranks), net.parameters
    blocks = math.ceil(net.points / net.block)
    points = counts.sweeps * core.of_points(net, min(net.points / threads, math.ceil(blocks / hands) * net.block))
    message = wire.latency + wire.message
    exchange = 2 * levels * message + 2 * 8 * p * wire.byte * (ranks > 1)
    own = max(1, counts.gradients) * core.parameter * p
    numbers = counts.gradients * 3 * p * core.number * (ranks > 1)
    rows = 2 * levels * message + 8 * net.points * wire.byte * (ranks > 1)
    messages = counts.gradients * exchange + counts.rows * rows + (counts.values + counts.small) * 2 * levels * message
    if not shares_own:
        own += own_work(core, method, net)
    elif method == "ssbroyden":
        own += core.square * p * p / hands
        messages += 2 * exchange  # of H y and H g each rank has a part
    elif method == "levenberg_marquardt":
        dampings = 5
        triangles = 2 / 3 * math.log2(hands) + 10 / 3 / min(hands, dampings)
        own += core.dense * (2 * net.points / hands * p * p + triangles * p**3)
        messages += levels * (message + 8 * p * p / 2 * wire.byte)
    return Parts(points, own, numbers, messages)
