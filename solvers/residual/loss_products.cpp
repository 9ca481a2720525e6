#include <algorithm>
#include <cmath>

#include "solvers/residual/loss.h"
#include "solvers/residual/products.h"
#include "solvers/residual/tree_sum.h"

namespace pinn {
namespace {

constexpr std::size_t most_pieces = 16;

/// Points begin ... end - 1 of a part, of which `begin` begins a block, and what they add up to.
struct Piece {
  std::size_t begin = 0, end = 0;
  std::vector<double> sums;
};

std::vector<Piece> pieces_of(const PartProducts& part, std::size_t points) {
  const std::size_t size = part.block(), blocks = (points + size - 1) / size;
  const std::size_t count = std::min(most_pieces, blocks);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < count; ++i)
    pieces.push_back({blocks * i / count * size, std::min(points, blocks * (i + 1) / count * size),
                      std::vector<double>(part.sums(), 0)});
  return pieces;
}

/// One product of one part. `rows` are the part's, or `result` is added to.
void run_part(PartProducts& part, std::size_t points, ThreadPool& pool, std::span<double> rows,
              std::span<double> result) {
  std::vector<Piece> pieces = pieces_of(part, points);
  pool.run(int(pieces.size()), [&](int i) {
    Piece& piece = pieces[std::size_t(i)];
    part.run(piece.begin, piece.end, piece.sums, rows);
  });
  if (result.empty()) return;
  tree_sum(pieces.size(), [&](std::size_t i) -> std::vector<double>& { return pieces[i].sums; });
  part.finish(pieces[0].sums, result);
}

}  // namespace

std::size_t Loss::rows() const {
  std::size_t rows = 0;
  for (std::size_t r = 0; r < parts_.size(); ++r)
    rows += parts_[r]->points() * (first_term_[r + 1] - first_term_[r]);
  return rows;
}

void Loss::residual(std::span<const double> p, std::span<double> r) {
  rows_of_parts(ProductKind::residual, p, {}, r);
}

std::vector<double> Loss::largest(std::span<const double> p) {
  must_have_points();
  std::vector<double> all, rows;
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    const std::size_t points = parts_[r]->points();
    rows.resize(points * (first_term_[r + 1] - first_term_[r]));
    PartProducts& part = parts_[r]->products();
    part.prepare(ProductKind::residual, p, {});
    run_part(part, points, pool_, rows, {});
    for (std::size_t k = first_term_[r], at = 0; k < first_term_[r + 1]; ++k, at += points) {
      double most = 0;
      for (const double row : std::span(rows).subspan(at, points))
        most = std::max(most, std::fabs(row));
      const double root = std::sqrt(terms_[k].weight / double(points));
      all.push_back(root > 0 ? most / root : std::nan(""));
    }
  }
  return all;
}

void Loss::jacobian_times(std::span<const double> p, std::span<const double> v,
                          std::span<double> rows) {
  rows_of_parts(ProductKind::jacobian_times, p, v, rows);
}

void Loss::rows_of_parts(ProductKind product, std::span<const double> p, std::span<const double> v,
                         std::span<double> rows) {
  must_have_points();
  for (std::size_t r = 0, at = 0; r < parts_.size(); ++r) {
    const std::size_t points = parts_[r]->points();
    const std::size_t own = points * (first_term_[r + 1] - first_term_[r]);
    PartProducts& part = parts_[r]->products();
    part.prepare(product, p, v);
    run_part(part, points, pool_, rows.subspan(at, own), {});
    at += own;
  }
}

void Loss::transposed_times(std::span<const double> p, std::span<const double> w,
                            std::span<double> product) {
  must_have_points();
  std::fill(product.begin(), product.end(), 0);
  for (std::size_t r = 0, at = 0; r < parts_.size(); ++r) {
    const std::size_t points = parts_[r]->points();
    const std::size_t own = points * (first_term_[r + 1] - first_term_[r]);
    PartProducts& part = parts_[r]->products();
    part.prepare(ProductKind::transposed_times, p, w.subspan(at, own));
    run_part(part, points, pool_, {}, product);
    at += own;
  }
}

void Loss::hessian_times(std::span<const double> p, std::span<const double> v,
                         std::span<double> product) {
  must_have_points();
  std::fill(product.begin(), product.end(), 0);
  for (const auto& part : parts_) {
    part->products().prepare(ProductKind::hessian_times, p, v);
    run_part(part->products(), part->points(), pool_, {}, product);
  }
}

void Loss::jacobian_rows(std::span<const double> p, std::size_t first, std::size_t count,
                         std::span<double> rows) {
  must_have_points();
  const std::size_t width = p.size(), last = first + count;
  for (std::size_t r = 0, at = 0; r < parts_.size(); ++r) {
    const std::size_t points = parts_[r]->points();
    PartProducts& part = parts_[r]->products();
    bool prepared = false;
    for (std::size_t k = first_term_[r]; k < first_term_[r + 1]; ++k, at += points) {
      if (at + points <= first || at >= last) continue;
      if (!prepared) part.prepare(ProductKind::jacobian, p, {});
      prepared = true;
      const std::size_t begin = std::max(at, first) - at, end = std::min(at + points, last) - at;
      const std::size_t size = part.block(), block = begin / size;
      pool_.run(int((end - 1) / size - block + 1), [&](int i) {
        const std::size_t from = std::max(begin, (block + std::size_t(i)) * size);
        const std::size_t to = std::min(end, (block + std::size_t(i) + 1) * size);
        part.run_jacobian(k - first_term_[r], from, to,
                          rows.subspan((at + from - first) * width, (to - from) * width));
      });
    }
  }
}

}  // namespace pinn
