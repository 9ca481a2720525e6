#include <algorithm>
#include <vector>

#include "autograd/cuda/kernels/jet_coefficients.cuh"
#include "autograd/cuda/kernels/kernels.h"

namespace pinn::cuda {
namespace {

constexpr std::int64_t most_slots = std::int64_t(1) << 17;  ///< threads that an H100 holds at once

/// A term of a table without padding: what is constant is kept on the device by its bytes.
struct Term {
  int i, j, k, none;
  double weight;
};

/// A list of terms on the device.
struct Terms {
  const Term *first, *last;
  HD const Term* begin() const { return first; }
  HD const Term* end() const { return last; }
};

/// The channels of a jet, so many numbers apart.
template <class T> struct Column {
  T* first;
  std::int64_t apart;
  HD Column(T* first, std::int64_t apart) : first(first), apart(apart) {}
  template <class U> HD Column(const Column<U>& c) : Column(c.first, c.apart) {}
  HD T& operator[](int channel) const { return first[channel * apart]; }
};

/// y = f^(k)(h) from the coefficients of f^(k); a thread has one feature of one point at a time.
template <class T> struct ComposeJets {
  Coefficients<T> of;
  const Term* terms;   ///< of the powers n^2 ... n^order, one after another
  const int* begins;   ///< [order + 1]: those of n^m are begins[m - 1] ... begins[m] - 1, m >= 2
  std::int64_t slots;  ///< threads that run; each has a column of work
  T* y;
  T* work;  ///< [2, channels, slots]

  HD void operator()(std::int64_t slot) const {
    for (std::int64_t e = slot; e < of.count; e += slots) element(e, slot);
  }

 private:
  HD void element(std::int64_t e, std::int64_t slot) const {
    const std::int64_t first = e / of.features * of.channels * of.features + e % of.features;
    const Column<const T> c{of.c + e, of.count};
    const Column<T> mine{work + slot, slots};
    const int top = int(c[of.order + 1]);
    compose_jet(
        int(of.channels), top < of.order ? top : of.order, [&](int m) { return c[m]; },
        [&](int m) {
          return Terms{terms + begins[m - 1], terms + begins[m]};
        },
        Column<const T>{of.h + first, of.features}, mine, Column<T>{&mine[int(of.channels)], slots},
        Column<T>{y + first, of.features});
  }
};

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
    const auto c = gpu.allocate(std::size_t((table.order() + 2) * count) * sizeof(T));
    const Coefficients<T> wanted{parameter,
                                 k,
                                 table.order(),
                                 table.size(),
                                 features,
                                 count,
                                 static_cast<const T*>(h),
                                 static_cast<T*>(c.get())};
    find_coefficients<T>(gpu, op, wanted);
    for_each(gpu, slots,
             ComposeJets<T>{wanted, static_cast<const Term*>(terms_there),
                            static_cast<const int*>(begins_there), slots, static_cast<T*>(y),
                            static_cast<T*>(work.get())});
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
