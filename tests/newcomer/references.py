#!/usr/bin/env python3
"""Writes the references of problems without a closed solution, and readings, beside itself.

    python3 tests/newcomer/references.py        (needs nothing else; takes a minute)

Runge and Kutta's method of order four; the printed figures are the largest difference from twice as
many steps (and, for Gray and Scott's reaction, twice as many points).
"""
import csv
import math
import random
from pathlib import Path

here = Path(__file__).parent


def write(name, columns, rows):
    with open(here / name, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows([f"{round(value, 9) + 0:.10g}" for value in row] for row in rows)


def path(slope, state, end, records, steps):
    """The state at `records` equal distances of time, `steps` steps in each."""
    h, way = end / (records * steps), [list(state)]
    plus = lambda a, b, s: [x + s * y for x, y in zip(a, b)]
    for _ in range(records):
        for _ in range(steps):
            k1 = slope(state)
            k2 = slope(plus(state, k1, h / 2))
            k3 = slope(plus(state, k2, h / 2))
            k4 = slope(plus(state, k3, h))
            state = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(state, k1, k2, k3, k4)]
        way.append(list(state))
    return way


def difference(a, b):
    return max(abs(x - y) for row, other in zip(a, b) for x, y in zip(row, other))


def of_time(name, columns, slope, start, end, records=100):
    way, finer = (path(slope, start, end, records, steps) for steps in (50, 100))
    print(name, difference(way, finer))
    write(name, ["t", *columns], [[end * i / records, *row[: len(columns)]] for i, row in enumerate(finer)])


def gray_scott(points):
    """u and v in turn at `points` places of -1 <= x < 1, at times 0, 50, ..., 500."""
    du, dv, feed, kill, dx = 1e-4, 5e-5, 0.04, 0.06, 2 / points
    near, far, mid = 16 / (12 * dx * dx), -1 / (12 * dx * dx), -30 / (12 * dx * dx)

    def curvature(a):
        n = len(a)
        return [far * (a[i - 2] + a[(i + 2) % n]) + near * (a[i - 1] + a[(i + 1) % n]) + mid * a[i] for i in range(n)]

    def slope(state):
        u, v = state[:points], state[points:]
        eaten = [a * b * b for a, b in zip(u, v)]
        u_t = [du * c - e + feed * (1 - a) for c, e, a in zip(curvature(u), eaten, u)]
        v_t = [dv * c + e - (feed + kill) * b for c, e, b in zip(curvature(v), eaten, v)]
        return u_t + v_t

    bumps = [math.exp(-80 * (-1 + dx * i) ** 2) for i in range(points)]
    way = path(slope, [1 - b / 2 for b in bumps] + [b / 4 for b in bumps], 500, 10, points * points // 250)
    step = points // 40
    return [[50 * k, -1 + i / 20, state[i * step], state[points + i * step]] for k, state in enumerate(way) for i in range(40)]


of_time("lotka_volterra.csv", ["h", "l"], lambda s: [1.1 * s[0] - 0.4 * s[0] * s[1], 0.1 * s[0] * s[1] - 0.4 * s[1]], [2, 1], 10)
of_time("pendulum.csv", ["theta"], lambda s: [s[1], -math.sin(s[0])], [2, 0], 10)

dice = random.Random(1)
readings = []
for _ in range(200):
    x, t = dice.uniform(-1, 1), dice.uniform(0, 1)
    u = math.exp(-0.05 * math.pi**2 * t) * math.sin(math.pi * (x - 0.5 * t))
    readings.append([x, t, u + dice.gauss(0, 0.01)])
write("two_unknowns.csv", ["x", "t", "u"], readings)

coarse, fine = gray_scott(200), gray_scott(400)
print("gray_scott.csv", difference(coarse, fine))
write("gray_scott.csv", ["t", "x", "u", "v"], fine)
