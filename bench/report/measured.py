"""What one case came to, and its table."""
import statistics

from report import roofline
from report.summary import ASKED, STEPS


def title(case):
    parts = [f"width {case['width']}"]
    if "layers" in case:
        parts.append(f"{case['layers']} layers")
    parts.append(f"{case['points']} points")
    parts += [case[key] for key in ("activation", "optimizer") if key in case]
    place = f"threads: {case['threads']}" if case["device"] == "cpu" else f"on {case['device']}"
    return f"{case['workload']}: {', '.join(parts)}, {case['dtype']}, {place}"


class Row:
    """Times in ms."""

    def __init__(self, case, contender, peak):
        c = contender
        self.name, self.differences, self.resident = c.name, c.differences, c.resident()
        self.median, self.least = 1e3 * statistics.median(c.wall), 1e3 * min(c.wall)
        self.cpu, self.samples = 1e3 * statistics.median(c.cpu), len(c.wall)
        self.share = self.products = self.elementwise = None
        if peak is None:
            return
        flops = c.ready.get("product_flops")
        if "layers" in case and case["workload"] not in ("least-squares", "second-order"):
            self.products, self.elementwise = roofline.roofline_ms(case, c.name, peak)
            flops = flops or roofline.product_operations(case, roofline.channels(c.name))
        if flops:
            peaks = c.peak or [peak] * len(c.wall)  # its own, around each sample, or the run's
            self.share = statistics.median(1e-9 * flops / t / p for t, p in zip(c.wall, peaks))

    def roofline(self):
        return None if self.products is None else self.products + self.elementwise


class Measured:
    def __init__(self, case, contenders):
        peaks = [p for c in contenders for p in c.peak]
        self.case, self.peak = case, statistics.median(peaks) if peaks else None
        self.rows = sorted((Row(case, c, self.peak) for c in contenders), key=lambda r: r.median)

    def row(self, name):
        return next((r for r in self.rows if r.name == name), None)

    def best(self, wanted):
        """The fastest of the rows whose names are wanted."""
        return next((r for r in self.rows if wanted(r.name)), None)

    def ratio(self, over, under):
        """How many times as long one row takes as another; None where one is missing."""
        over, under = self.row(over), self.row(under)
        return over.median / under.median if over and under else None

    def table(self):
        lines = [f"### {title(self.case)}", ""]
        if self.peak:
            what = "FMA peak" if self.case["device"] == "cpu" else "Products of 4096 x 4096 matrices"
            lines += [f"{what} in the same run: {self.peak:.0f} GF/s.", ""]
        lines += ["| row | median ms | least ms | CPU ms | samples | times the fastest of pinn | share of peak "
                  "| roofline ms | differences | MiB |", "|---|---|---|---|---|---|---|---|---|---|"]
        for alike in self.alike():
            lines += self.group(alike)
        return lines + [""] + self.parts()

    def alike(self):
        """Rows that compute the same."""
        if self.case["workload"] == "least-squares":
            return [[r for r in self.rows if r.name.endswith(asked)] for asked in ASKED]
        if self.case["workload"] == "second-order":
            return [[r for r in self.rows if r.name.endswith(step)] for step in STEPS]
        return [[r for r in self.rows if r.name.endswith(" backward") == backward] for backward in (False, True)]

    def group(self, rows):
        own = [r.median for r in rows if r.name.startswith("pinn-")]
        for r in rows:
            ratio = f"{r.median / min(own):.2f}" if own else ""
            share = f"{100 * r.share:.0f} %" if r.share else ""
            roof = f"{r.roofline():.3g}" if r.roofline() else ""
            off = ", ".join(f"{k} {v:.0e}" for k, v in r.differences.items())
            yield (f"| {r.name} | {r.median:.3g} | {r.least:.3g} | {r.cpu:.3g} | {r.samples} | {ratio} | {share} "
                   f"| {roof} | {off} | {r.resident:.0f} |")

    def parts(self):
        """Where the time of the compiled step goes, as far as the roofline tells."""
        r = self.row("pinn-compiled")
        if not r or not r.roofline():
            return []
        products, elementwise = 100 * r.products / r.median, 100 * r.elementwise / r.median
        rest = 100 - products - elementwise
        return [f"Of pinn-compiled: products at peak {products:.0f} %, elementwise arithmetic at peak {elementwise:.0f} "
                f"%, the rest {rest:.0f} % (traffic, products below the peak, starting and summing).", ""]
