"""Philox-4x32-10 as autograd/core/random.h describes it: a number for (seed, stream, draw, index).

Salmon, Moraes, Dror, Shaw, SC'11, "Parallel random numbers: as easy as 1, 2, 3"; normal deviates
are quantiles, by bisection of the error function and steps of Newton.
"""
import math
from dataclasses import dataclass, replace

WORD = 2**32 - 1


def philox(counter, key):
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(b >> 32) ^ counter[1] ^ key[0], b & WORD,
                   (a >> 32) ^ counter[3] ^ key[1], a & WORD]
        key = [(key[0] + 0x9E3779B9) & WORD, (key[1] + 0xBB67AE85) & WORD]
    return counter


def quantile(p):
    """z with P(Z < z) = p, of a probability below 1/2, or its mirror."""
    if p > 0.5:
        return -quantile(1 - p)
    low, high = -9.0, 0.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (middle, high) if math.erfc(-middle / math.sqrt(2)) / 2 < p else (low, middle)
    z = (low + high) / 2
    for _ in range(4):
        density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        z -= (math.erfc(-z / math.sqrt(2)) / 2 - p) / density
    return z


@dataclass(frozen=True)
class Random:
    seed: int
    stream: int
    draw: int = 0

    def bits(self, index):
        return philox([index & WORD, index >> 32, self.stream & WORD, self.stream >> 32],
                      [self.seed & WORD, (self.seed >> 32) ^ self.draw])

    def uniform(self, index):
        w = self.bits(index)
        return (((w[1] << 32 | w[0]) >> 12) + 0.5) / 2**52

    def normal(self, index):
        return quantile(self.uniform(index))

    def child(self, number):
        w = self.bits(2**64 - 1 - number)
        return Random(self.seed, w[1] << 32 | w[0], self.draw)

    def at(self, move):
        return replace(self, draw=move)
