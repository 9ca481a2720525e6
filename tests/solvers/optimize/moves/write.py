#!/usr/bin/env python3
"""Writes moves.csv: what each kind of optimizer does to the problem of problem.py, as its papers
and solvers/optimize/kinds.h have it, in numpy and by the plainest algebra that there is for it.

    cd tests/solvers/optimize/moves && python3 write.py > moves.csv

A line is: case, moves made, loss after them, parameters. A case is a kind, and after a slash what
is particular about it; test_moves.cpp has the options of each.
"""
from functools import partial
from itertools import islice

import numpy as np

from damped_squares import levenberg_marquardt, sketched_gauss_newton
from draws import Random
from first_order import Adam, Muon, Soap, adam, by_matrix, cosine, sgd
from kfac import kfac
from low_rank import natural_gradient, nystrom_newton_cg
from problem import SHAPES, Problem, start
from quasi_newton import lbfgs, ssbroyden

MOVES = 8
MANY, FEW = Problem([20, 16, 14]), Problem([7, 5, 4])  # rows: 50 and 16, for 23 parameters
SQUARE = [(4, 4), (1, 3), (2, 2)]  # sides as long as ranks, so that every eigenvector is one; in
# their axes some of the first gradient is rounding alone, which an epsilon of 1e-3 is far above
DRAWN = Random(seed=0x123456789AB, stream=0xFEDCBA9876543210)

CASES = {
    "adam": (MANY, partial(adam, rate=0.05, rates=cosine(0.05, MOVES, 3))),
    "adam/clipped": (MANY, partial(adam, rate=0.05, clip=0.5)),
    "adamw": (MANY, partial(adam, rate=0.05, decay=0.1)),
    "sgd": (MANY, partial(sgd, rate=0.05, momentum=0.9, decay=0.01)),
    "muon": (MANY, partial(by_matrix, shapes=SHAPES, rule=partial(Muon, 0.05, decay=0.1),
                           rest=partial(Adam, 0.05, decay=0.1))),
    "soap": (MANY, partial(by_matrix, shapes=SQUARE,
                           rule=partial(Soap, 0.05, decay=0.1, epsilon=1e-3),
                           rest=partial(Adam, 0.05, decay=0.1, epsilon=1e-3))),
    "soap/refresh": (MANY, partial(by_matrix, shapes=SQUARE,
                                   rule=partial(Soap, 0.05, refresh=3, epsilon=1e-3),
                                   rest=partial(Adam, 0.05, epsilon=1e-3))),
    "lbfgs": (MANY, partial(lbfgs, history=100)),
    "lbfgs/short": (MANY, partial(lbfgs, history=3)),
    "ssbroyden": (MANY, ssbroyden),
    "levenberg_marquardt": (MANY, levenberg_marquardt),
    "levenberg_marquardt/straight":
        (FEW, partial(levenberg_marquardt, geodesic=False, damping=0.02)),
    "levenberg_marquardt/few": (FEW, levenberg_marquardt),
    "levenberg_marquardt/uncorrected": (MANY, partial(levenberg_marquardt, corrections=0)),
    "sketched_gauss_newton": (MANY, partial(sketched_gauss_newton, sketch=8, random=DRAWN)),
    "sketched_gauss_newton/all": (MANY, partial(sketched_gauss_newton, sketch=23, random=DRAWN)),
    "sketched_gauss_newton/few": (FEW, partial(sketched_gauss_newton, sketch=8, random=DRAWN)),
    "natural_gradient": (MANY, partial(natural_gradient, damping=1e-4)),
    "natural_gradient/own": (MANY, partial(natural_gradient, damping=1e-10)),
    "natural_gradient/momentum": (MANY, partial(natural_gradient, damping=1e-3, momentum=0.6)),
    "natural_gradient/few": (FEW, partial(natural_gradient, damping=1e-4)),
    "natural_gradient/few_momentum": (FEW, partial(natural_gradient, damping=1e-3, momentum=0.6)),
    "natural_gradient/rank": (MANY, partial(natural_gradient, damping=1e-3, rank=6, random=DRAWN)),
    "natural_gradient/rank_momentum":
        (FEW, partial(natural_gradient, damping=1e-3, momentum=0.6, rank=5, random=DRAWN)),
    "kfac": (MANY, kfac),
    "kfac/damped": (MANY, partial(kfac, damping=1e-2)),
    "nystrom_newton_cg": (MANY, partial(nystrom_newton_cg, damping=0.01, refresh=1, random=DRAWN)),
    "nystrom_newton_cg/kept": (MANY, partial(nystrom_newton_cg, damping=0.01, random=DRAWN)),
    "nystrom_newton_cg/rank":
        (MANY, partial(nystrom_newton_cg, damping=0.2, rank=6, refresh=3, random=DRAWN)),
}

# What conjugate gradients make of a Hessian that is not positive definite, preconditioned by an
# old one, hangs on rounding: from a start that is moved in its 14th digit numpy's own path parts
# from this at move 7.
FEWER = {"nystrom_newton_cg/kept": 5}

if __name__ == "__main__":
    print("# made by tests/solvers/optimize/moves/write.py")
    print("case,moves,loss," + ",".join(f"p{k}" for k in range(len(start()))))
    for case, (problem, method) in CASES.items():
        print(f"{case},0,{problem.loss(start()):.17g}," + ",".join(f"{x:.17g}" for x in start()))
        for move, p in enumerate(islice(method(problem, start()), FEWER.get(case, MOVES)), 1):
            print(f"{case},{move},{problem.loss(p):.17g}," + ",".join(f"{x:.17g}" for x in p))
