#include "solvers/optimize/triangle.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

constexpr std::int64_t lanes = 8, rows_at_once = 4;

/// Four rows at a time, so that the vectors are read and written once per four rows of H.
template <bool updating> class Sweep {
 public:
  Sweep(const Tensor& h, const Update& u, const Tensor& x, Tensor& y)
      : h_(start(h)), x_(start(x)), y_(start(y)), scale_(u.scale), rows_(x.numel()) {
    if constexpr (updating) q_ = start(u.q), a_ = start(u.a), s_ = start(u.s), b_ = start(u.b);
  }

  void run() {
    std::int64_t i = 0;
    for (; i + rows_at_once <= rows_; i += rows_at_once) block(i);
    for (; i < rows_; ++i) tail(i, 0);
  }

 private:
  static double* start(const Tensor& t) { return t.data<double>().data(); }
  double* row(std::int64_t i) const { return h_ + triangle_size(i); }

  double changed(double h, std::int64_t i, std::int64_t j) const {
    if constexpr (updating) return scale_ * h + q_[i] * a_[j] + s_[i] * b_[j];
    return h;
  }

  /// Rows i to i + 3: whole lanes of columns together, then each row's rest.
  void block(std::int64_t i) {
    double* const rows[rows_at_once] = {row(i), row(i + 1), row(i + 2), row(i + 3)};
    double sums[rows_at_once][lanes] = {};
    const std::int64_t whole = i / lanes * lanes;
    for (std::int64_t j = 0; j < whole; j += lanes) {
      double column[lanes] = {};
      for (int r = 0; r < rows_at_once; ++r)
        for (int k = 0; k < lanes; ++k) {
          const double h = changed(rows[r][j + k], i + r, j + k);
          if constexpr (updating) rows[r][j + k] = h;
          sums[r][k] += h * x_[j + k];
          column[k] += h * x_[i + r];
        }
      for (int k = 0; k < lanes; ++k) y_[j + k] += column[k];
    }
    for (int r = 0; r < rows_at_once; ++r) {
      for (int k = 0; k < lanes; ++k) y_[i + r] += sums[r][k];
      tail(i + r, whole);
    }
  }

  /// Row i from column `from` to the diagonal.
  void tail(std::int64_t i, std::int64_t from) {
    double* const h = row(i);
    double sum = 0;
    for (std::int64_t j = from; j <= i; ++j) {
      const double value = changed(h[j], i, j);
      if constexpr (updating) h[j] = value;
      sum += value * x_[j];
      if (j < i) y_[j] += value * x_[i];
    }
    y_[i] += sum;
  }

  double *h_, *x_, *y_, *q_ = nullptr, *a_ = nullptr, *s_ = nullptr, *b_ = nullptr;
  double scale_;
  std::int64_t rows_;
};

}  // namespace

std::int64_t triangle_size(std::int64_t rows) { return rows * (rows + 1) / 2; }

Tensor identity_triangle(std::int64_t rows) {
  const Tensor h = zeros({triangle_size(rows)});
  for (std::int64_t i = 0; i < rows; ++i) h.data<double>()[triangle_size(i) + i] = 1;
  return h;
}

Tensor product(const Tensor& h, const Tensor& x) {
  Tensor y = zeros(x.shape());
  Sweep<false>(h, {}, x, y).run();
  return y;
}

Tensor update_and_product(Tensor& h, const Update& update, const Tensor& x) {
  Tensor y = zeros(x.shape());
  Sweep<true>(h, update, x, y).run();
  return y;
}

bool is_positive_definite(const Tensor& h) {
  const auto rows = std::int64_t((std::sqrt(8.0 * double(h.numel()) + 1) - 1) / 2);
  Eigen::MatrixXd full(rows, rows);  // column j of Eigen's upper triangle is our row j
  const double* from = h.data<double>().data();
  for (std::int64_t i = 0; i < rows; ++i, from += i)
    full.col(i).head(i + 1) = Eigen::Map<const Eigen::VectorXd>(from, i + 1);
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>, Eigen::Upper> factor(full);
  return factor.info() == Eigen::Success;
}

}  // namespace pinn
