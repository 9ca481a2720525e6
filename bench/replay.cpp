#include "bench/workloads.h"

#include <algorithm>
#include <array>
#include <map>

#include "autograd/core/storage.h"
#include "autograd/cpu/eager/kernels.h"
#include "bench/clock.h"

namespace pinn::bench {
namespace {

using Sizes3 = std::array<std::int64_t, 3>;  ///< m, n, k

struct Operands {
  Storage a, b, c;
  DType dtype;
  Operands(const Sizes3& s, DType as)
      : a(bytes(s[0], s[2], as)), b(bytes(s[2], s[1], as)), c(bytes(s[0], s[1], as)), dtype(as) {
    for (Storage* t : {&a, &b})
      visit_floating(as, [&](auto zero) {
        using T = decltype(zero);
        std::fill_n(static_cast<T*>(t->data()), t->bytes() / sizeof(T), T(0.5));
      });
  }
  static std::size_t bytes(std::int64_t rows, std::int64_t columns, DType dtype) {
    return std::size_t(rows * columns) * size_of(dtype);
  }
};

/// Seconds for one product, the median of five, with a or b transposed in memory or not.
double one(Operands& o, const Sizes3& s, bool a_transposed, bool b_transposed) {
  const auto [m, n, k] = s;
  const Matrix a = a_transposed ? Matrix{o.a.data(), 1, m} : Matrix{o.a.data(), k, 1};
  const Matrix b = b_transposed ? Matrix{o.b.data(), 1, k} : Matrix{o.b.data(), n, 1};
  std::vector<double> times;
  for (int i = 0; i < 5; ++i)
    times.push_back(
        seconds([&, m = m, n = n, k = k] { cpu::product(o.dtype, m, n, k, a, b, o.c.data()); }));
  return median(times);
}

/// A product that sums over the points has its first operand transposed; of the others half are
/// forward ones, and half have their weights transposed.
double shape_seconds(const Sizes3& s, DType dtype) {
  Operands o(s, dtype);
  if (s[2] > s[0]) return one(o, s, true, false);
  return (one(o, s, false, false) + one(o, s, false, true)) / 2;
}

}  // namespace

double replay_seconds(const std::vector<ProductSize>& products, DType dtype) {
  std::map<Sizes3, std::int64_t> counts;
  for (const ProductSize& p : products) counts[{p.m, p.n, p.k}] += p.batch;
  double total = 0;
  for (const auto& [sizes, count] : counts) total += double(count) * shape_seconds(sizes, dtype);
  return total;
}

}  // namespace pinn::bench
