#include "solvers/optimize/triangle.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <cstring>

#include "solvers/optimize/vector.h"

namespace pinn {
namespace {

/// Eight numbers that the compiler keeps in one, two or four registers, as the processor has them.
typedef double Lanes __attribute__((vector_size(64)));
constexpr std::int64_t lanes = 8, rows_at_once = 4;

Lanes load(const double* from) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
void store(const Lanes& x, double* to) { std::memcpy(to, &x, sizeof x); }

double sum(const Lanes& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/// One pass over H: applies an update, if there is one, and adds the product with x to y. Four rows
/// at a time, so that the vectors are read and written once per four rows.
template <bool updating> class Sweep {
 public:
  Sweep(const Tensor& h, const Update& u, const Tensor& x, const Tensor& y)
      : h_(start(h)), x_(start(x)), y_(start(y)), scale_(u.scale), rows_(x.numel()) {
    if constexpr (updating) q_ = start(u.q), a_ = start(u.a), s_ = start(u.s), b_ = start(u.b);
  }

  void run() {
    std::int64_t i = 0;
    for (; i + rows_at_once <= rows_; i += rows_at_once) {
      const std::int64_t whole = i / lanes * lanes;
      block(i, whole);
      for (int r = 0; r < rows_at_once; ++r) rest(i + r, whole);
    }
    for (; i < rows_; ++i) rest(i, 0);
  }

 private:
  static double* start(const Tensor& t) { return t.data<double>().data(); }
  double* row(std::int64_t i) const { return h_ + triangle_size(i); }

  /// Rows i to i + 3, columns 0 to `columns`, which whole lanes fill.
  void block(std::int64_t i, std::int64_t columns) const {
    double* const rows[rows_at_once] = {row(i), row(i + 1), row(i + 2), row(i + 3)};
    Lanes sums[rows_at_once] = {};
    for (std::int64_t j = 0; j < columns; j += lanes) {
      const Lanes x = load(x_ + j);
      Lanes y = load(y_ + j), a{}, b{};
      if constexpr (updating) a = load(a_ + j), b = load(b_ + j);
      for (int r = 0; r < rows_at_once; ++r) {
        Lanes h = load(rows[r] + j);
        if constexpr (updating) store(h = scale_ * h + q_[i + r] * a + s_[i + r] * b, rows[r] + j);
        sums[r] += h * x;
        y += h * x_[i + r];
      }
      store(y, y_ + j);
    }
    for (int r = 0; r < rows_at_once; ++r) y_[i + r] += sum(sums[r]);
  }

  /// Row i from column `from` to the diagonal.
  void rest(std::int64_t i, std::int64_t from) const {
    double* const h = row(i);
    double sum = 0;
    for (std::int64_t j = from; j <= i; ++j) {
      if constexpr (updating) h[j] = scale_ * h[j] + q_[i] * a_[j] + s_[i] * b_[j];
      sum += h[j] * x_[j];
      if (j < i) y_[j] += h[j] * x_[i];
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
