#pragma once
#include <cstdint>
#include <cstring>

namespace pinn {

/// Vectors [P] that a pass over a triangle reads beside it: those of an update (triangle.h), and of
/// two products y = H x at most.
struct Pass {
  const double *q = nullptr, *a = nullptr, *s = nullptr, *b = nullptr;
  double scale = 1;
  const double* x[2] = {};
};

/// A pass over some rows of a triangle of numbers T: updates them, if told so, and adds the part of
/// these rows, and of the columns above the diagonal that mirror them, to so many products. Four
/// rows at a time, so that the vectors are read and written once per four rows. All is computed in
/// float64; the products are those of the updated numbers before they are rounded to T.
template <class T, bool updating, int products> class TriangleBand {
 public:
  /// Adds to rows 0 to `last` of y; `before` elements of the triangle stand elsewhere.
  TriangleBand(T* h, std::int64_t before, const Pass& pass, double* const (&y)[2])
      : h_(h), before_(before), p_(pass) {
    for (int k = 0; k < products; ++k) y_[k] = y[k];
  }

  void run(std::int64_t first, std::int64_t last) const {
    std::int64_t i = first;
    for (; i + at_once <= last; i += at_once) rows<at_once>(i);
    for (; i < last; ++i) rows<1>(i);
  }

 private:
  static constexpr int at_once = 4;
  /// So many numbers of a row are asked of memory before they are needed: four rows at a time are
  /// more streams than processors follow by themselves.
  static constexpr int ahead = 256;
#ifdef __AVX512F__
  static constexpr int lanes = 8;  ///< in one register of 32
#else
  static constexpr int lanes = 4;  ///< in one or two of 16: more would leave none for the sums
#endif
  typedef double Lanes __attribute__((vector_size(8 * lanes)));
  typedef T Stored __attribute__((vector_size(sizeof(T) * lanes)));

  template <class To, class From> static To load(const From* from) {
    To x;
    std::memcpy(&x, from, sizeof x);
    return x;
  }
  template <class From, class To> static void store(const From& x, To* to) {
    std::memcpy(to, &x, sizeof x);
  }
  static double sum(Lanes x) {
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) x[l] += x[l + half];
    return x[0];
  }

  T* row(std::int64_t i) const { return h_ + (i * (i + 1) / 2 - before_); }

  template <int count> void rows(std::int64_t i) const {
    const std::int64_t whole = i / lanes * lanes;
    block<count>(i, whole);
    for (int r = 0; r < count; ++r) rest(i + r, whole);
  }

  /// Rows i to i + count - 1, columns 0 to `columns`, which whole lanes fill.
  template <int count> void block(std::int64_t i, std::int64_t columns) const {
    T* at[count];
    double q[count] = {}, s[count] = {}, x_of[products + 1][count] = {};
    for (int r = 0; r < count; ++r) {
      at[r] = row(i + r);
      if constexpr (updating) q[r] = p_.q[i + r], s[r] = p_.s[i + r];
      for (int k = 0; k < products; ++k) x_of[k][r] = p_.x[k][i + r];
    }
    const double scale = p_.scale;
    Lanes sums[products + 1][count] = {};
    for (std::int64_t j = 0; j < columns; j += lanes) {
      Lanes x[products + 1], y[products + 1], a{}, b{};
#pragma GCC unroll 2
      for (int k = 0; k < products; ++k)
        x[k] = load<Lanes>(p_.x[k] + j), y[k] = load<Lanes>(y_[k] + j);
      if constexpr (updating) a = load<Lanes>(p_.a + j), b = load<Lanes>(p_.b + j);
#pragma GCC unroll 4  // or sums would stand in memory
      for (int r = 0; r < count; ++r) {
        __builtin_prefetch(at[r] + j + ahead, 1);
        Lanes h = __builtin_convertvector(load<Stored>(at[r] + j), Lanes);
        if constexpr (updating) {
          h = scale * h + q[r] * a + s[r] * b;
          store(__builtin_convertvector(h, Stored), at[r] + j);
        }
#pragma GCC unroll 2
        for (int k = 0; k < products; ++k) {
          sums[k][r] += h * x[k];
          y[k] += h * x_of[k][r];
        }
      }
#pragma GCC unroll 2
      for (int k = 0; k < products; ++k) store(y[k], y_[k] + j);
    }
    for (int k = 0; k < products; ++k)
      for (int r = 0; r < count; ++r) y_[k][i + r] += sum(sums[k][r]);
  }

  /// Row i from column `from` to the diagonal.
  void rest(std::int64_t i, std::int64_t from) const {
    T* const h = row(i);
    double sums[products + 1] = {};
    for (std::int64_t j = from; j <= i; ++j) {
      double number = double(h[j]);
      if constexpr (updating)
        h[j] = T(number = p_.scale * number + p_.q[i] * p_.a[j] + p_.s[i] * p_.b[j]);
      for (int k = 0; k < products; ++k) {
        sums[k] += number * p_.x[k][j];
        if (j < i) y_[k][j] += number * p_.x[k][i];
      }
    }
    for (int k = 0; k < products; ++k) y_[k][i] += sums[k];
  }

  T* const h_;
  const std::int64_t before_;
  const Pass p_;
  double* y_[products + 1] = {};
};

}  // namespace pinn
