#include <Eigen/Cholesky>
#include <cmath>

#include "solvers/optimize/triangle.h"

namespace pinn {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// H = [A B^T; B C] cut in halves: A's lower triangle, and above it the upper triangle of C, in a
/// matrix with one row more than A; and B.
struct Halves {
  MatrixXd both, b;
  auto a() { return both.bottomRows(both.cols()); }
  auto c() { return both.topLeftCorner(b.rows(), b.rows()); }
};

template <class T> Halves halves(const T* from, Index rows) {
  const Index upper = (rows + 1) / 2, lower = rows - upper;
  Halves h{MatrixXd(upper + 1, upper), MatrixXd(lower, upper)};
  using Row = Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>>;
  for (Index i = 0; i < rows; from += ++i) {
    if (i < upper) {
      h.a().row(i).head(i + 1) = Row(from, i + 1).template cast<double>();
      continue;
    }
    const Index k = i - upper;
    h.b.row(k) = Row(from, upper).template cast<double>();
    h.c().col(k).head(k + 1) = Row(from + upper, k + 1).transpose().template cast<double>();
  }
  return h;
}

}  // namespace

/// H has a factor where A has one, L, and C - (B L^-T) (B L^-T)^T.
bool is_positive_definite(const Tensor& h) {
  const auto rows = Index((std::sqrt(8.0 * double(h.numel()) + 1) - 1) / 2);
  Halves parts =
      visit_floating(h.dtype(), [&]<class T>(T) { return halves<T>(h.data<T>().data(), rows); });
  Eigen::Ref<MatrixXd> a = parts.a(), c = parts.c();
  const Eigen::LLT<Eigen::Ref<MatrixXd>, Eigen::Lower> first(a);
  if (first.info() != Eigen::Success) return false;
  first.matrixU().solveInPlace<Eigen::OnTheRight>(parts.b);
  c.selfadjointView<Eigen::Upper>().rankUpdate(parts.b, -1);
  const Eigen::LLT<Eigen::Ref<MatrixXd>, Eigen::Upper> second(c);
  return second.info() == Eigen::Success;
}

}  // namespace pinn
