#include <algorithm>
#include <string>

#include "autograd/core/error.h"
#include "autograd/cpu/eager/jet_walk.h"
#include "autograd/cpu/eager/kernels.h"

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

}  // namespace

void jet(int op, double parameter, int k, const JetTable& table, DType dtype, std::int64_t points,
         std::int64_t features, const void* h, void* y, Host) {
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
                  std::int64_t points, std::int64_t features, const void* h, const void* ybar,
                  void* hbar, Host) {
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

void jet_mul(const JetTable& table, bool transposed, DType dtype, std::int64_t points,
             std::int64_t a_features, const void* a, std::int64_t b_features, const void* b,
             void* y, Host) {
  require_floating(dtype);
  must_have_matching_features(a_features, b_features);
  const JetTable::Terms& terms = transposed ? table.transposed() : table.terms();
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

}  // namespace pinn::cpu
