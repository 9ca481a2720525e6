#pragma once
#include <algorithm>
#include <vector>

#include "autograd/cpu/block/series.h"
#include "autograd/cpu/vectors/kernel_vector.h"
#include "autograd/ops/jet_compose.h"
#include "autograd/ops/jet_table.h"

/// Jets of a few vectors side by side, in the eager loops and in the compiled step.
namespace pinn::cpu {

/// A channel of a strip: enough vectors to keep the arithmetic units busy, few enough for
/// registers.
template <class T> struct Vectors {
  static_assert(strip_vectors == 4);
  Vec<T> v[strip_vectors] = {};

  friend Vectors operator*(const Vectors& a, const Vectors& b) {
    return {a.v[0] * b.v[0], a.v[1] * b.v[1], a.v[2] * b.v[2], a.v[3] * b.v[3]};
  }
  friend Vectors weighted(double weight, const Vectors& a) {
    const Vec<T> w(weight);
    return {w * a.v[0], w * a.v[1], w * a.v[2], w * a.v[3]};
  }
  friend Vectors multiply_add(const Vectors& a, const Vectors& b, const Vectors& c) {
    return {fma(a.v[0], b.v[0], c.v[0]), fma(a.v[1], b.v[1], c.v[1]), fma(a.v[2], b.v[2], c.v[2]),
            fma(a.v[3], b.v[3], c.v[3])};
  }
};

/// All channels of a strip; lives in L1.
template <class T> using Strip = std::vector<Vectors<T>>;

/// y = f^(k)(h) on a strip, for any table. The table must outlive it.
template <class T> class StripComposition {
 public:
  StripComposition(SeriesKernel<T> series, double parameter, int k, const JetTable& table)
      : series_(series), parameter_(parameter), k_(k), table_(&table) {
    for (int m = 0; m <= table.order(); ++m) factors_.push_back(series_factor(k, m));
  }

  /// How many channels `work` has to have place for.
  std::size_t work() const { return 2 * std::size_t(table_->size()) + max_derivative + 1; }

  /// Composes a strip of which the first `vectors` vectors hold elements.
  void operator()(const Vectors<T>* h, int vectors, Vectors<T>* work, Vectors<T>* y) const {
    Vectors<T>* const c = work + 2 * table_->size();
    const int degree = series_(h->v, parameter_, vectors, c->v) - k_;
    const auto coefficient = [&](int m) { return weighted(factors_[std::size_t(m)], c[k_ + m]); };
    const auto powers = [&](int m) -> const auto& { return table_->power(m).terms; };
    compose_jet(table_->size(), std::min(degree, table_->order()), coefficient, powers, h, work,
                work + table_->size(), y);
  }

 private:
  SeriesKernel<T> series_;
  double parameter_;
  int k_;
  const JetTable* table_;
  std::vector<double> factors_;
};

}  // namespace pinn::cpu
