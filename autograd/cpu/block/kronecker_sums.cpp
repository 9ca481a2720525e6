#include <Eigen/Core>
#include <algorithm>
#include <functional>

#include "autograd/cpu/block/row_algebra.h"
#include "autograd/cpu/vectors/processor.h"

namespace pinn::cpu {
namespace {

using Eigen::Index, Eigen::MatrixXd;

/// Lanes [channels][count] as a matrix of `count` columns, the rows of one channel after another.
MatrixXd stacked(DType step, const void* const* lanes, std::size_t channels, std::size_t count,
                 std::size_t rows) {
  MatrixXd m(Index(channels * rows), Index(count));
  visit_floating(step, [&]<class T>(T) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < channels; ++c) {
        const T* const lane = static_cast<const T*>(lanes[c * count + i]);
        std::copy_n(lane, rows, m.data() + (i * channels + c) * rows);
      }
  });
  return m;
}

std::vector<double> symmetric(const std::vector<double>& lower, std::size_t n, double divisor) {
  const Eigen::Map<const MatrixXd> known(lower.data(), Index(n), Index(n));
  const MatrixXd whole = MatrixXd(known.selfadjointView<Eigen::Lower>()) / divisor;
  return {whole.data(), whole.data() + whole.size()};
}

/// sum += m^T m
void add_square(std::vector<double>& sum, const MatrixXd& m) {
  Eigen::Map<MatrixXd> to(sum.data(), m.cols(), m.cols());
  to.selfadjointView<Eigen::Lower>().rankUpdate(m.transpose());
}

class EigenSums : public KroneckerSums {
 public:
  explicit EigenSums(std::map<std::size_t, std::size_t> columns) : columns_(std::move(columns)) {}

  void add(DType step, std::span<const RowFactor> factors, std::size_t rows) override;
  void add(const KroneckerSums& others) override;
  std::vector<KroneckerFactors> factors() const override;

 private:
  struct Sum {
    std::size_t m = 0, n = 0;
    double count = 0;          ///< of what was added to a
    std::vector<double> a, g;  ///< lower triangles, by columns
  };

  Sum& sum(std::size_t offset, std::size_t m, std::size_t n);

  const std::map<std::size_t, std::size_t> columns_;
  std::map<std::size_t, Sum> sums_;
};

EigenSums::Sum& EigenSums::sum(std::size_t offset, std::size_t m, std::size_t n) {
  const auto [known, is_new] = sums_.try_emplace(offset);
  if (is_new)
    known->second = {m, n, 0, std::vector<double>(m * m, 0), std::vector<double>(n * n, 0)};
  return known->second;
}

void EigenSums::add(DType step, std::span<const RowFactor> factors, std::size_t rows) {
  const FlushDenormals mode;
  std::map<std::size_t, MatrixXd> elements;
  for (const RowFactor& f : factors) {
    const std::size_t offset = std::size_t(f.offset);
    const MatrixXd x = stacked(step, f.x, f.channels, f.k, rows);
    if (f.g) {
      Sum& s = sum(offset, f.k, f.n);
      add_square(s.a, x);
      add_square(s.g, stacked(step, f.g, f.channels, f.n, rows));
      s.count += double(x.rows());
    } else if (const auto [known, is_new] = elements.emplace(offset, x); !is_new) {
      known->second += x;
    }
  }
  // The rows of a matrix of elements are its channels g, of unit vectors x.
  for (const auto& [offset, e] : elements) {
    const Index n = Index(columns_.at(offset)), m = e.cols() / n;
    Sum& s = sum(offset, std::size_t(m), std::size_t(n));
    for (Index i = 0; i < m; ++i) {
      s.a[std::size_t(i * m + i)] += double(rows);
      add_square(s.g, e.middleCols(i * n, n));
    }
    s.count += double(m) * double(rows);
  }
}

void EigenSums::add(const KroneckerSums& others) {
  for (const auto& [offset, other] : static_cast<const EigenSums&>(others).sums_) {
    Sum& s = sum(offset, other.m, other.n);
    std::ranges::transform(s.a, other.a, s.a.begin(), std::plus());
    std::ranges::transform(s.g, other.g, s.g.begin(), std::plus());
    s.count += other.count;
  }
}

std::vector<KroneckerFactors> EigenSums::factors() const {
  std::vector<KroneckerFactors> all;
  for (const auto& [offset, s] : sums_)
    all.push_back({offset, s.m, s.n, true, symmetric(s.a, s.m, s.count), symmetric(s.g, s.n, 1)});
  return all;
}

}  // namespace

std::unique_ptr<KroneckerSums> make_kronecker_sums(std::map<std::size_t, std::size_t> columns) {
  return std::make_unique<EigenSums>(std::move(columns));
}

}  // namespace pinn::cpu
