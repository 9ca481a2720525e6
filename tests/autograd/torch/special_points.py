"""Where a derivative of one op at a special point is not PyTorch's, and why that is as it should be."""
import math

ORDERS = ("reverse over reverse", "forward over reverse", "reverse over forward")
FIRST = ("gradient", "tangent")


def is_extreme(v):
    """So near to 0 that its inverse is infinite, or with a square that is."""
    return 0 < abs(v) < 1e-37 or 1e37 < abs(v) < math.inf


class Row:
    """Ops and points, the ways it holds for, and which side has no number: 'ours', 'theirs', or 'none'."""

    def __init__(self, ops, ways, nan, at, why):
        self.ops, self.ways, self.nan, self.at, self.why = ops.split(), ways, nan, at, why
        self.used = 0

    def covers(self, op, x, way, pairs):
        def is_kind(a, b):
            return {"ours": a != a and b == b, "theirs": a == a and b != b, "none": a == a and b == b}
        return (op in self.ops and way in self.ways and self.at(*x)
                and all(any(is_kind(a, b)[kind] for kind in self.nan.split()) for a, b in pairs))


DECIDED = [
    Row("step sign", ("value",), "ours", math.isnan, "NaN stays NaN"),
    Row("relu abs min max", FIRST + ORDERS, "ours", lambda *x: any(map(math.isnan, x)), "NaN stays NaN in every slope"),
    Row("pow", FIRST + ORDERS, "ours", lambda x, y: math.isnan(x) and y == 1, "NaN^1 is NaN, and so is its slope"),
    Row("power", ("value",) + FIRST + ORDERS, "none theirs", lambda x: x <= 0 and (x == 0 or math.isinf(x)),
        "x^p with p that is not whole is the C library's pow; PyTorch's x^0.5 is a square root, of -0 and -inf, too"),
    Row("pow", ORDERS, "none", lambda x, y: x > 0 and y == 0,
        "the mixed derivative of x^y at y = 0 is 1/x; PyTorch leaves it out"),
    Row("pow", ORDERS, "theirs none", lambda x, y: x == 0 or y == 0 or math.isinf(x) or math.isinf(y),
        "what an exponent of 0 or a base of 0 stops stays stopped"),
    Row("pow", ("reverse over forward",), "theirs", lambda x, y: True,
        "a constant exponent needs no logarithm of its base"),
    Row("pow", FIRST + ORDERS, "ours theirs none", lambda x, y: is_extreme(x) or is_extreme(y), "a factor overflows first"),
    Row("atan2", FIRST + ORDERS, "theirs", lambda y, x: x == y == 0 or math.isinf(x) or math.isinf(y),
        "no direction, or one that does not change: 0"),
    Row("atan2", ORDERS, "theirs", lambda y, x: math.isnan(x) or math.isnan(y),
        "the NaN of the value and the slopes is put in their place, as a constant"),
    Row("atan2", FIRST + ORDERS, "ours theirs none", lambda y, x: is_extreme(x) or is_extreme(y),
        "no square is taken that leaves the range of numbers; what is left overflows elsewhere"),
    Row("div", ORDERS, "theirs", lambda x, y: y == 0 or is_extreme(y), "infinities that are one"),
    Row("atan gaussian", FIRST + ORDERS, "ours", is_extreme, "2x overflows"),
]
DO_NOT_EXIST = {"sech2", "masked"}  # in PyTorch: its formulas here are ours, less exact


def row_of(op, x, way, pairs):
    return next((row for row in DECIDED if row.covers(op, x, way, pairs)), None)
