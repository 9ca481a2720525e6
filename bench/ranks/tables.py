"""The tables of bench/scaling.py, in Markdown."""
import statistics

from ranks import fit, model


def us(seconds):
    return f"{1e6 * seconds:.3g}" if seconds < 1e-4 else f"{1e6 * seconds:.0f}"


def ms(seconds):
    return f"{1e3 * seconds:.3g}"


def counts_of(counts, method, net):
    each = counts[method]
    return each if isinstance(each, model.Counts) else each[net]


def head(*names):
    print("\n| " + " | ".join(names) + " |\n|" + "---|" * len(names))


def size(net):
    return f"{net.width}, {net.layers}, {net.points}"


def parameters(core, wires):
    head("fitted", "value")
    for name, value, unit in (
            ("a point and its gradient, per activation and channel", core.element, "s"),
            ("per operation in products", core.flop, "s"),
            ("an evaluation and a move, per parameter", core.parameter, "s"),
            ("a number of a gather, copied and added", core.number, "s"),
            ("a move of SSBroyden, per square of the parameters", core.square, "s"),
            ("a step of Levenberg-Marquardt, per operation of dense algebra", core.dense, "s")):
        print(f"| {name} | {value:.2e} {unit} |")
    head("ranks here", "a gather of a number each, us", "per byte that arrives, ns")
    for ranks, wire in wires.items():
        if ranks > 1:
            print(f"| {ranks} | {us(wire.latency)} | {1e9 * wire.byte:.3f} |")


def against(runs, core, wires, counts, cores):
    head("method", "width, layers, points", "ranks", "measured us", "model us", "off by", "points", "own", "numbers",
         "messages")
    off = []
    for key in runs.keys():
        method, net, ranks, threads, _ = key
        try:
            c = counts_of(counts, method, net)
        except KeyError:
            continue
        parts = model.step(core, wires.get(ranks, model.Wire()), method, c, net, ranks, 1, cores)
        seconds = runs.seconds(*key)
        off.append(abs(parts.time / seconds - 1))
        of_parts = [parts.points, parts.own, parts.numbers, parts.messages]
        print(f"| {method} | {size(net)} | {ranks} | {us(seconds)} | {us(parts.time)} "
              f"| {100 * (parts.time / seconds - 1):+.0f} % | " + " | ".join(map(us, of_parts)) + " |")
    print(f"\nOff by {100 * statistics.median(off):.0f} % (median), {100 * max(off):.0f} % (worst).")


def went_around(runs):
    head("method", "width, layers, points", "ranks", "gathers a step", "numbers of each rank in a gradient's", "of the model")
    for key in runs.keys():
        method, net, ranks = key[:3]
        row = runs.by[key][0]
        if ranks == 1 or "gathers" not in row:
            continue
        said = [s * net.sums for s in model.shared_out(net, ranks).spans]
        print(f"| {method} | {size(net)} | {ranks} | {fit.gathers(row):.2f} | {', '.join(map(str, row['own']))} "
              f"| {', '.join(map(str, said))} |")


def delays(runs):
    each = sorted({k[4] for k in runs.keys("adam", delay=None)} - {0.0})
    head("width, layers, points", "ranks", "us a step without", *(f"+ {us(delay)} us" for delay in each),
         "slope: messages one after the other", "gathers a step, counted")
    cases = sorted({(k[1], k[2]) for k in runs.keys("adam", delay=None) if k[4] > 0},
                   key=lambda k: (k[0].points, k[1]))
    for net, ranks in cases:
        keys = [k for k in runs.keys("adam", ranks, delay=None) if k[1] == net and k[4] > 0]
        if ("adam", net, ranks, 1, 0.0) not in runs.by or len(keys) < len(each):
            continue
        without = runs.seconds("adam", net, ranks, 1, 0.0)
        x, y = [k[4] for k in keys], [runs.seconds(*k) for k in keys]
        mean_x, mean_y = statistics.mean(x), statistics.mean(y)
        slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)
        row = runs.by[keys[0]][0]
        counted = sum(row["gathers"].values()) / row["gradients"]
        print(f"| {size(net)} | {ranks} | " + " | ".join(map(us, [without, *y])) + f" | {slope:.2f} | {counted:.2f} |")


def paired(runs):
    head("width, layers, points", "1 rank x 2 threads, us", "2 ranks x 1 thread, us", "ratio, median of pairs")
    for key in runs.keys("adam", 1, 2):
        net = key[1]
        of_two = {row["round"]: row["seconds"] for row in runs.by["adam", net, 2, 1, 0.0]}
        pairs = [(row["seconds"], of_two[row["round"]]) for row in runs.by[key] if row["round"] in of_two]
        ratios = [b / a for a, b in pairs]
        middle = [us(statistics.median(each)) for each in zip(*pairs)]
        print(f"| {size(net)} | {' | '.join(middle)} | {statistics.median(ratios):.3f} ({len(pairs)} pairs, "
              f"{min(ratios):.3f} to {max(ratios):.3f}) |")


