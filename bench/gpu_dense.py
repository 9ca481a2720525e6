#!/usr/bin/env python3
"""Times of a GPU's own libraries for the dense algebra of second-order methods: one JSON line for each size.

    bench/gpu_dense.py [--rows 10000] [--columns 1000 3000]

Rows of J, in float64: its QR, J^T J, the Cholesky factor of that, its eigenvalues and vectors, and a pass over a square
matrix (read, updated by two vectors, multiplied), which is SSBroyden's move. By PyTorch, that is cuSOLVER and cuBLAS.
"""
import argparse
import json

import torch


def milliseconds(act, count=5):
    act()
    times = []
    for _ in range(count):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        act()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[count // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10000)
    parser.add_argument("--columns", type=int, nargs="+", default=[1000, 3000])
    opts = parser.parse_args()
    for columns in opts.columns:
        j = torch.randn(opts.rows, columns, dtype=torch.float64, device="cuda")
        square = j.T @ j + torch.eye(columns, dtype=torch.float64, device="cuda")
        u, v = j[:2, :].contiguous()

        def move():
            square.addr_(u, v, alpha=1e-12)
            return square @ u

        print(json.dumps({
            "device": torch.cuda.get_device_name(), "torch": torch.__version__, "rows": opts.rows, "columns": columns,
            "qr_ms": milliseconds(lambda: torch.geqrf(j), 3),
            "gram_ms": milliseconds(lambda: j.T @ j),
            "cholesky_ms": milliseconds(lambda: torch.linalg.cholesky(square)),
            "eigen_ms": milliseconds(lambda: torch.linalg.eigh(square), 1),
            "update_and_product_ms": milliseconds(move)}), flush=True)


main()
