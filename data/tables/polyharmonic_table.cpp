#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <array>
#include <cmath>

#include "autograd/core/error.h"
#include "data/tables/scattered_base.h"
#include "data/tables/scattered_table.h"

namespace pinn {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr int degree = 3, most_order = 4;

/// The powers of all monomials up to degree 3.
std::vector<MultiIndex> monomials(std::size_t inputs) {
  std::vector<MultiIndex> all = {{}};
  for (std::size_t i = 0; i < inputs; ++i) {
    const std::size_t known = all.size();
    for (std::size_t k = 0; k < known; ++k) {
      MultiIndex more = all[k];
      while (order(more) < degree) {
        more = more + unit_index(int(i));
        all.push_back(more);
      }
    }
  }
  return all;
}

/// The derivative of a monomial of t = 2 x - 1 by x.
double monomial(const MultiIndex& powers, const MultiIndex& order, std::span<const double> x) {
  double value = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (order[i] > powers[i]) return 0;
    for (int k = 0; k < order[i]; ++k) value *= 2 * (powers[i] - k);
    for (int k = order[i]; k < powers[i]; ++k) value *= 2 * x[i] - 1;
  }
  return value;
}

/// Coefficients of a sum of |x - point|^3 and a polynomial, so that it has given values: with A the
/// kernel between points and P the polynomials at them
///
///   A a + P c = f,   P^T a = 0
///
/// P = Q R splits the numbers a into what the second line forbids and the rest, for which Q^T A Q
/// is positive (Wendland, theorem 8.17 and section 8.5).
class System {
 public:
  System(const TableOptions& options, const Matrix& places, const Matrix& polynomials)
      : options_(options), places_(places), polynomials_(polynomials) {
    qr_.setThreshold(1e-8);
    qr_.compute(polynomials);
    if (qr_.rank() < count())
      throw ConfigError(
          {fmt::format("the points of the table '{}' lie on one {} of degree {}: cubic polynomials "
                       "that vanish there stay open",
                       options.name, places.cols() == 2 ? "curve" : "surface", degree),
           "", "add points elsewhere, or write interpolation = \"linear\""});
    kernel_.resize(rows(), rows());
    for (Eigen::Index p = 0; p < rows(); ++p) kernel_.col(p) = kernel(p);
    kernel_.applyOnTheLeft(qr_.householderQ().transpose());
    kernel_.applyOnTheRight(qr_.householderQ());
    upper_ = kernel_.topRightCorner(count(), free());
    free_.compute(kernel_.bottomRightCorner(free(), free()));
    kernel_.resize(0, 0);
  }

  /// a, then c.
  std::pair<Vector, Vector> solve(const Vector& values) const {
    std::pair<Vector, Vector> found{Vector::Zero(rows()), Vector::Zero(count())};
    const double size = values.cwiseAbs().maxCoeff();
    Vector rest = values;
    for (int step = 0; step < 3; ++step) {  // the later ones refine it
      add(rest, found);
      rest = values - polynomials_ * found.second;
      for (Eigen::Index p = 0; p < rows(); ++p) rest[p] -= kernel(p).dot(found.first);
    }
    if (!(rest.cwiseAbs().maxCoeff() <= 1e-9 * size)) refuse_close();
    return found;
  }

 private:
  Eigen::Index rows() const { return places_.rows(); }
  Eigen::Index count() const { return polynomials_.cols(); }
  Eigen::Index free() const { return rows() - count(); }

  /// |x_q - x_p|^3 for all q.
  Vector kernel(Eigen::Index p) const {
    const Eigen::ArrayXd s = (places_.rowwise() - places_.row(p)).rowwise().squaredNorm();
    return s * s.sqrt();
  }

  void add(const Vector& rest, std::pair<Vector, Vector>& to) const {
    const Vector turned = qr_.householderQ().transpose() * rest;
    const Vector moved = free() > 0 ? Vector(free_.solve(turned.tail(free()))) : Vector();
    Vector a = Vector::Zero(rows());
    a.tail(free()) = moved;
    to.first += qr_.householderQ() * a;
    const Vector c = turned.head(count()) - upper_ * moved;
    const Vector solved =
        qr_.matrixR().topLeftCorner(count(), count()).triangularView<Eigen::Upper>().solve(c);
    const Vector unmixed = qr_.colsPermutation() * solved;
    to.second += unmixed;
  }

  [[noreturn]] void refuse_close() const {
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index p = 1; p < rows(); ++p)
      least = std::min(least,
                       (places_.topRows(p).rowwise() - places_.row(p)).rowwise().norm().minCoeff());
    throw ConfigError(
        {fmt::format("no cubic table goes through the points of '{}' in the digits of "
                     "float64: the nearest two are {:.1e} of the range apart",
                     options_.name, least),
         "", "leave one of such two out, or write interpolation = \"linear\""});
  }

  const TableOptions& options_;
  const Matrix &places_, &polynomials_;
  Eigen::ColPivHouseholderQR<Matrix> qr_;
  Matrix kernel_, upper_;
  Eigen::LLT<Matrix> free_;
};

