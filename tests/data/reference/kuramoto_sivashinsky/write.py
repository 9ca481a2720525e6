#!/usr/bin/env python3
"""Writes values.csv: Kuramoto and Sivashinsky's equation at some points, by another method than data/reference has.

    cd tests/data/reference/kuramoto_sivashinsky && python3 write.py > values.csv

Fourier modes up to 2/3 of what the points tell apart, which leaves no aliases in u^2; the linear part exact by an integrating
factor; what is left by the classical method of Runge and Kutta, with one step length and with half of it, and both
extrapolated. What these two differ by, and what a run with 3/4 of the points does, is printed beside (stderr).
"""
import sys

import numpy as np

A, B, G = 100 / 16, 100 / 16 ** 2, 100 / 16 ** 4
TIMES = [0.1, 0.2, 0.35, 0.6, 1.0]
NODES = 128  # of the references, along x
COLUMNS = [0, 19, 37, 101]


def slope(v, k, kept):
    u = np.fft.irfft(v)
    return -0.5j * A * k * kept * np.fft.rfft(u * u)


def modes(n, length):
    """At TIMES, by steps of about that length, each time by a whole number of them."""
    x = 2 * np.pi * np.arange(n) / n
    k = np.arange(n // 2 + 1)
    kept, rate = k <= n // 3, B * k ** 2 - G * k ** 4
    v, now, found = np.fft.rfft(np.cos(x) * (1 + np.sin(x))), 0.0, []
    for end in TIMES:
        steps = round((end - now) / length)
        h = (end - now) / steps
        half, whole = np.exp(rate * h / 2), np.exp(rate * h)
        for _ in range(steps):
            f1 = slope(v, k, kept)
            f2 = slope(half * (v + h / 2 * f1), k, kept)
            f3 = slope(half * v + h / 2 * f2, k, kept)
            f4 = slope(whole * v + h * half * f3, k, kept)
            v = whole * v + h / 6 * (whole * f1 + 2 * half * (f2 + f3) + f4)
        now = end
        found.append(v / n)
    return found


def values(v):
    """At COLUMNS of the nodes."""
    x, k = 2 * np.pi * np.array(COLUMNS) / NODES, np.arange(len(v))
    return v[0].real + 2 * (np.exp(1j * np.outer(x, k[1:])) @ v[1:]).real


def at_points(n, length):
    return np.array([values(v) for v in modes(n, length)])


def main():
    n, length = 512, 2.5e-5
    long, short = at_points(n, length), at_points(n, length / 2)
    found = short + (short - long) / 15
    fewer = at_points(3 * n // 4, length)
    for row, t in enumerate(TIMES):
        print(f"t = {t}: step lengths differ by {np.abs(short - long)[row].max():.1e}, points by "
              f"{np.abs(fewer - long)[row].max():.1e}", file=sys.stderr)
    print("t,x,u")
    for row, t in enumerate(TIMES):
        for column, u in zip(COLUMNS, found[row]):
            print(f"{t:.17g},{2 * np.pi * column / NODES:.17g},{u:.15g}")


main()
