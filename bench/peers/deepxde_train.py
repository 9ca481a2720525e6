"""Burgers' problem as DeepXDE's own example has it, by its defaults (PyTorch): three hidden layers of 20 tanh, soft start and
walls, 2540 points of the domain, 80 of the walls, 160 of the start, 15000 steps of Adam at 1e-3, then L-BFGS.

Two things differ from the example: time ends at 1 and not at 0.99, and L-BFGS comes back every 100 moves to be judged.
"""
import os

os.environ["DDE_BACKEND"] = "pytorch"

import deepxde as dde
import numpy as np
import torch

import burgers
import training


class Judge(dde.callbacks.Callback):
    """Stops where the diary does. An epoch is a step of Adam, or 100 moves of L-BFGS."""

    def __init__(self, opts):
        super().__init__()
        self.opts, self.diary, self.over = opts, None, False

    def u(self, points):
        return self.model.predict(points.astype(dde.config.real(np)))[:, 0]

    def on_epoch_end(self):
        if self.diary is None:  # the first one compiles
            self.diary = training.Diary(self.opts, {"deepxde": dde.__version__, "torch": torch.__version__}, self.u)
        if not self.diary.after(self.model.train_state.iteration):
            self.over = self.model.stop_training = True


def residual(x, u):
    u_x, u_t = dde.grad.jacobian(u, x, i=0, j=0), dde.grad.jacobian(u, x, i=0, j=1)
    return u_t + u * u_x - burgers.NU * dde.grad.hessian(u, x, i=0, j=0)


def model():
    domain = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 1))
    walls = dde.icbc.DirichletBC(domain, lambda x: 0, lambda _, on: on)
    start = dde.icbc.IC(domain, lambda x: -np.sin(np.pi * x[:, 0:1]), lambda _, on: on)
    data = dde.data.TimePDE(domain, residual, [walls, start], num_domain=2540, num_boundary=80, num_initial=160)
    return dde.Model(data, dde.nn.FNN([2] + [20] * 3 + [1], "tanh", "Glorot normal"))


def main():
    opts = training.options()
    torch.set_num_threads(1)
    dde.config.set_default_float(opts.dtype)
    dde.config.set_random_seed(opts.seed)
    dde.optimizers.config.LBFGS_options.update(iter_per_step=100, fun_per_step=125)
    training_of, judge = model(), Judge(opts)
    training_of.compile("adam", lr=1e-3)
    training_of.train(iterations=15000, callbacks=[judge], verbose=0)
    if not judge.over:
        training_of.compile("L-BFGS")
        training_of.train(callbacks=[judge], verbose=0)


main()
