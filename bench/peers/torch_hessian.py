"""W-HESS in PyTorch: every second derivative of a network's three outputs by its two inputs.

  torch-eager            nested torch.autograd.grad, as in the benchmark's source
  torch-func             vmap of jacfwd of jacrev
  ... backward           also the gradient of the sum of the Hessian, added to .grad
"""
import torch
from torch import func

import peer
from torch_common import ACTIVATIONS, finished, in_pinns_order, network, prepare, versions


def eager(params, x, f):
    x = x.clone().requires_grad_()
    u = network(params, x, f)
    ones = torch.ones(x.shape[0], dtype=x.dtype, device=x.device)
    jacobian = [torch.autograd.grad(u[:, i], x, ones, create_graph=True)[0] for i in range(3)]
    rows = [torch.autograd.grad(row[:, j], x, ones, create_graph=True)[0] for row in jacobian for j in range(2)]
    return torch.stack(jacobian), torch.stack(rows)


def functional(params, x, f):
    def u_of(point):
        return network(params, point, f)

    def jacobian_twice(point):
        j = func.jacrev(u_of)(point)
        return j, j

    h, j = func.vmap(func.jacfwd(jacobian_twice, has_aux=True))(x)
    return j.permute(1, 0, 2), h.permute(1, 2, 0, 3).reshape(6, x.shape[0], 2)


def main():
    opts = peer.options()
    x, params = prepare(opts, outputs=3)
    f = ACTIVATIONS[opts.activation]
    backward = opts.row.endswith(" backward")
    iteration = {"torch-eager": eager, "torch-func": functional}[opts.row.removesuffix(" backward")]
    last = {}

    def act():
        last["hessian"] = iteration(params, x, f)[1]
        if backward:
            last["hessian"].sum().backward()

    def results():
        for p in params:
            p.grad = None
        act()
        arrays = {"hessian": last["hessian"].detach().cpu().numpy()}
        if backward:
            arrays["gradient"] = in_pinns_order([p.grad if p.grad is not None else torch.zeros_like(p)
                                                 for p in params])
        return arrays

    peer.serve(opts, versions(), finished(opts, act), results)


main()
