"""A program's values and derivatives, gone through in every way by PyTorch."""
import functools
import math

import torch
import torch.autograd.forward_ad as forward
from torch_calls import CHECKPOINT, NO_GRAD, PACKED, Call, perform

DTYPES = {"float64": torch.float64, "float32": torch.float32}


@functools.lru_cache(1000)
def pattern_of(shape, dtype, start, step, modulus):
    numbers = torch.arange(math.prod(shape), dtype=dtype).reshape(shape)
    return ((numbers * step + start) % modulus - modulus // 2) / 4


def pattern(like, *words):
    return pattern_of(like.shape, like.dtype, *words).clone()


def seed(like, i):
    return pattern(like, 3 * i, 7, 11)


def direction(like, i):
    return pattern(like, 2 * i + 1, 5, 9)


class Program:
    """One program, gone through in every way."""

    def __init__(self, told):
        self.told = told
        self.calls = [Call(line) for line in told["calls"]]
        dtype = DTYPES[told["dtype"]]
        self.starts = [torch.tensor(values, dtype=dtype).reshape(shape) for shape, values in told["inputs"]]

    def leaves_open(self, way):
        """Where it is no derivative, or not PyTorch's: what a second pass scales depends on what formulas read; tangents
        that change unrecorded have no history of their own; PyTorch's saved tensors have the tangents of what was
        changed since, where it does not see the change."""
        scales = any(call.op == "double gradient" for call in self.calls)
        changes = {call.setting for call in self.calls if call.change}
        hides = NO_GRAD in changes or (changes and any(call.setting in (PACKED, CHECKPOINT) for call in self.calls))
        return ((way.startswith("reverse over") and scales) or (way == "reverse over forward" and NO_GRAD in changes)
                or (way == "forward over reverse" and hides and not self.told["derives"]))

    def inputs(self, requires_grad):
        return [start.clone().requires_grad_(requires_grad) for start in self.starts]

    def results(self, inputs):
        return perform(self.calls, self.told["results"], inputs)

    def pulled(self, y, x, seed_of=seed, **options):
        of = [(t, seed_of(t, i)) for i, t in enumerate(y) if t.requires_grad]
        if not of:
            return [torch.zeros_like(t) for t in x]
        outputs, seeds = zip(*of)
        return torch.autograd.grad(outputs, x, seeds, materialize_grads=True, **options)

    def value(self):
        with torch.no_grad():
            return self.results(self.inputs(False))

    def gradient(self):
        x = self.inputs(True)
        return self.pulled(self.results(x), x)

    def reverse_over_reverse(self):
        x = self.inputs(True)
        return self.pulled(self.pulled(self.results(x), x, create_graph=True), x, direction)

    def duals(self, x):
        return [forward.make_dual(t, direction(t, i)) for i, t in enumerate(x)]

    def tangents(self, y):
        found = [forward.unpack_dual(t).tangent for t in y]
        return [torch.zeros_like(t) if g is None else g for t, g in zip(y, found)]

    def tangent(self):
        with forward.dual_level():
            return self.tangents(self.results(self.duals(self.inputs(False))))

    def forward_over_reverse(self):
        with forward.dual_level():
            x = self.inputs(True)
            return self.tangents(self.pulled(self.results(self.duals(x)), x, create_graph=True))

    def reverse_over_forward(self):
        with forward.dual_level():
            x = self.inputs(True)
            return self.pulled(self.tangents(self.results(self.duals(x))), x)

    def found(self, way):
        try:
            return [t.detach() + 0 for t in getattr(self, way.replace(" ", "_"))()]  # + 0: with memory of its own
        except (RuntimeError, NotImplementedError) as error:
            return f"{type(error).__name__}: {error}".splitlines()[0]
