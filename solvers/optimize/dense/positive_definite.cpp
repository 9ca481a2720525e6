#include <Eigen/Cholesky>
#include <algorithm>

#include "solvers/optimize/dense/dense.h"
#include "solvers/optimize/dense/triangle.h"

namespace pinn {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::int64_t most_rows = 128;  ///< of a tile, and columns

/// Rows of the triangle, cut into blocks within its bands; and columns alike.
struct Blocks {
  Blocks(std::int64_t rows, int ranks) {
    const Bands bands(rows);
    for (int r = 0; r < ranks; ++r) {
      for (int b = bands.of_rank(r, ranks); b < bands.of_rank(r + 1, ranks); ++b)
        for (std::int64_t i = bands.first(b); i < bands.first(b + 1); i += most_rows) {
          first.push_back(i);
          last.push_back(std::min(i + most_rows, bands.first(b + 1)));
        }
      end_of_rank.push_back(int(first.size()));
    }
  }
  int count() const { return int(first.size()); }
  Index size(int block) const {
    return Index(last[std::size_t(block)] - first[std::size_t(block)]);
  }
  int begin(int rank) const { return rank == 0 ? 0 : end(rank - 1); }
  int end(int rank) const { return end_of_rank[std::size_t(rank)]; }

  std::vector<std::int64_t> first, last;
  std::vector<int> end_of_rank;
};

/// L with L L^T = H, tile after tile. Each rank has the tiles of its own rows, and of all others
/// the column of tiles that is being eliminated.
class SharedCholesky {
 public:
  template <class T>
  SharedCholesky(std::span<const T> h, std::int64_t rows, const Workers& workers)
      : workers_(workers),
        ranks_(*workers.ranks),
        blocks_(rows, ranks_.count()),
        begin_(blocks_.begin(ranks_.rank())),
        end_(blocks_.end(ranks_.rank())),
        tiles_(std::size_t(end_ - begin_)),
        column_(std::size_t(blocks_.count())) {
    run([&](int i) { take(h, i); });
  }

  /// True if there is such an L; uses the tiles up.
  bool factor() {
    for (int k = 0; k < blocks_.count(); ++k) {
      if (!factor_diagonal(k)) return false;
      run([&](int i) {
        if (i <= k) return;
        solve_on_the_right(column_[std::size_t(k)], at(i, k));
      });
      exchange_column(k);
      run([&](int i) {
        for (int j = k + 1; j < i; ++j)
          add_outer_product(at(i, j), column_[std::size_t(i)], column_[std::size_t(j)], -1);
        if (i > k) at(i, i).selfadjointView<Eigen::Lower>().rankUpdate(column_[std::size_t(i)], -1);
        if (i >= k) at(i, k).resize(0, 0);
      });
    }
    return true;
  }

 private:
  MatrixXd& at(int i, int j) { return tiles_[std::size_t(i - begin_)][std::size_t(j)]; }
  /// Calls act(i) for each block i of rows that this rank has; from the last, which has most to do.
  template <class Act> void run(const Act& act) {
    run_tasks(workers_.threads, end_ - begin_, [&](int task) { act(end_ - 1 - task); });
  }

  template <class T> void take(std::span<const T> h, int i) {
    const std::int64_t before = triangle_size(blocks_.first[std::size_t(begin_)]);
    std::vector<MatrixXd>& row = tiles_[std::size_t(i - begin_)];
    for (int j = 0; j <= i; ++j) row.emplace_back(MatrixXd::Zero(blocks_.size(i), blocks_.size(j)));
    for (std::int64_t r = blocks_.first[std::size_t(i)]; r < blocks_.last[std::size_t(i)]; ++r) {
      const T* from = h.data() + (triangle_size(r) - before);
      for (int j = 0; j <= i; ++j)
        for (Index c = 0; c < (j < i ? blocks_.size(j) : r - blocks_.first[std::size_t(i)] + 1);
             ++c)
          row[std::size_t(j)](Index(r - blocks_.first[std::size_t(i)]), c) = double(*from++);
    }
  }

  int owner(int block) const {
    int rank = 0;
    while (block >= blocks_.end(rank)) ++rank;
    return rank;
  }

  /// The tile on the diagonal, factored by its owner, on all ranks; false where it has no factor.
  bool factor_diagonal(int k) {
    const Index n = blocks_.size(k);
    MatrixXd& l = column_[std::size_t(k)];
    std::vector<double> numbers(std::size_t(n * n + 1));
    if (k >= begin_ && k < end_) {
      const Eigen::LLT<MatrixXd> factored(at(k, k).selfadjointView<Eigen::Lower>());
      l = factored.matrixL();
      std::copy_n(l.data(), n * n, numbers.data());
      numbers.back() = factored.info() == Eigen::Success;
    }
    std::vector<std::size_t> first(std::size_t(ranks_.count()) + 1, 0);
    std::fill(first.begin() + owner(k) + 1, first.end(), numbers.size());
    ranks_.gather(numbers, first);
    l = Eigen::Map<const MatrixXd>(numbers.data(), n, n);
    return numbers.back() == 1;
  }

  /// All tiles below it on all ranks.
  void exchange_column(int k) {
    for (int i = std::max(begin_, k + 1); i < end_; ++i) column_[std::size_t(i)].swap(at(i, k));
    if (ranks_.count() == 1) return;
    std::vector<std::size_t> first = {0};
    for (int r = 0; r < ranks_.count(); ++r) {
      first.push_back(first.back());
      for (int i = std::max(blocks_.begin(r), k + 1); i < blocks_.end(r); ++i)
        first.back() += std::size_t(blocks_.size(i) * blocks_.size(k));
    }
    std::vector<double> numbers(first.back());
    double* to = numbers.data() + first[std::size_t(ranks_.rank())];
    for (int i = std::max(begin_, k + 1); i < end_; ++i)
      to = std::copy_n(column_[std::size_t(i)].data(), column_[std::size_t(i)].size(), to);
    ranks_.gather(numbers, first);
    const double* from = numbers.data();
    for (int i = k + 1; i < blocks_.count(); from += blocks_.size(i) * blocks_.size(k), ++i)
      if (i < begin_ || i >= end_)
        column_[std::size_t(i)] =
            Eigen::Map<const MatrixXd>(from, blocks_.size(i), blocks_.size(k));
  }

  const Workers workers_;
  Ranks& ranks_;
  const Blocks blocks_;
  const int begin_, end_;                     ///< the blocks of rows of this rank
  std::vector<std::vector<MatrixXd>> tiles_;  ///< of each of them, up to the diagonal
  std::vector<MatrixXd> column_;              ///< of L: a tile for each block of rows
};

}  // namespace

bool is_positive_definite(const Tensor& h, std::int64_t rows, const Workers& workers) {
  return visit_floating(h.dtype(), [&]<class T>(T) {
    return SharedCholesky(std::span<const T>(h.data<T>()), rows, workers).factor();
  });
}

}  // namespace pinn
