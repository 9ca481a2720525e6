"""The calls of a program, as PyTorch does them."""

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

FLOATS = {0: torch.float64, 1: torch.float32}
NO_GRAD, CHECKPOINT, PACKED = 1, 2, 3


def power(x, call):
    return torch.pow(x, int(call.number) if call.number == int(call.number) else call.number)


def comparison(of):
    return lambda c, x, y: of(x, y).to(x.dtype)


def embed(c, x):
    axis, begin, shape = c.whole[0], c.whole[1], c.whole[2:]
    after = shape[axis] - begin - x.shape[axis]
    parts = [x.new_zeros([n if i == axis else s for i, s in enumerate(shape)]) for n in (begin, after)]
    return torch.cat([parts[0], x, parts[1]], axis)


def contract(c, x, g):
    return x.reshape(-1, x.shape[-1]).mT @ g.reshape(-1, g.shape[-1]) if x.numel() and g.numel() else (
        x.unsqueeze(-1) * g.unsqueeze(-2)).sum(tuple(range(x.dim() - 1)))


def linear(c, x, w, b):
    """A jet's layer: the bias is added to channel 0."""
    y = x @ w
    return torch.cat([y[:, :1] + b, y[:, 1:]], 1)


def sech2(c, x):
    return 1 / torch.cosh(x) ** 2


def reshape(c, x):
    return x.view(c.whole[1:]) if c.whole[0] else x.clone(memory_format=torch.contiguous_format).view(c.whole[1:])


MAKERS = {
    "neg": lambda c, x: -x,
    "square": lambda c, x: torch.square(x),
    "recip": lambda c, x: torch.reciprocal(x),
    "power": lambda c, x: power(x, c),
    "gaussian": lambda c, x: torch.exp(-x * x),
    "sech2": sech2,
    "softplus": lambda c, x: torch.nn.functional.softplus(x, threshold=1e30),
    "silu": lambda c, x: torch.nn.functional.silu(x),
    "gelu": lambda c, x: torch.nn.functional.gelu(x),
    "step": lambda c, x: torch.sign(torch.relu(x)),  # whose gradient is a zero that is written
    "add": lambda c, x, y: x + y,
    "sub": lambda c, x, y: x - y,
    "mul": lambda c, x, y: x * y,
    "div": lambda c, x, y: x / y,
    "pow": lambda c, x, y: torch.pow(x, y),
    "min": lambda c, x, y: torch.minimum(x, y),
    "max": lambda c, x, y: torch.maximum(x, y),
    "less": comparison(torch.lt),
    "less_equal": comparison(torch.le),
    "greater": comparison(torch.gt),
    "greater_equal": comparison(torch.ge),
    "masked": lambda c, x, m: x * m,
    "add number": lambda c, x: x + c.number,
    "mul number": lambda c, x: c.number * x,
    "where": lambda c, m, x, y: torch.where(m != 0, x, y),
    "cast": lambda c, x: x.to(FLOATS[c.whole[0]]),
    "sum": lambda c, x: x.sum(),
    "mean": lambda c, x: x.mean(),
    "sum over": lambda c, x: x.sum(c.whole[:-1], keepdim=bool(c.whole[-1])),
    "mean over": lambda c, x: x.mean(c.whole[:-1], keepdim=bool(c.whole[-1])),
    "sum to": lambda c, x: x.sum_to_size(c.whole),
    "reshape": reshape,
    "transpose": lambda c, x: x.transpose(c.whole[0], c.whole[1]),
    "slice": lambda c, x: x.narrow(c.whole[0], c.whole[1], c.whole[2] - c.whole[1]),
    "select": lambda c, x: x.select(c.whole[0], c.whole[1]),
    "expand": lambda c, x: x if list(x.shape) == c.whole else x.expand(c.whole),
    "embed": embed,
    "concat": lambda c, *x: torch.cat(x, c.whole[0]),
    "stack": lambda c, *x: torch.stack(x, c.whole[0]),
    "gather": lambda c, x: x.index_select(c.whole[0], torch.tensor(c.whole[1:], dtype=torch.int64)),
    "matmul": lambda c, x, w: x @ w,
    "contract": contract,
    "linear": linear,
    "clone": lambda c, x: x.clone(),
    "detach": lambda c, x: x.detach(),
    "same": lambda c, x: x,
}
for name in "sqrt exp log sin cos tan atan sinh cosh erf tanh sigmoid sign relu abs atan2".split():
    MAKERS[name] = lambda c, *x, of=getattr(torch, name): of(*x)

CHANGES = {"add in place": "add_", "sub in place": "sub_", "mul in place": "mul_", "div in place": "div_",
           "copy in place": "copy_"}


def apart(x, changed, change):
    """x, in memory of its own where PyTorch's tangents need that: those of x.mul_(x) read what they have changed, and
    what is copied has the tangent of its source, also when that is changed."""
    shares = x.untyped_storage().data_ptr() == changed.untyped_storage().data_ptr()
    return x.clone() if shares or change == "copy_" else x


def doubled(t):
    return 2 * t if t.is_floating_point() else t


def halved(t):
    return t / 2 if t.is_floating_point() else t


class Call:
    def __init__(self, line):
        self.op, self.on, self.whole, self.number, self.setting = line
        self.change = CHANGES.get(self.op)
        self.make = MAKERS.get(self.op)

    def perform(self, tensors):
        x = [tensors[i] for i in self.on]
        if self.change:
            getattr(x[0], self.change)(apart(x[1], x[0], self.change))
        elif self.op == "double gradient":
            if x[0].requires_grad:
                x[0].register_hook(lambda g: 2 * g)
        elif self.setting == CHECKPOINT and torch.is_grad_enabled():
            tensors.append(checkpoint(self.make, self, *x, use_reentrant=False, preserve_rng_state=False))
        elif self.setting == PACKED:
            with saved_tensors_hooks(doubled, halved):
                tensors.append(self.make(self, *x))
        else:
            tensors.append(self.make(self, *x))


def perform(calls, results, inputs):
    tensors = list(inputs)
    for call in calls:
        if call.setting == NO_GRAD:
            with torch.no_grad():
                call.perform(tensors)
        else:
            call.perform(tensors)
    return [tensors[i] for i in results]
