#include <algorithm>
#include <atomic>
#include <cmath>

#include "autograd/compile.h"
#include "solvers/residual/loss.h"
#include "solvers/residual/part.h"

/// What second-order methods ask of a loss.
namespace pinn {

std::size_t Loss::rows() const { return first_row(parts_.size()); }

void Loss::residual(std::span<const double> p, std::span<double> r) {
  evaluate({Sweep::residual, p, {}, {}, {}, r});
}

void Loss::jacobian_times(std::span<const double> p, std::span<const double> v,
                          std::span<double> rows) {
  evaluate({Sweep::jacobian_times, p, v, {}, {}, rows});
}

void Loss::transposed_times(std::span<const double> p, std::span<const double> w,
                            std::span<double> product) {
  evaluate({Sweep::transposed_times, p, w, {}, product, {}});
}

void Loss::hessian_times(std::span<const double> p, std::span<const double> v,
                         std::span<double> product) {
  evaluate({Sweep::hessian_times, p, v, {}, product, {}});
}

std::vector<double> Loss::largest(std::span<const double> p) {
  scratch_.resize(rows());
  residual(p, scratch_);
  std::vector<double> all;
  for (std::size_t r = 0, at = 0; r < parts_.size(); ++r) {
    const std::size_t points = parts_[r]->points();
    for (std::size_t k = first_term_[r]; k < first_term_[r + 1]; ++k, at += points) {
      double most = 0;
      for (const double row : std::span(scratch_).subspan(at, points))
        most = std::max(most, std::fabs(row));
      const double root = std::sqrt(terms_[k].weight / double(points));
      all.push_back(root > 0 ? most / root : std::nan(""));
    }
  }
  return all;
}

void Loss::jacobian_rows(std::span<const double> p, std::size_t first, std::size_t count,
                         std::span<double> rows) {
  must_have_points();
  const std::size_t last = first + count;
  for (std::size_t r = 0, at = 0; r < parts_.size(); ++r) {
    const std::size_t points = parts_[r]->points();
    bool prepared = false;
    for (std::size_t k = 0; k < terms_in(r); ++k, at += points) {
      if (at + points <= first || at >= last) continue;
      if (!prepared) parts_[r]->prepare(Sweep::jacobian, p, {});
      prepared = true;
      const std::size_t begin = std::max(at, first) - at, end = std::min(at + points, last) - at;
      rows_of_term({r, k, begin, end, at}, rows.data() + (at + begin - first) * p.size());
    }
  }
}

/// Rows of one term, block by block, to `rows`.
void Loss::rows_of_term(const RowBlock& asked, double* rows) {
  const std::size_t size = parts_[asked.requirement]->size(Sweep::jacobian).block;
  const std::size_t width = model_->parameter_count();
  const auto write = [&](int i) {
    const std::size_t block = asked.begin / size + std::size_t(i);
    RowBlock part = asked;
    part.begin = std::max(asked.begin, block * size);
    part.end = std::min(asked.end, (block + 1) * size);
    const auto factors = factors_of(part);
    write_rows(factors->all, 0, part.end - part.begin, width,
               rows + (part.begin - asked.begin) * width);
  };
  pool_.run(int((asked.end - 1) / size - asked.begin / size + 1), std::cref(write));
}

/// The factors of some rows.
Spare<RowFactors>::Loan Loss::factors_of(const RowBlock& block) {
  auto factors = factors_.borrow();
  parts_[block.requirement]->factors(block.term, block.begin, block.end, *factors.thing);
  return factors;
}

void Loss::jacobian(std::span<const double> p, std::size_t most, const Eater& eat) {
  must_have_points();
  for (const auto& part : parts_) part->prepare(Sweep::jacobian, p, {});
  const std::vector<RowBlock> blocks = row_blocks();
  std::atomic<double> flops = 0;
  pool_.run(int(blocks.size()), [&](int i) {
    const RowBlock& block = blocks[std::size_t(i)];
    const auto factors = factors_of(block);
    const auto rows = eaten_.borrow();
    rows.thing->resize(most * p.size());
    const std::size_t count = block.end - block.begin;
    for (std::size_t at = 0; at < count; at += most) {
      const std::size_t some = std::min(most, count - at);
      write_rows(factors->all, at, some, p.size(), rows.thing->data());
      eat(block.first_row + at, some, rows.thing->data());
    }
    flops += row_flops(factors->all) * double(count);
  });
  count(1, Sweep::jacobian);
  work_.product_flops += flops;
}

void Loss::gram(std::span<const double> p, std::span<double> k) {
  must_have_points();
  const std::vector<RowBlock> blocks = row_blocks();
  for (const auto& part : parts_) part->prepare(Sweep::jacobian, p, {});
  if (!gram_) gram_ = Gram::make(dtype_, layouts_of(blocks));
  Gram* const gram = gram_.get();
  const std::size_t tile = gram->tile_rows(), width = rows();
  std::vector<std::size_t> first_tile{0}, first_rows, row_counts;
  for (const RowBlock& b : blocks) {
    for (std::size_t at = b.begin; at < b.end; at += tile) {
      first_rows.push_back(b.first_row + at - b.begin);
      row_counts.push_back(std::min(tile, b.end - at));
    }
    first_tile.push_back(first_rows.size());
  }
  gram->resize(first_rows.size());
  pool_.run(int(blocks.size()), [&](int i) {
    const RowBlock& b = blocks[std::size_t(i)];
    const auto factors = factors_of(b);
    for (std::size_t t = first_tile[std::size_t(i)], at = 0; at < b.end - b.begin; ++t, at += tile)
      gram->put(t, factors->all, at, std::min(at + tile, b.end - b.begin));
  });
  count(1, Sweep::jacobian);
  std::atomic<double> flops = 0;
  pool_.run(int(first_rows.size()), [&](int i) {
    const std::size_t a = std::size_t(i);
    for (std::size_t b = a; b < first_rows.size(); ++b) {
      double* const to = k.data() + first_rows[a] * width + first_rows[b];
      gram->multiply(a, b, to, width);
      flops += gram->flops(a, b);
      for (std::size_t m = 0; m < row_counts[a] && a != b; ++m)
        for (std::size_t n = 0; n < row_counts[b]; ++n)
          k[(first_rows[b] + n) * width + first_rows[a] + m] = to[m * width + n];
    }
  });
  work_.product_flops += flops;
}

/// The factors of one row of each term.
std::vector<std::vector<RowFactor>> Loss::layouts_of(const std::vector<RowBlock>& blocks) {
  std::vector<std::vector<RowFactor>> layouts;
  for (const RowBlock& b : blocks)
    if (b.begin == 0)
      layouts.push_back(factors_of({b.requirement, b.term, 0, 1, b.first_row})->all);
  return layouts;
}

/// Rows of one term at points that one block has, of all.
std::vector<Loss::RowBlock> Loss::row_blocks() {
  std::vector<RowBlock> blocks;
  for (std::size_t r = 0, row = 0; r < parts_.size(); ++r) {
    const std::size_t points = parts_[r]->points(), size = parts_[r]->size(Sweep::jacobian).block;
    for (std::size_t k = 0; k < terms_in(r); ++k, row += points)
      for (std::size_t begin = 0; begin < points; begin += size)
        blocks.push_back({r, k, begin, std::min(points, begin + size), row + begin});
  }
  return blocks;
}

}  // namespace pinn
