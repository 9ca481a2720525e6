"""Burgers' problem trained in PyTorch: Adam, then SSBroyden (optimize.py), as the problem file of pinn has it.

The residual takes three channels, u, u_x and u_t - nu u_xx, by hand through the layers, and is compiled together with its
gradient: the fastest of torch_step.py. Points are columns, which took two thirds of the time that they take as rows.
"""
import torch

import burgers
import optimize
import training
from torch_common import versions


def loss(params, h, form, weights):
    for l in range(0, len(params) - 2, 2):
        z, z_x, z_q = (params[l] @ h).chunk(3, 1)
        a = torch.tanh(z + params[l + 1][:, None])
        s = 1 - a * a
        h = torch.cat([a, s * z_x, s * z_q + 2 * burgers.NU * a * s * z_x * z_x], 1)
    n, n_x, n_q = (params[-2] @ h).chunk(3, 1)
    return (weights * burgers.residual_of_three(form, n[0] + params[-1], n_x[0], n_q[0]) ** 2).sum()


class Objective:
    def __init__(self, layers, arrays):
        self.params = [p.requires_grad_() for w, b in layers for p in (torch.tensor(w.T.copy()), torch.tensor(b))]
        self.compiled = torch.compile(loss, fullgraph=True, dynamic=False)
        self.take(arrays)

    def take(self, arrays):
        self.arrays = [torch.tensor(array) for array in arrays]

    def gradient(self):
        value = self.compiled(self.params, *self.arrays)
        return value, torch.autograd.grad(value, self.params)

    def parts(self, flat):
        return [part.view_as(p) for p, part in zip(self.params, torch.from_numpy(flat).split([p.numel() for p in self.params]))]

    def at(self, flat):
        """Value and gradient as numpy has them."""
        with torch.no_grad():
            for p, part in zip(self.params, self.parts(flat)):
                p.copy_(part)
        value, grads = self.gradient()
        return float(value.detach()), torch.cat([g.ravel() for g in grads]).numpy()

    def flat(self):
        return torch.cat([p.detach().ravel() for p in self.params]).numpy()

    def layers(self, flat):
        return pairs([part.numpy() for part in self.parts(flat)])


def pairs(arrays):
    """(weight [in, out], bias) of each layer."""
    return [(w.T, b) for w, b in zip(arrays[::2], arrays[1::2])]


def main():
    opts = training.options()
    torch.set_num_threads(1)
    begin = training.Beginning(opts)
    objective = Objective(begin.inputs.layers, begin.first())
    begin.check(pairs([g.numpy() for g in objective.gradient()[1]]))
    method = None
    diary = training.Diary(opts, versions(), lambda points: burgers.value(
        points, opts.periodic, objective.layers(method.p if method else objective.flat())))

    adam = torch.optim.Adam(objective.params, lr=begin.rate, betas=(begin.beta1, begin.beta2), eps=begin.epsilon, fused=True)
    for step in range(1, opts.first + 1):
        for p, g in zip(objective.params, objective.gradient()[1]):
            p.grad = g
        adam.step()
        if not diary.after(step):
            return

    for step in range(opts.first, opts.last):
        if step % opts.redraw == 0:
            objective.take(begin.redrawn())
            if method:
                method.objective_changed()
        method = method or optimize.SsBroyden(objective.flat(), objective.at)
        method.step()
        if not diary.after(step + 1):
            return


main()
