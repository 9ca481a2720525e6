#include "autograd/cpu/jet.h"

#include <string>

#include "autograd/core/error.h"
#include "autograd/cpu/jet_strip.h"
#include "autograd/ops/unary.h"

namespace pinn {

namespace {

void require_floating(DType dtype) {
  if (!is_floating(dtype))
    throw EngineError({std::string("a jet of ") + name_of(dtype) + " numbers", "jet",
                       "convert the tensor to float64 or float32 first"});
}

void require_features(std::size_t a, std::size_t b) {
  if (a != b && a != 1 && b != 1)
    throw ShapeError({"jets of " + std::to_string(a) + " and " + std::to_string(b) + " features",
                      "jet_mul", "multiply jets of equally many features, or of one"});
}

template <class T> void clear(Strip<T>& y) { std::fill(y.begin(), y.end(), Vec<T>(0.0)); }

/// y_k += w a_i b_j on one strip.
template <class T>
void add_product(const JetTable::Product& p, const Strip<T>& a, const Strip<T>& b, Strip<T>& y) {
  const Vec<T>* ai = &a[std::size_t(p.i) * strip_vectors];
  const Vec<T>* bj = &b[std::size_t(p.j) * strip_vectors];
  Vec<T>* yk = &y[std::size_t(p.k) * strip_vectors];
  const Vec<T> w(p.weight);
  for (int l = 0; l < strip_vectors; ++l) yk[l] = yk[l] + w * ai[l] * bj[l];
}

template <class T>
void multiply(const JetTable& table, const Strip<T>& a, const Strip<T>& b, Strip<T>& y) {
  clear(y);
  for (const auto& p : table.products()) add_product(p, a, b, y);
}

/// y_i = sum w g_k b_j
template <class T>
void multiply_transposed(const JetTable& table, const Strip<T>& g, const Strip<T>& b, Strip<T>& y) {
  clear(y);
  for (const auto& p : table.products()) add_product({p.k, p.j, p.i, p.weight}, g, b, y);
}

/// y = f^(k)(h) on strips.
template <class T> class Composition {
 public:
  Composition(int op, double parameter, int k, const JetTable& table)
      : table_(table),
        kernel_(series_kernel<T>(op, k + table.order())),
        parameter_(parameter),
        k_(k),
        c_((k + table.order() + 1) * strip_vectors),
        power_(table.size() * strip_vectors, Vec<T>(0.0)),
        next_power_(power_) {
    for (int m = 0; m <= table.order(); ++m) {
      factor_.push_back(1);
      for (int i = m + 1; i <= m + k; ++i) factor_[m] *= i;  // (k + m)! / m!
    }
  }

  void operator()(const Strip<T>& h, int vectors, Strip<T>& y) {
    const int top = std::min(kernel_(&h[0], parameter_, vectors, c_.data()) - k_, table_.order());
    clear(y);
    add_term(0, {0}, nullptr, y);
    if (top >= 1) add_term(1, table_.power(1).channels, &h[0], y);
    const Strip<T>* before = &h;
    for (int m = 2; m <= top; ++m) {
      for (const int k : table_.power(m).channels)
        std::fill_n(&next_power_[k * strip_vectors], strip_vectors, Vec<T>(0.0));
      for (const auto& p : table_.power(m).products) add_product(p, *before, h, next_power_);
      std::swap(power_, next_power_);
      before = &power_;
      add_term(m, table_.power(m).channels, &power_[0], y);
    }
  }

 private:
  /// y += f^(k+m)(h_0) / m! n^m, where n^0 = 1 is not stored.
  void add_term(int m, const std::vector<int>& channels, const Vec<T>* power, Strip<T>& y) const {
    Vec<T> c[strip_vectors];
    for (int l = 0; l < strip_vectors; ++l)
      c[l] = k_ == 0 ? c_[m * strip_vectors + l]
                     : Vec<T>(factor_[m]) * c_[(k_ + m) * strip_vectors + l];
    for (const int k : channels)
      for (int l = 0; l < strip_vectors; ++l) {
        Vec<T>& out = y[k * strip_vectors + l];
        out = m == 0 ? c[l] : out + c[l] * power[k * strip_vectors + l];
      }
  }

  const JetTable& table_;
  SeriesKernel<T> kernel_;
  double parameter_;
  int k_;
  std::vector<double> factor_;
  Strip<T> c_, power_, next_power_;
};

template <class T, class F>
void multiply_jets(const JetTable& table, std::size_t points, std::size_t a_features, const void* a,
                   std::size_t b_features, const void* b, void* y, F multiply) {
  Strips<T> strips(points, table.size(), std::max(a_features, b_features));
  Strip<T> as = strips.make(), bs = strips.make(), ys = strips.make();
  while (strips.next()) {
    strips.load(static_cast<const T*>(a), a_features, as);
    strips.load(static_cast<const T*>(b), b_features, bs);
    multiply(as, bs, ys);
    strips.store(static_cast<T*>(y), ys);
  }
}

}  // namespace

void jet(int op, double parameter, int k, const JetTable& table, DType dtype, std::size_t points,
         std::size_t features, const void* h, void* y) {
  require_floating(dtype);
  visit_floating(dtype, [&]<class T>(T) {
    Strips<T> strips(points, table.size(), features);
    Composition<T> compose(op, parameter, k, table);
    Strip<T> hs = strips.make(), ys = strips.make();
    while (strips.next()) {
      strips.load(static_cast<const T*>(h), features, hs);
      compose(hs, strips.vectors(), ys);
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
    Composition<T> slope(op, parameter, k + 1, table);
    Strip<T> hs = strips.make(), slopes = strips.make(), ybars = strips.make(), hbars = slopes;
    while (strips.next()) {
      strips.load(static_cast<const T*>(h), features, hs);
      strips.load(static_cast<const T*>(ybar), features, ybars);
      slope(hs, strips.vectors(), slopes);
      multiply_transposed(table, ybars, slopes, hbars);
      strips.store(static_cast<T*>(hbar), hbars);
    }
  });
}

void jet_mul(const JetTable& table, DType dtype, std::size_t points, std::size_t a_features,
             const void* a, std::size_t b_features, const void* b, void* y) {
  require_floating(dtype);
  require_features(a_features, b_features);
  visit_floating(dtype, [&]<class T>(T) {
    multiply_jets<T>(
        table, points, a_features, a, b_features, b, y,
        [&](const auto& as, const auto& bs, auto& ys) { multiply(table, as, bs, ys); });
  });
}

void jet_mul_transposed(const JetTable& table, DType dtype, std::size_t points,
                        std::size_t g_features, const void* g, std::size_t b_features,
                        const void* b, void* y) {
  require_floating(dtype);
  require_features(g_features, b_features);
  visit_floating(dtype, [&]<class T>(T) {
    multiply_jets<T>(
        table, points, g_features, g, b_features, b, y,
        [&](const auto& gs, const auto& bs, auto& ys) { multiply_transposed(table, gs, bs, ys); });
  });
}

}  // namespace pinn
