#!/usr/bin/env python3
"""Writes trajectories.txt: what PyTorch's optimizers do to three small problems, in float64.

    python3 -m venv venv && venv/bin/pip install torch==2.15.0
    venv/bin/python trajectories.py > trajectories.txt

A line is: case, moves made, loss, parameters; moves 1 to 5, every tenth to 50, every 100th to 1000,
and 1001 - with L-BFGS until it has converged. The problems, also in test_trajectories.cpp:

    net         sum of the outputs of a 2-3-1 network of sigmoids at the points
                (0.1, 0.2), (0.3, 0.4), (0.5, 0.6); parameters W1 [3, 2], b1 [3], W2 [1, 3], b2 [1],
                the k-th of them 0.1 (k + 1) (-1)^k
    net_fit     sum over the points of (output - x sin 5y)^2, plus 0.01 |p|^2, times 1e10
    bowl        sum_i c_i (cosh x_i - 1) + (x_i - x_{i+1})^2 in 12 dimensions, times 1e10, with
                c_i = 1, ..., 30000 in geometric progression, from (1, 1, ..., 1)

L-BFGS runs with its tolerances at zero and 25 trials a search: its defaults would stop it earlier.
The factor 1e10 is for its rule to leave out pairs with s.y <= 1e-10, whatever the size of the loss;
ours compares with |s||y|, and the factor keeps either rule from leaving out a pair.
"""
import torch

MOVES = 1001
CONVERGED = 10  # largest component of the gradient with L-BFGS, where it has a factor 1e10


POINTS = torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], dtype=torch.float64)


def outputs(p):
    hidden = torch.sigmoid(POINTS @ p[0:6].view(3, 2).T + p[6:9])
    return torch.sigmoid(hidden @ p[9:12] + p[12])


def net(p):
    return outputs(p).sum()


def net_fit(p):
    targets = POINTS[:, 0] * torch.sin(5 * POINTS[:, 1])
    return 1e10 * (((outputs(p) - targets) ** 2).sum() + 0.01 * (p**2).sum())


def bowl(p):
    c = torch.tensor([30000 ** (i / 11) for i in range(12)], dtype=torch.float64)
    return 1e10 * ((c * (torch.cosh(p) - 1)).sum() + ((p[1:] - p[:-1]) ** 2).sum())


def net_start():
    return [0.1 * (k + 1) * (-1) ** k for k in range(13)]


def lbfgs(p, history):
    return torch.optim.LBFGS([p], lr=1, max_iter=1, max_eval=26, tolerance_grad=0,
                             tolerance_change=0, history_size=history,
                             line_search_fn="strong_wolfe")


CASES = {
    "adam": (net, net_start(), lambda p: torch.optim.Adam([p], lr=1e-2)),
    "adamw": (net, net_start(), lambda p: torch.optim.AdamW([p], lr=1e-2, weight_decay=0.1)),
    "sgd": (net, net_start(),
            lambda p: torch.optim.SGD([p], lr=1e-2, momentum=0.9, weight_decay=0.01)),
    "lbfgs_net": (net_fit, net_start(), lambda p: lbfgs(p, 10)),
    "lbfgs_bowl": (bowl, [1.0] * 12, lambda p: lbfgs(p, 100)),
}


def run(case, objective, start, optimizer):
    p = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    optimizer = optimizer(p)

    def closure():
        optimizer.zero_grad()
        loss = objective(p)
        loss.backward()
        return loss

    for moves in range(1, MOVES + 1):
        optimizer.step(closure)
        loss = closure().item()
        converged = case.startswith("lbfgs") and p.grad.abs().max() < CONVERGED
        shown = moves <= 5 or moves in (10, 20, 30, 40, 50, MOVES) or moves % 100 == 0
        if shown or converged:
            print(case, moves, *(f"{x:.17g}" for x in [loss] + p.tolist()))
        if converged:
            return


print(f"# made by trajectories.py with PyTorch {torch.__version__.split('+')[0]}")
for name, (objective, start, optimizer) in CASES.items():
    run(name, objective, start, optimizer)
