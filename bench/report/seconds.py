"""The table of bench/time_to_error.py: when errors were reached."""
ERRORS = [1e-3, 1e-4, 1e-5, 1e-6]


def cell(records, error):
    """Seconds of the processor, and of the clock, when an error was first reached."""
    first = next((r for r in records if r["error"] <= error), None)
    return f"{first['cpu']:.3g} ({first['wall']:.3g})" if first else f"not within {records[-1]['cpu']:.0f}"


def row(name, lines):
    """Of a contender, whose records are those lines with an error."""
    records = [line for line in lines if "error" in line]
    last, before = records[-1], [line["before"] for line in lines if "before" in line]
    cells = [name, *(cell(records, error) for error in ERRORS), f"{min(r['error'] for r in records):.1e}",
             f"{last['error']:.1e}", f"{last['cpu']:.0f} ({last['wall']:.0f})", str(last["step"]), *(f"{b:.0f}" for b in before or [0])]
    return "| " + " | ".join(cells) + " |"


def table(found):
    """Of lines by contender."""
    head = ["contender", *(f"to {error:.0e}" for error in ERRORS), "least error", "last error", "after", "steps", "before the first step"]
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *(row(name, lines) for name, lines in found.items())]
