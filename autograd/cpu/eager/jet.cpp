#include "autograd/cpu/eager/jet.h"

#include <algorithm>
#include <string>

#include "autograd/core/error.h"
#include "autograd/cpu/eager/jet_walk.h"

namespace pinn::cpu {

namespace {

void require_floating(DType dtype) {
  if (!is_floating(dtype))
    throw EngineError({std::string("a jet of ") + name_of(dtype) + " numbers", "jet",
                       "convert the tensor to float64 or float32 first"});
}

/// The series of f up to what f^(k) of such jets needs.
template <class T>
StripComposition<T> composition(int op, double parameter, int k, const JetTable& table) {
  return {series_kernel<T>(op, k + table.order()), parameter, k, table};
}

void multiply(const JetTable::Terms& terms, const JetTable& table, DType dtype, std::size_t points,
              std::size_t a_features, const void* a, std::size_t b_features, const void* b,
              void* y) {
  require_floating(dtype);
  must_have_matching_features(std::int64_t(a_features), std::int64_t(b_features));
  visit_floating(dtype, [&]<class T>(T) {
    Strips<T> strips(points, table.size(), std::max(a_features, b_features));
    Strip<T> as(table.size()), bs = as, ys = as;
    while (strips.next()) {
      strips.load(static_cast<const T*>(a), a_features, as);
      strips.load(static_cast<const T*>(b), b_features, bs);
      multiply_jets(terms, as, bs, [&](int k, const Vectors<T>& y) { ys[std::size_t(k)] = y; });
      strips.store(static_cast<T*>(y), ys);
    }
  });
}

}  // namespace

void jet(int op, double parameter, int k, const JetTable& table, DType dtype, std::size_t points,
         std::size_t features, const void* h, void* y) {
  require_floating(dtype);
  visit_floating(dtype, [&]<class T>(T) {
    Strips<T> strips(points, table.size(), features);
    const auto compose = composition<T>(op, parameter, k, table);
    Strip<T> hs(table.size()), ys = hs, work(compose.work());
    while (strips.next()) {
      strips.load(static_cast<const T*>(h), features, hs);
      compose(hs.data(), strips.vectors(), work.data(), ys.data());
      strips.store(static_cast<T*>(y), ys);
    }
  });
}

void jet_pullback(int op, double parameter, int k, const JetTable& table, DType dtype,
                  std::size_t points, std::size_t features, const void* h, const void* ybar,
                  void* hbar) {
  require_floating(dtype);
  visit_floating(dtype, [&]<class T>(T) {
    Strips<T> strips(points, table.size(), features);
    const auto slope = composition<T>(op, parameter, k + 1, table);
    Strip<T> hs(table.size()), slopes = hs, ybars = hs, hbars = hs, work(slope.work());
    while (strips.next()) {
      strips.load(static_cast<const T*>(h), features, hs);
      strips.load(static_cast<const T*>(ybar), features, ybars);
      slope(hs.data(), strips.vectors(), work.data(), slopes.data());
      multiply_jets(table.transposed(), ybars, slopes,
                    [&](int i, const Vectors<T>& x) { hbars[std::size_t(i)] = x; });
      strips.store(static_cast<T*>(hbar), hbars);
    }
  });
}

void jet_mul(const JetTable& table, DType dtype, std::size_t points, std::size_t a_features,
             const void* a, std::size_t b_features, const void* b, void* y) {
  multiply(table.terms(), table, dtype, points, a_features, a, b_features, b, y);
}

void jet_mul_transposed(const JetTable& table, DType dtype, std::size_t points,
                        std::size_t g_features, const void* g, std::size_t b_features,
                        const void* b, void* y) {
  multiply(table.transposed(), table, dtype, points, g_features, g, b_features, b, y);
}

}  // namespace pinn::cpu
