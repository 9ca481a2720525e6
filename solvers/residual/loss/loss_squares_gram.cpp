#include <numeric>

#include "solvers/residual/loss/loss_squares.h"

namespace pinn {
namespace {

/// Rows of K that are made together: where each tile begins, and how many they are.
struct Tiles {
  std::span<const std::size_t> first, rows;
};

/// The products of a tile with itself and those behind it.
std::vector<std::span<double>> products(const Tiles& tiles, std::size_t a, std::span<double> k,
                                        std::size_t width) {
  std::vector<std::span<double>> all;
  for (std::size_t i = 0; i < tiles.rows[a]; ++i)
    for (std::size_t b = a; b < tiles.rows.size(); ++b) {
      const std::span<double> some =
          k.subspan((tiles.first[a] + i) * width + tiles.first[b], tiles.rows[b]);
      if (b > a && all.back().data() + all.back().size() == some.data())
        all.back() = {all.back().data(), all.back().size() + some.size()};
      else
        all.push_back(some);
    }
  return all;
}

/// Gives all ranks the products that rank r has of tiles share[r] ... share[r + 1] - 1; K is
/// symmetric.
void share_products(Ranks& ranks, const std::vector<std::size_t>& shares, const Tiles& tiles,
                    std::span<double> k, std::size_t width) {
  std::vector<std::vector<std::span<double>>> by_rank;
  for (std::size_t r = 0; r + 1 < shares.size(); ++r) {
    by_rank.emplace_back();
    for (std::size_t a = shares[r]; a < shares[r + 1]; ++a)
      for (const std::span<double> some : products(tiles, a, k, width))
        by_rank.back().push_back(some);
  }
  share_out(ranks, by_rank);
  for (std::size_t r = 0; r < by_rank.size(); ++r)
    for (const std::span<double> some : by_rank[r]) {
      if (r == std::size_t(ranks.rank())) continue;
      const std::size_t at = std::size_t(some.data() - k.data()), i = at / width, j = at % width;
      for (std::size_t n = 0; n < some.size(); ++n) k[(j + n) * width + i] = some[n];
    }
}

}  // namespace

/// Cuts all rows into tiles.
void LossSquares::find_tiles() {
  const std::size_t together = gram_->tile_rows();
  row_tiles_.clear();
  for (RowBlock& b : row_blocks_) {
    b.first_tile = row_tiles_.size();
    for (std::size_t at = b.begin; at < b.end; at += together)
      row_tiles_.push_back(b.first_row + at - b.begin);
  }
  gram_->resize(row_tiles_.size());
}

void LossSquares::put_tiles() {
  const std::size_t together = gram_->tile_rows();
  const auto put = [&](int i) {
    const RowBlock& b = row_blocks_[std::size_t(i)];
    const auto in_tiles = [&](std::span<const RowFactor> factors) {
      const std::size_t rows = b.end - b.begin;
      for (std::size_t at = 0; at < rows; at += together)
        gram_->put(b.first_tile + at / together, factors, at, std::min(at + together, rows));
    };
    use_factors(b, std::cref(in_tiles));
  };
  evaluation_.threads().run(int(row_blocks_.size()), std::cref(put));
}

/// The products of tiles first ... last - 1 with themselves and those behind them.
void LossSquares::multiply_tiles(std::size_t first, std::size_t last, std::span<double> k) {
  const std::size_t width = rows();
  const auto multiply = [&](int i) {
    const std::size_t a = first + std::size_t(i);
    for (std::size_t b = a; b < row_tiles_.size(); ++b)
      gram_->multiply(a, b, k.data() + row_tiles_[a] * width + row_tiles_[b],
                      k.data() + row_tiles_[b] * width + row_tiles_[a], width);
  };
  evaluation_.threads().run(int(last - first), std::cref(multiply));
}

/// Every rank has the factors of all rows, and makes the products of its share of the tiles.
void LossSquares::gram(std::span<const double> p, std::span<double> k) {
  prepare_jacobian(p);
  if (!gram_) gram_ = make_gram(dtype_, layouts());
  find_tiles();
  put_tiles();
  const ProcessGroup& group = evaluation_.group();
  const std::size_t count = row_tiles_.size();
  if (group.count() == 1) {
    multiply_tiles(0, count, k);
  } else {
    std::vector<double> costs(count);
    std::iota(costs.rbegin(), costs.rend(), 1);
    const std::vector<std::size_t> shares = group.shares(costs);
    const auto own = std::size_t(group.rank());
    multiply_tiles(shares[own], shares[own + 1], k);
    std::vector<std::size_t> rows_of_tiles;
    for (const RowBlock& b : row_blocks_)
      for (std::size_t at = b.begin; at < b.end; at += gram_->tile_rows())
        rows_of_tiles.push_back(std::min(gram_->tile_rows(), b.end - at));
    share_products(*group.ranks, shares, {row_tiles_, rows_of_tiles}, k, rows());
  }
  double flops = 0;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a; b < count; ++b) flops += gram_->flops(a, b);
  factor_flops_ += flops;
  count_factors();
}

}  // namespace pinn
