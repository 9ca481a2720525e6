"""Networks as a user of JAX writes them."""
import jax
import jax.numpy as jnp

import peer

ACTIVATIONS = {"tanh": jnp.tanh, "relu": jax.nn.relu, "silu": jax.nn.silu}


def prepare(opts, outputs):
    """(points, [(weight [in, out], bias), ...]). compare.py sets the number of threads before we start."""
    jax.config.update("jax_platforms", opts.device)
    if opts.device == "cuda":  # where JAX rounds float32 to TF32 unless told otherwise
        jax.config.update("jax_default_matmul_precision", "highest")
    if opts.dtype == "f64":
        jax.config.update("jax_enable_x64", True)
    dtype = jnp.float32 if opts.dtype == "f32" else jnp.float64
    inputs = peer.Inputs(opts, outputs)
    layers = [(jnp.asarray(w, dtype=dtype), jnp.asarray(b, dtype=dtype)) for w, b in inputs.layers]
    return jnp.asarray(inputs.x, dtype=dtype), layers


def network(layers, x, f):
    h = x
    for w, b in layers[:-1]:
        h = f(h @ w + b)
    return h @ layers[-1][0] + layers[-1][1]


def versions():
    return {"jax": jax.__version__}
