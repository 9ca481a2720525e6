"""All cases of a workload in one table, held to what pinn promises."""

# At least so many times as fast, by width. 256 points or fewer at width 20 ask for what 10 000 do.
OVER_EAGER = {"f32": {20: 11, 64: 6, 128: 4, 256: 3}, "f64": {}}
OVER_BEST = {"f32": {20: 8, 64: 3.5, 128: 2.5, 256: 2.1}, "f64": {20: 5, 64: 4, 128: 3.3, 256: 3}}
SHARE = {"f32": {20: 0.58, 64: 0.72, 128: 0.75, 256: 0.72}, "f64": {}}
ON_GPU = {"eager": 5, "best": 3, "share": 0.6}  # the share where products are large
RUN = [("torch-eager", 6), ("jax", 4), ("pinn-taylor", 2), ("pinn-reverse", 10)]
HESSIAN_OVER_EAGER = 1.1
ASKED = ["jacobian-times", "transposed-times", "jacobian-rows", "gram"]  # of least-squares
STEPS = ["levenberg-marquardt", "natural-gradient"]  # of second-order
STEP_OVER_JAX, SMALL_STEP_OVER_JAX = 1, 2  # the second up to 1000 parameters
OVER_JAX, SHARE_OF_ROWS = 5, 0.6  # the share of rows of J and of K, from width 64 on


def held(value, bar, at_least=True, text="{:.2f}"):
    """The value, in bold where the bar does not hold."""
    if value is None:
        return ""
    shown = text.format(value)
    if bar is None:
        return shown
    good = value >= bar if at_least else value <= bar
    return f"{shown} (bar {text.format(bar)})" if good else f"**{shown}** (bar {text.format(bar)})"


def four_channels(name):
    return not name.startswith("pinn-") and "taylor3" not in name


def asked_for(ours, bars):
    """The share of the peak at which we would be so many times as fast as each peer."""
    times = [bar * ours.median / peer.median for peer, bar in bars if peer and bar]
    return f"{max(times) * ours.share:.0%}" if times and ours.share else ""


def step(results):
    lines = ["| step | dtype | threads | pinn-compiled ms | times its roofline | share of peak | torch-eager / pinn "
             "| best peer, as people write it | it / pinn | share that both bars ask for "
             "| algorithm: 4 / 3 channels | execution: 3 channels / pinn |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for m in results:
        ours = m.row("pinn-compiled")
        if not ours:
            continue
        c, best = m.case, m.best(four_channels)
        width, dtype = c["width"], c["dtype"]
        share_bar = SHARE[dtype].get(width) if c["points"] >= 10000 else None
        eager_bar = OVER_EAGER[dtype].get(width) if c["points"] >= 10000 else None
        best_bar = OVER_BEST[dtype].get(width)
        if c["device"] != "cpu":
            eager_bar, best_bar = ON_GPU["eager"], ON_GPU["best"]
            share_bar = ON_GPU["share"] if width >= 256 and c["points"] >= 100000 else None
        lines.append("| " + " | ".join([
            f"{width}, {c['layers']}, {c['points']}", dtype, str(c["threads"]), f"{ours.median:.3g}",
            f"{ours.median / ours.roofline():.2f}", held(ours.share, share_bar, text="{:.0%}"),
            held(m.ratio("torch-eager", "pinn-compiled"), eager_bar),
            best.name if best else "",
            held(best and best.median / ours.median, best_bar),
            asked_for(ours, [(m.row("torch-eager"), eager_bar), (best, best_bar)]),
            held(m.ratio("torch-taylor-compile", "torch-taylor3-compile"), None),
            held(m.ratio("torch-taylor3-compile", "pinn-compiled"), None)]) + " |")
    return lines


def run(results):
    lines = ["| burgers-run | dtype | threads | pinn-compiled ms | best peer | it / pinn | "
             + " | ".join(f"{name} / pinn" for name, _ in RUN) + " |", "|" + "---|" * (6 + len(RUN))]
    for m in results:
        ours, best = m.row("pinn-compiled"), m.best(four_channels)
        if not ours:
            continue
        cells = [m.case["optimizer"], m.case["dtype"], str(m.case["threads"]), f"{ours.median:.3g}",
                 best.name if best else "", held(best and best.median / ours.median, None)]
        for name, bar in RUN:
            other = m.best(lambda row: row.startswith(name))
            cells.append(held(other and other.median / ours.median, bar))
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def hessian(results):
    lines = ["| w-hess | dtype | threads | pruned ms | unpruned / pruned | pruned / taylor | pruned / torch-eager "
             "| best peer | pruned / it | taylor / it |", "|---|---|---|---|---|---|---|---|---|---|"]
    for m in results:
        for last in ("", " backward"):
            def named(way):
                return f"pinn-{m.case['activation']} {way}{last}"
            ours, by_taylor = m.row(named("pruned")), m.row(named("taylor"))
            if not ours:
                continue
            best = m.best(lambda n: not n.startswith("pinn-") and n.endswith(" backward") == bool(last))
            lines.append("| " + " | ".join([
                m.case["activation"] + last, m.case["dtype"], str(m.case["threads"]), f"{ours.median:.3g}",
                held(m.ratio(named("unpruned"), named("pruned")), None),
                held(m.ratio(named("pruned"), named("taylor")), 2),
                held(m.ratio(named("pruned"), "torch-eager" + last), HESSIAN_OVER_EAGER, at_least=False),
                best.name if best else "", held(best and ours.median / best.median, None),
                held(best and by_taylor and by_taylor.median / best.median, None)]) + " |")
    return lines


def least_squares(results):
    lines = ["| least-squares | dtype | threads | asked for | pinn ms | share of peak | jax / pinn "
             "| share that this bar asks for |", "|" + "---|" * 8]
    for m in results:
        for asked in ASKED:
            ours, width = m.row(f"pinn-{asked}"), m.case["width"]
            if not ours:
                continue
            bar = SHARE_OF_ROWS if width >= 64 and asked in ("jacobian-rows", "gram") else None
            lines.append("| " + " | ".join([
                f"{width}, {m.case['layers']}, {m.case['points']}", m.case["dtype"], str(m.case["threads"]), asked,
                f"{ours.median:.3g}", held(ours.share, bar, text="{:.0%}"),
                held(m.ratio(f"jax-{asked}", ours.name), OVER_JAX),
                asked_for(ours, [(m.row(f"jax-{asked}"), OVER_JAX)])]) + " |")
    return lines


def second_order(results):
    lines = ["| second-order | parameters | threads | step | pinn ms | jax / pinn |", "|" + "---|" * 6]
    for m in results:
        width, layers = m.case["width"], m.case["layers"]
        parameters = 3 * width + (layers - 1) * width * (width + 1) + width + 1
        for step in STEPS:
            ours = m.row(f"pinn-{step}")
            if not ours:
                continue
            bar = SMALL_STEP_OVER_JAX if parameters <= 1000 else STEP_OVER_JAX
            lines.append("| " + " | ".join([
                f"{width}, {layers}, {m.case['points']}", str(parameters), str(m.case["threads"]), step,
                f"{ours.median:.4g}", held(m.ratio(f"jax-{step}", ours.name), bar)]) + " |")
    return lines


SUMMARIES = {"step": step, "burgers-run": run, "w-hess": hessian, "least-squares": least_squares,
             "second-order": second_order}


def summary(workload, results):
    mine = [m for m in results if m.case["workload"] == workload]
    return SUMMARIES[workload](mine) + [""] if mine else []