def added(runs):
    """What a rank that has no points adds: 64 points are one block."""
    head("width, layers, points", "runs of each", "1 rank, us: least, median", "2 ranks", "more by",
         "processor time of the rank without points, us")
    for key in runs.keys("adam", 1):
        net = key[1]
        if net.points > net.block:
            continue
        one = [row["seconds"] for row in runs.by[key]]
        rows = runs.by["adam", net, 2, 1, 0.0]
        two = [row["seconds"] for row in rows]
        both = [(min(t), statistics.median(t)) for t in (one, two)]
        more = [b - a for a, b in zip(*both)]
        work = [min(row["work"]) for row in rows]
        print(f"| {size(net)} | {len(one)} | " + " | ".join(", ".join(map(us, t)) for t in [*both, more])
              + f" | {us(min(work))}, {us(statistics.median(work))} |")


RANKS = (1, 64, 1024, 16384)
DESIGNS = {"now": model.step, "sums along the tree": model.step_by_tree,
           "and the optimizer shared out": lambda *a: model.step_by_tree(*a, shares_own=True)}
STRONG = [("adam", model.Net(20, 8, 10**6)), ("adam", model.Net(128, 4, 10**6, 40)),
          ("ssbroyden", model.Net(20, 8, 10**6)), ("levenberg_marquardt", model.Net(20, 3, 10**5))]
WEAK = [("adam", model.Net(20, 8, 10**4)), ("adam", model.Net(128, 4, 10**4, 40)),
        ("ssbroyden", model.Net(20, 8, 10**4)), ("levenberg_marquardt", model.Net(20, 3, 500))]


def predicted(core, wire, counts):
    for title, cases, weak in (("Strong: as many points, whatever the ranks", STRONG, False),
                               ("Weak: so many points for each rank", WEAK, True)):
        print(f"\n**{title}**")
        last = [] if weak else ["fastest at"]
        head("method", "width, layers, points", "design", *(f"{r} ranks, ms" for r in RANKS), *last, "half as efficient at")
        for method, net in cases:
            for name, design in DESIGNS.items():
                if method == "adam" and name.startswith("and"):
                    continue
                row(core, wire, method, typical(counts, method), net, name, design, weak)
    cores_as(core, wire, counts)


def typical(counts, method):
    """As the program is now, and as the largest network that was measured."""
    if method == "adam":
        return model.adam()
    found = counts[method][max(counts[method], key=lambda net: net.parameters)]
    return model.Counts(found.gradients, small=0.1) if method == "ssbroyden" else found


def row(core, wire, method, c, net, name, design, weak):
    def time(ranks):
        many = net if not weak else model.Net(net.width, net.layers, net.points * ranks, net.planned)
        return design(core, wire, method, c, many, ranks).time

    powers = [2**k for k in range(15)]
    times = {r: time(r) for r in powers}
    one = model.step(core, wire, method, c, net, 1).time
    efficiency = {r: one / times[r] / (1 if weak else r) for r in powers}
    half = next((r for r in powers if efficiency[r] < 0.5), None)
    told = [ms(one)]
    for r in RANKS[1:]:
        told.append(f"{ms(times[r])} " + (f"({100 * efficiency[r]:.0f} %)" if weak else f"(x {one / times[r]:.3g})"))
    fastest = [] if weak else [str(min(times, key=times.get))]
    print(f"| {method} | {size(net)} | {name} | " + " | ".join([*told, *fastest, str(half or "beyond 16384")]) + " |")


def cores_as(core, wire, counts):
    print("\n**The same cores as more ranks, or as more threads of each; adam, now**")
    head("width, layers, points", "cores", *(f"{t} threads a rank, ms" for t in (1, 8, 64)))
    for net in (model.Net(20, 8, 10**6), model.Net(128, 4, 10**6, 40)):
        for cores in (1024, 16384):
            times = [model.step(core, wire, "adam", model.adam(), net, cores // t, t).time for t in (1, 8, 64)]
            print(f"| {size(net)} | {cores} | " + " | ".join(map(ms, times)) + " |")


def all_measured(runs, core, wires, counts, cores):
    parameters(core, wires)
    against(runs, core, wires, counts, cores)
    went_around(runs)
    delays(runs)
    paired(runs)
    added(runs)
