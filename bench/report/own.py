"""Workloads that have no peers: what pinn-bench says of them, as a table."""
import json
import subprocess

from report.contender import say

SHOWN = ["threads", "median_ms", "least_ms", "share_of_peak", "first_step_ms", "points_mib", "peak_mib",
         "above_points_mib", "tensor_bytes", "packed_bytes", "peak_bytes", "anonymous_peak"]


def own(pinn, arguments, folder):
    """Lines of Markdown, and whether all was valid."""
    say(" ".join(arguments))
    done = subprocess.run([pinn, *arguments, "--folder", folder], capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    lines = [f"### {' '.join(arguments)}", ""]
    rows = [a for a in answers if "row" in a]
    keys = [k for k in SHOWN if any(k in a for a in rows)]
    if rows:
        lines += ["| row | " + " | ".join(keys) + " |", "|" + "---|" * (len(keys) + 1)]
        lines += ["| " + " | ".join([a["row"]] + [number(a.get(k)) for k in keys]) + " |" for a in rows]
        lines.append("")
    ratios = [a for a in answers if "ratios" in a]
    if ratios:  # medians over samples that ran one after the other
        keys = [k for k in ratios[0] if "_to_" in k]
        lines += ["| ratios | " + " | ".join(keys) + " |", "|" + "---|" * (len(keys) + 1)]
        lines += ["| " + " | ".join([a["ratios"]] + [number(a[k]) for k in keys]) + " |" for a in ratios]
        lines.append("")
    bars = [a for a in answers if "bar" in a]
    if bars:
        lines += ["| bar | value | limit | holds |", "|---|---|---|---|"]
        for a in bars:
            limit = f"at least {a['at_least']:g}" if "at_least" in a else f"at most {a['at_most']:.4g}"
            lines.append(f"| {a['bar']} | {number(a['value'])} | {limit} | {'yes' if a['holds'] else '**no**'} |")
        lines.append("")
    wrong = [a for a in answers if a.get("holds") is False and "validates" in a]
    lines += [f"* wrong: {a['validates']}: {a['value']}, limit {a['limit']}" for a in wrong]
    if done.returncode:
        say(f"  ended with {done.returncode}: {done.stderr[-500:]}")
    return lines, done.returncode == 0


def number(value):
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else f"{value:.4g}"
