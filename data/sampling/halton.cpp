#include <algorithm>

#include "data/sampling/sequence.h"

namespace pinn {
namespace {

std::vector<std::uint32_t> first_primes(int n) {
  std::vector<std::uint32_t> primes;
  for (std::uint32_t p = 2; static_cast<int>(primes.size()) < n; ++p)
    if (std::none_of(primes.begin(), primes.end(), [p](std::uint32_t q) { return p % q == 0; }))
      primes.push_back(p);
  return primes;
}

/// One coordinate: the digits of i in the base, mirrored at the point and permuted.
void fill(std::vector<double>& x, int dimension, int coordinate, std::uint32_t base,
          const Random& random) {
  const std::uint64_t count = x.size() / dimension;
  std::vector<std::vector<std::uint32_t>> digits;  // one permutation per position
  std::uint64_t strata = 1;
  for (; strata < count; strata *= base)
    digits.push_back(permutation(base, random.child(digits.size())));

  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t stratum = 0, rest = i;
    for (const auto& digit : digits) {
      stratum = stratum * base + digit[rest % base];
      rest /= base;
    }
    // The strata differ from point to point: all further digits are independent of one another.
    x[i * dimension + coordinate] = in_stratum(stratum, strata, random.uniform(i));
  }
}

}  // namespace

std::vector<double> halton_points(int count, int dimension, const Random& random) {
  std::vector<double> x(std::size_t(count) * dimension);
  const auto primes = first_primes(dimension);
  for (int a = 0; a < dimension; ++a) fill(x, dimension, a, primes[a], random.child(a));
  return x;
}

std::vector<double> hammersley_points(int count, int dimension, const Random& random) {
  std::vector<double> x(std::size_t(count) * dimension);
  for (int i = 0; i < count; ++i)
    x[std::size_t(i) * dimension] = in_stratum(i, count, random.uniform(i));
  const auto primes = first_primes(dimension - 1);
  for (int a = 1; a < dimension; ++a) fill(x, dimension, a, primes[a - 1], random.child(a));
  return x;
}

}  // namespace pinn
