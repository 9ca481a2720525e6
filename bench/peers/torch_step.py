"""The step in PyTorch: mean square of u_t + u u_x - nu u_xx, and its gradient by the parameters.

  torch-eager            nested torch.autograd.grad, as PINNs are usually written
  torch-func             torch.func: jvp, jvp of jvp, and grad
  torch-taylor           u, u_x, u_t, u_xx carried through the layers by hand
  torch-taylor3          u, u_x and q = u_t - nu u_xx, which travel through the layers alike
  ...-compile            the same under torch.compile
  ...-graph              the same, forward and backward captured in one CUDA graph
"""
import math

import torch
import torch.nn.functional as F
from torch import func

import peer
from torch_common import finished, in_pinns_order, network, prepare, versions

NU = 0.01 / math.pi


def eager(params, x):
    x = x.detach().requires_grad_()
    u = network(params, x, torch.tanh)
    du = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
    u_x, u_t = du[:, 0:1], du[:, 1:2]
    u_xx = torch.autograd.grad(u_x, x, torch.ones_like(u_x), create_graph=True)[0][:, 0:1]
    return ((u_t + u * u_x - NU * u_xx) ** 2).mean()


def functional(params, x):
    along_x = torch.tensor([[1.0, 0.0]], dtype=x.dtype, device=x.device).expand_as(x)
    along_t = torch.tensor([[0.0, 1.0]], dtype=x.dtype, device=x.device).expand_as(x)

    def u_of(points):
        return network(params, points, torch.tanh)

    def u_and_ux(points):
        return func.jvp(u_of, (points,), (along_x,))

    (u, u_x), (_, u_xx) = func.jvp(u_and_ux, (x,), (along_x,))
    u_t = func.jvp(u_of, (x,), (along_t,))[1]
    return ((u_t + u * u_x - NU * u_xx) ** 2).mean()


def taylor(params, x):
    """Four channels, one above the other, one product per layer; d/dz tanh = s = 1 - h^2, d/dz s = -2 h s."""
    ones = torch.ones_like(x[:, :1])
    none = torch.zeros_like(ones)
    h = torch.cat([x, torch.cat([ones, none], 1), torch.cat([none, ones], 1), torch.zeros_like(x)])
    for l in range(0, len(params) - 2, 2):
        z, z_x, z_t, z_xx = F.linear(h, params[l]).chunk(4)
        a = torch.tanh(z + params[l + 1])
        s = 1 - a * a
        h = torch.cat([a, s * z_x, s * z_t, s * z_xx - 2 * a * s * z_x * z_x])
    u, u_x, u_t, u_xx = last_layer(params, h, 4)
    return ((u_t + u * u_x - NU * u_xx) ** 2).mean()


def taylor3(params, x):
    """Three channels: q(f(z)) = f'(z) q(z) - nu f''(z) z_x^2."""
    ones = torch.ones_like(x[:, :1])
    none = torch.zeros_like(ones)
    h = torch.cat([x, torch.cat([ones, none], 1), torch.cat([none, ones], 1)])
    for l in range(0, len(params) - 2, 2):
        z, z_x, z_q = F.linear(h, params[l]).chunk(3)
        a = torch.tanh(z + params[l + 1])
        s = 1 - a * a
        h = torch.cat([a, s * z_x, s * z_q + 2 * NU * a * s * z_x * z_x])
    u, u_x, q = last_layer(params, h, 3)
    return ((q + u * u_x) ** 2).mean()


def last_layer(params, h, channels):
    """Channel by channel: over all rows at once the gradient by the weights of one output, a sum of 65536 products
    in float32, was off by 8e-5 of the largest entry (PyTorch 2.15, width 256, 16384 points), and so by 2e-6."""
    u, *others = (F.linear(channel, params[-2]) for channel in h.chunk(channels))
    return u + params[-1], *others


LOSSES = {"torch-eager": eager, "torch-func": functional, "torch-taylor": taylor, "torch-taylor3": taylor3}


def captured(act):
    """act as one CUDA graph; what it leaves stays where it is from call to call."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):  # compiles, and makes what libraries make once
            act()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        act()
    return graph.replay


def main():
    opts = peer.options()
    x, params = prepare(opts, outputs=1)
    row = opts.row.removesuffix("-graph")
    compiled = row.endswith("-compile")
    loss = LOSSES[row.removesuffix("-compile")]
    if compiled:
        loss = torch.compile(loss, fullgraph=True, dynamic=False)
    gradient = {}

    if row == "torch-func":
        leaves = tuple(p.detach() for p in params)
        by_params = func.grad_and_value(loss)

        def act():
            gradient["now"] = by_params(leaves, x)[0]
    else:
        def act():
            gradient["now"] = torch.autograd.grad(loss(params, x), params)

    if opts.row.endswith("-graph"):
        act = captured(act)
    peer.serve(opts, versions(), finished(opts, act), lambda: {"gradient": in_pinns_order(gradient["now"])})


main()
