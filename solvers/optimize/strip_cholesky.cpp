#include "solvers/optimize/tiled_cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>
#include <vector>

#include "solvers/optimize/tall_qr.h"

namespace pinn {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

constexpr Index tile = 128;  ///< rows and columns

/// Pairs (i, j) of tiles with i >= j, from a tile on.
std::vector<std::pair<Index, Index>> pairs_from(Index first, Index tiles) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index j = first; j < tiles; ++j)
    for (Index i = j; i < tiles; ++i) pairs.push_back({i, j});
  return pairs;
}

}  // namespace

TiledCholesky::TiledCholesky(MatrixXd a) : both_(std::move(a)), diagonal_(both_.diagonal()) {}

bool TiledCholesky::factor(double shift, ThreadPool* threads) {
  const Index n = both_.rows(), tiles = (n + tile - 1) / tile;
  const auto size = [&](Index t) { return std::min(tile, n - t * tile); };
  const auto at = [&](Index i, Index j) {
    return both_.block(i * tile, j * tile, size(i), size(j));
  };
  const auto all = pairs_from(0, tiles);
  run_tasks(threads, int(all.size()), [&](int task) {
    const auto [i, j] = all[std::size_t(task)];
    if (i != j) return void(at(i, j) = at(j, i).transpose());
    auto own = at(i, i);
    own.triangularView<Eigen::StrictlyLower>() = own.transpose();
  });
  both_.diagonal() = diagonal_.array() + shift;

  for (Index k = 0; k < tiles; ++k) {
    if (!factor_tile(k * tile, size(k))) return false;
    run_tasks(threads, int(tiles - k - 1), [&](int task) {
      auto below = at(k + 1 + task, k);
      at(k, k).triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
    });
    const auto rest = pairs_from(k + 1, tiles);
    run_tasks(threads, int(rest.size()), [&](int task) {
      const auto [i, j] = rest[std::size_t(task)];
      auto to = at(i, j);
      if (i == j)
        to.selfadjointView<Eigen::Lower>().rankUpdate(at(i, k), -1);
      else
        to.noalias() -= at(i, k) * at(j, k).transpose();
    });
  }
  return true;
}

bool TiledCholesky::factor_tile(Index first, Index size) {
  auto own = both_.block(first, first, size, size);
  const Eigen::LLT<MatrixXd> factored(own.selfadjointView<Eigen::Lower>());
  own.triangularView<Eigen::Lower>() = factored.matrixL();
  return factored.info() == Eigen::Success;
}

VectorXd TiledCholesky::times(const VectorXd& v) const {
  const auto above = both_.triangularView<Eigen::StrictlyUpper>();
  return diagonal_.cwiseProduct(v) + above * v + above.transpose() * v;
}

VectorXd TiledCholesky::solve(VectorXd v) const {
  const auto l = both_.triangularView<Eigen::Lower>();
  l.solveInPlace(v);
  l.transpose().solveInPlace(v);
  return v;
}

}  // namespace pinn
