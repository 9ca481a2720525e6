#include "autograd/cpu/jet.h"

#include <algorithm>
#include <string>

#include "autograd/core/error.h"
#include "autograd/cpu/jet_strip.h"
#include "autograd/ops/unary.h"

namespace pinn::cpu {

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

/// y_k = sum w a_i b_j for every k in a list of products that is sorted by k.
template <class T>
void multiply(const std::vector<JetTable::Product>& products, const Strip<T>& a, const Strip<T>& b,
              Strip<T>& y) {
  for (auto p = products.begin(); p != products.end();) {
    const int k = p->k;
    Block<T> sum = Vec<T>(p->weight) * (a[p->i] * b[p->j]);
    for (++p; p != products.end() && p->k == k; ++p)
      sum = sum + Vec<T>(p->weight) * (a[p->i] * b[p->j]);
    y[k] = sum;
  }
}

/// y = f^(k)(h) on strips.
template <class T> class Composition {
 public:
  Composition(int op, double parameter, int k, const JetTable& table)
      : table_(table),
        kernel_(series_kernel<T>(op, k + table.order())),
        parameter_(parameter),
        k_(k),
        c_(k + table.order() + 1),
        power_(table.size()),
        next_power_(table.size()) {
    for (int m = 0; m <= table.order(); ++m) {
      factor_.push_back(1);
      for (int i = m + 1; i <= m + k; ++i) factor_[m] *= i;  // (k + m)! / m!
    }
  }

  void operator()(const Strip<T>& h, int vectors, Strip<T>& y) {
    const int degree = kernel_(h[0].v, parameter_, vectors, c_[0].v) - k_;
    const int top = std::min(degree, table_.order());
    y[0] = coefficient(0);
    const Block<T> slope = top >= 1 ? coefficient(1) : Block<T>{};
    for (std::size_t i = 1; i < y.size(); ++i) y[i] = slope * h[i];
    for (int m = 2; m <= top; ++m) {
      multiply(table_.power(m).products, m == 2 ? h : power_, h, next_power_);
      std::swap(power_, next_power_);
      const Block<T> c = coefficient(m);
      for (const int i : table_.power(m).channels) y[i] = y[i] + c * power_[i];
    }
  }

 private:
  /// f^(k+m)(h_0) / m!, 0 above the degree.
  Block<T> coefficient(int m) const { return Vec<T>(factor_[m]) * c_[k_ + m]; }

  const JetTable& table_;
  SeriesKernel<T> kernel_;
  double parameter_;
  int k_;
  std::vector<double> factor_;
  Strip<T> c_, power_, next_power_;
};

void multiply_jets(const std::vector<JetTable::Product>& products, const JetTable& table,
                   DType dtype, std::size_t points, std::size_t a_features, const void* a,
                   std::size_t b_features, const void* b, void* y) {
  require_floating(dtype);
  require_features(a_features, b_features);
  visit_floating(dtype, [&]<class T>(T) {
    Strips<T> strips(points, table.size(), std::max(a_features, b_features));
    Strip<T> as(table.size()), bs = as, ys = as;
    while (strips.next()) {
      strips.load(static_cast<const T*>(a), a_features, as);
      strips.load(static_cast<const T*>(b), b_features, bs);
      multiply(products, as, bs, ys);
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
    Composition<T> compose(op, parameter, k, table);
    Strip<T> hs(table.size()), ys = hs;
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
    Strip<T> hs(table.size()), slopes = hs, ybars = hs, hbars = hs;
    while (strips.next()) {
      strips.load(static_cast<const T*>(h), features, hs);
      strips.load(static_cast<const T*>(ybar), features, ybars);
      slope(hs, strips.vectors(), slopes);
      multiply(table.transposed(), ybars, slopes, hbars);
      strips.store(static_cast<T*>(hbar), hbars);
    }
  });
}

void jet_mul(const JetTable& table, DType dtype, std::size_t points, std::size_t a_features,
             const void* a, std::size_t b_features, const void* b, void* y) {
  multiply_jets(table.products(), table, dtype, points, a_features, a, b_features, b, y);
}

void jet_mul_transposed(const JetTable& table, DType dtype, std::size_t points,
                        std::size_t g_features, const void* g, std::size_t b_features,
                        const void* b, void* y) {
  multiply_jets(table.transposed(), table, dtype, points, g_features, g, b_features, b, y);
}

}  // namespace pinn::cpu
