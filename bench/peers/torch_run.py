"""Whole training steps of Burgers' problem (configs/burgers.toml) in PyTorch: loss, gradient, optimizer.

  torch-eager            nested torch.autograd.grad, as PINNs are usually written
  torch-taylor           N, N_x, N_t, N_xx carried through the layers by hand
  torch-taylor-compile   the same under torch.compile

The optimizer is torch.optim.Adam(fused=True), or the SSBroyden method of optimize.py.
"""
import torch
import torch.nn.functional as F

import burgers
import optimize
import peer
from torch_common import in_pinns_order, network, prepare, versions


class Eager:
    def __init__(self, x, dtype):
        self.x, self.t = x[:, 0:1].clone().requires_grad_(), x[:, 1:2].clone().requires_grad_()

    def __call__(self, params):
        x, t = self.x, self.t
        n = network(params, torch.cat([x, 2 * t - 1], 1), torch.tanh)
        u = -torch.sin(torch.pi * x) + t * (1 - x * x) * n
        ones = torch.ones_like(u)
        u_x, u_t = torch.autograd.grad(u, (x, t), ones, create_graph=True)
        u_xx, = torch.autograd.grad(u_x, x, ones, create_graph=True)
        return u_t + u * u_x - burgers.NU * u_xx


class Taylor:
    def __init__(self, x, dtype):
        self.z = torch.cat([torch.cat([x[:, 0:1], 2 * x[:, 1:2] - 1], 1), *torch.tensor(
            [[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], dtype=dtype)[:, None].expand(3, x.shape[0], 2)])
        self.form = {k: torch.tensor(v, dtype=dtype) for k, v in burgers.form(x.double().numpy()).items()}

    def __call__(self, params):
        h = self.z
        for l in range(0, len(params) - 2, 2):
            z, z_x, z_t, z_xx = F.linear(h, params[l]).chunk(4)
            a = torch.tanh(z + params[l + 1])
            s = 1 - a * a
            h = torch.cat([a, s * z_x, s * z_t, s * z_xx - 2 * a * s * z_x * z_x])
        n, n_x, n_t, n_xx = F.linear(h, params[-2]).chunk(4)
        return burgers.residual(self.form, n + params[-1], n_x, n_t, n_xx)


def main():
    opts = peer.options()
    x, params = prepare(opts, outputs=1)
    weights = torch.tensor(peer.read(opts, "weights")[:, None], dtype=x.dtype)
    residual = {"torch-eager": Eager, "torch-taylor": Taylor}[opts.row.removesuffix("-compile")](x, x.dtype)

    def loss(params):
        return (weights * residual(params) ** 2).sum()

    if opts.row.endswith("-compile"):
        loss = torch.compile(loss, fullgraph=True, dynamic=False)
    first = [p.detach().clone() for p in params]

    def restore():
        with torch.no_grad():
            for p, q in zip(params, first):
                p.copy_(q)

    def gradient():
        return torch.autograd.grad(loss(params), params)

    class Adam:
        def begin(self):
            restore()
            rate, beta1, beta2, epsilon = peer.read(opts, "optimizer")
            self.adam = torch.optim.Adam(params, lr=rate, betas=(beta1, beta2), eps=epsilon, fused=True)

        def step(self):
            self.adam.zero_grad(set_to_none=True)
            loss(params).backward()
            self.adam.step()

        def loss(self):
            return float(loss(params).detach())

    class SsBroyden:
        """Parameters and curvature in float64, whatever a step computes in."""

        def begin(self):
            restore()
            flat = torch.cat([p.detach().double().ravel() for p in params]).numpy()
            self.method = optimize.SsBroyden(flat, self.value_and_gradient)

        def value_and_gradient(self, flat):
            self.put(flat)
            value = loss(params)
            grads = torch.autograd.grad(value, params)
            return float(value.detach()), torch.cat([g.ravel() for g in grads]).double().numpy()

        def put(self, flat):
            with torch.no_grad():
                for p, part in zip(params, torch.from_numpy(flat).split([p.numel() for p in params])):
                    p.copy_(part.view_as(p))

        def step(self):
            self.method.step()

        def loss(self):
            return self.method.value

    training = SsBroyden() if opts.optimizer == "ssbroyden" else Adam()
    peer.serve_training(opts, versions(), training, lambda: (restore(), in_pinns_order(gradient()))[1])


main()
