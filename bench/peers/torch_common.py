"""Networks and activations as a user of PyTorch writes them."""
import torch
import torch.nn.functional as F

import peer

ACTIVATIONS = {"tanh": torch.tanh, "relu": torch.relu, "silu": F.silu}


def prepare(opts, outputs):
    """(points, weights [out, in] and biases as leaves in layer order)."""
    torch.set_num_threads(opts.threads)
    dtype = torch.float32 if opts.dtype == "f32" else torch.float64
    inputs = peer.Inputs(opts, outputs)
    params = []
    for w, b in inputs.layers:
        params.append(torch.tensor(w.T.copy(), dtype=dtype, device=opts.device).requires_grad_())
        params.append(torch.tensor(b, dtype=dtype, device=opts.device).requires_grad_())
    return torch.tensor(inputs.x, dtype=dtype, device=opts.device), params


def finished(opts, act):
    """act, done when it returns: work on a GPU goes on behind one's back."""
    if opts.device == "cpu":
        return act

    def act_and_wait():
        act()
        torch.cuda.synchronize()

    return act_and_wait


def network(params, x, f):
    h = x
    for l in range(0, len(params) - 2, 2):
        h = f(F.linear(h, params[l], params[l + 1]))
    return F.linear(h, params[-2], params[-1])


def in_pinns_order(grads):
    return peer.flat_gradient([(w.detach().cpu().T.numpy(), b.detach().cpu().numpy())
                               for w, b in zip(grads[::2], grads[1::2])])


def versions():
    return {"torch": torch.__version__, "capability": torch.backends.cpu.get_cpu_capability()}