class PolyharmonicTable : public ScatteredTable {
 public:
  PolyharmonicTable(const TableOptions& options, const std::vector<double>& points,
                    const std::vector<double>& values)
      : ScatteredTable(options, points, values), monomials_(monomials(d_)) {
    const auto n = Eigen::Index(values_.size()), d = Eigen::Index(d_);
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Matrix places = Eigen::Map<const Rows>(points_.data(), n, d);
    Matrix polynomials(n, Eigen::Index(monomials_.size()));
    for (Eigen::Index p = 0; p < n; ++p)
      for (std::size_t k = 0; k < monomials_.size(); ++k)
        polynomials(p, Eigen::Index(k)) =
            monomial(monomials_[k], {}, std::span(points_).subspan(std::size_t(p) * d_, d_));
    const auto [a, c] =
        System(options, places, polynomials).solve(Eigen::Map<const Vector>(values_.data(), n));
    places_ = places;
    counts_ = a;
    coefficients_ = c;
  }
  bool vanishes(const MultiIndex&) const override { return false; }

 private:
  using Some = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, 256, 1>;

  double value(const MultiIndex& order, const Place& at) const override {
    const int total = pinn::order(order);
    if (total > most_order)
      throw InternalError({"a fifth derivative of a table of points", name(), ""});
    std::array<std::size_t, most_order> by{};
    double sum = 0, lengths = 1;
    for (std::size_t i = 0, k = 0; i < d_; ++i)
      for (int times = 0; times < order[i]; ++times) {
        by[k++] = i;
        lengths *= length(i);
      }
    for (std::size_t k = 0; k < monomials_.size(); ++k)
      sum += coefficients_[Eigen::Index(k)] * monomial(monomials_[k], order, place(at));
    for (Eigen::Index first = 0; first < counts_.size(); first += Some::MaxSizeAtCompileTime)
      sum += kernels(total, by, at, first,
                     std::min<Eigen::Index>(counts_.size() - first, Some::MaxSizeAtCompileTime));
    return sum / lengths;
  }

  /// The derivative by inputs i, j, k, l of the sum over some points of their count times r^3, with
  /// y = x - point. A derivative that jumps at a point is 0 there.
  double kernels(int total, const std::array<std::size_t, most_order>& by, const Place& at,
                 Eigen::Index first, Eigen::Index count) const {
    const Some a = counts_.segment(first, count).array();
    const auto step = [&](int k) -> Some {
      const std::size_t i = by[std::size_t(k)];
      return at[i] - places_.col(Eigen::Index(i)).segment(first, count).array();
    };
    Some s = Some::Zero(count);
    for (std::size_t i = 0; i < d_; ++i)
      s += (at[i] - places_.col(Eigen::Index(i)).segment(first, count).array()).square();
    const Some r = s.sqrt();
    if (total == 0) return (a * s * r).sum();
    const Some i = step(0);
    if (total == 1) return 3 * (a * i * r).sum();
    const auto same = [&](int k, int l) {
      return by[std::size_t(k)] == by[std::size_t(l)] ? 1. : 0.;
    };
    const Some g = (s > 0).select(1 / r, Some::Zero(count));
    const Some j = step(1);
    if (total == 2) return 3 * (a * (i * j * g + same(0, 1) * r)).sum();
    const Some k = step(2), g3 = g * g * g;
    if (total == 3)
      return 3 *
             (a * ((same(0, 1) * k + same(0, 2) * j + same(1, 2) * i) * g - i * j * k * g3)).sum();
    const Some l = step(3);
    const double pairs =
        same(0, 1) * same(2, 3) + same(0, 2) * same(1, 3) + same(0, 3) * same(1, 2);
    const Some mixed = same(0, 1) * k * l + same(0, 2) * j * l + same(0, 3) * j * k +
                       same(1, 2) * i * l + same(1, 3) * i * k + same(2, 3) * i * j;
    return 3 * (a * (pairs * g - mixed * g3 + 3 * i * j * k * l * g3 * g * g)).sum();
  }

  std::vector<MultiIndex> monomials_;
  Matrix places_;        ///< [points, inputs], in units of the ranges
  Vector counts_;        ///< of the kernels
  Vector coefficients_;  ///< of the monomials
};

}  // namespace

TablePtr polyharmonic_table(const TableOptions& options, const std::vector<double>& points,
                            const std::vector<double>& values) {
  const std::size_t least = monomials(options.inputs.size()).size();
  if (values.size() < least)
    throw ConfigError(
        {fmt::format("the cubic table '{}' has {} points", options.name, values.size()), "",
         fmt::format("give {} at least, or write interpolation = \"linear\"", least)});
  if (values.size() > most_of_polyharmonic)
    throw ConfigError({fmt::format("the cubic table '{}' has {} points that fill no grid",
                                   options.name, values.size()),
                       "",
                       fmt::format("at most {} are possible: put them on a grid, or write "
                                   "interpolation = \"linear\"",
                                   most_of_polyharmonic)});
  return std::make_shared<PolyharmonicTable>(options, points, values);
}

}  // namespace pinn
