"""What a step of the network 2, W x L, 1 cannot do without, if products and arithmetic ran at the FMA peak.

  products      2 W^2 (L - 1) operations per point and channel: forward, for the data gradient, for the weight gradient
  elementwise   per point and hidden unit one tanh (as 20 fused multiply-adds in float32, 40 in float64), and 7.5 per
                channel for the activation's rule and its adjoint: an estimate from hand-written loops

Traffic between caches is not in it.
"""
TANH = {"f32": 20, "f64": 40}
PER_CHANNEL = 7.5


def channels(row):
    """pinn reads q = u_t - nu u_xx off the residual and carries three; people write four. Nested reverse mode takes the
    products of four."""
    return 3 if "taylor3" in row or row in ("pinn-compiled", "pinn-taylor") else 4


def product_operations(case, count):
    return 6.0 * case["points"] * case["width"] ** 2 * (case["layers"] - 1) * count


def elementwise_operations(case, count):
    units = case["points"] * case["width"] * case["layers"]
    return 2.0 * units * (TANH[case["dtype"]] + PER_CHANNEL * count)


def roofline_ms(case, row, peak):
    """(products, elementwise) in ms; `peak` in 1e9 operations per second, of all threads."""
    count = channels(row)
    return 1e-6 * product_operations(case, count) / peak, 1e-6 * elementwise_operations(case, count) / peak
