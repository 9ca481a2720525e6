#include <algorithm>
#include <vector>

#include "autograd/cuda/kernels/jet_compose.cuh"
#include "autograd/cuda/kernels/kernels.h"

namespace pinn::cuda {
namespace {

constexpr std::int64_t most_slots = std::int64_t(1) << 17;  ///< threads that an H100 holds at once

/// y_k = sum w a_i b_j; a thread has one feature of one point.
template <class T> struct MultiplyJets {
  Terms terms;
  std::int64_t channels, features, a_features, b_features;
  const T *a, *b;
  T* y;
  HD void operator()(std::int64_t e) const {
    const std::int64_t point = e / features * channels, feature = e % features;
    const auto of = [&](auto* jet, std::int64_t own) {
      return Column{jet + point * own + (own == 1 ? 0 : feature), own};
    };
    const Column<T> to = of(y, features);
    multiply_jets(terms, of(a, a_features), of(b, b_features), [&](int k, T x) { to[k] = x; });
  }
};

void append(const JetTable::Terms& from, std::vector<Term>& terms) {
  for (const auto& p : from) terms.push_back({p.i, p.j, p.k, 0, p.weight});
}

}  // namespace

void jet(int op, double parameter, int k, const JetTable& table, DType dtype, std::int64_t points,
         std::int64_t features, const void* h, void* y, Gpu& gpu) {
  must_have_derivative(op, k + table.order());
  std::vector<Term> terms;
  std::vector<int> begins(2, 0);
  for (int m = 2; m <= table.order(); ++m) {
    append(table.power(m).terms, terms);
    begins.push_back(int(terms.size()));
  }
  const void* const terms_there = gpu.constant(terms.data(), terms.size() * sizeof(Term));
  const void* const begins_there = gpu.constant(begins.data(), begins.size() * sizeof(int));
  const std::int64_t count = points * features, slots = std::min(count, most_slots);
  visit_floating(dtype, [&]<class T>(T) {
    const auto work = gpu.allocate(std::size_t(2 * table.size() * slots) * sizeof(T));
    compose<T>(gpu, op,
               {parameter, k, table.size(), table.order(), static_cast<const Term*>(terms_there),
                static_cast<const int*>(begins_there), count, features, slots,
                static_cast<const T*>(h), static_cast<T*>(y), static_cast<T*>(work.get())});
  });
}

void jet_pullback(int op, double parameter, int k, const JetTable& table, DType dtype,
                  std::int64_t points, std::int64_t features, const void* h, const void* ybar,
                  void* hbar, Gpu& gpu) {
  const auto slope = gpu.allocate(std::size_t(points * table.size() * features) * size_of(dtype));
  jet(op, parameter, k + 1, table, dtype, points, features, h, slope.get(), gpu);
  jet_mul(table, true, dtype, points, features, ybar, features, slope.get(), hbar, gpu);
}

void jet_mul(const JetTable& table, bool transposed, DType dtype, std::int64_t points,
             std::int64_t a_features, const void* a, std::int64_t b_features, const void* b,
             void* y, Gpu& gpu) {
  must_have_matching_features(a_features, b_features);
  std::vector<Term> terms;
  append(transposed ? table.transposed() : table.terms(), terms);
  const void* const on_device = gpu.constant(terms.data(), terms.size() * sizeof(Term));
  const auto* const first = static_cast<const Term*>(on_device);
  const std::int64_t features = a_features == 1 ? b_features : a_features;
  visit_floating(dtype, [&]<class T>(T) {
    for_each(gpu, points * features,
             MultiplyJets<T>{{first, first + terms.size()},
                             table.size(),
                             features,
                             a_features,
                             b_features,
                             static_cast<const T*>(a),
                             static_cast<const T*>(b),
                             static_cast<T*>(y)});
  });
}

}  // namespace pinn::cuda
