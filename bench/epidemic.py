"""Writes the reports of an epidemic that configs/sir.toml reads, and prints what the truth is.

The model of Kermack and McKendrick by Runge-Kutta of order 4 in steps of 1/100 day (steps of 1/50 give
the same to 1e-9); noise by the generator of Python's `random` with the seed that is written out.
"""
import random

BETA, GAMMA, FIRST = 0.45, 0.18, 0.005  # per day, per day, share infected on day 0
DAYS, NOISE, SEED = 60, 0.005, 20261123


def slope(y):
    s, i = y
    return (-BETA * s * i, BETA * s * i - GAMMA * i)


def course(steps_of_day):
    """The shares infected and removed at the end of each day."""
    h, y, rows = 1 / steps_of_day, (1 - FIRST, FIRST), [(FIRST, 0.0)]
    for _ in range(DAYS):
        for _ in range(steps_of_day):
            a = slope(y)
            b = slope([v + h / 2 * k for v, k in zip(y, a)])
            c = slope([v + h / 2 * k for v, k in zip(y, b)])
            d = slope([v + h * k for v, k in zip(y, c)])
            y = tuple(v + h / 6 * (k + 2 * l + 2 * m + n) for v, k, l, m, n in zip(y, a, b, c, d))
        rows.append((y[1], 1 - y[0] - y[1]))
    return rows


def reported(value, rng):
    """Noise; one report of twelve is missing, one of twenty ten times too large or a tenth."""
    value += rng.gauss(0, NOISE)
    if rng.random() < 1 / 12:
        return "NA"
    if rng.random() < 1 / 20:
        value *= rng.choice([0.1, 10])
    return f"{value:.4f}"


def main():
    rng = random.Random(SEED)
    truth = course(100)
    coarse = course(50)
    apart = max(abs(a - b) for p, q in zip(truth, coarse) for a, b in zip(p, q))
    print(f"# beta {BETA}, gamma {GAMMA}, infected {FIRST}; steps of 1/50 day differ by {apart:.0e}")
    with open("configs/sir_reports.csv", "w") as file:
        file.write("day,infected,removed\n")
        for day, shares in enumerate(truth):
            cells = [reported(share, rng) for share in shares]
            if 33 <= day < 40:  # a week without reports of the infected
                cells[0] = ""
            file.write(f"{day}," + ",".join(cells) + "\n")


if __name__ == "__main__":
    main()
