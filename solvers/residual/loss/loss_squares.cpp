#include "solvers/residual/loss/loss_squares.h"

#include <algorithm>

namespace pinn {

void LossSquares::residual(std::span<const double> p, std::span<double> r) {
  evaluation_.run({Sweep::residual, p, {}, {}, {}, r});
}

void LossSquares::jacobian_times(std::span<const double> p, std::span<const double> v,
                                 std::span<double> rows) {
  evaluation_.run({Sweep::jacobian_times, p, v, {}, {}, rows});
}

void LossSquares::transposed_times(std::span<const double> p, std::span<const double> w,
                                   std::span<double> product) {
  evaluation_.run({Sweep::transposed_times, p, w, {}, product, {}});
}

void LossSquares::hessian_times(std::span<const double> p, std::span<const double> v,
                                std::span<double> product) {
  evaluation_.run({Sweep::hessian_times, p, v, {}, product, {}});
}

void LossSquares::prepare_jacobian(std::span<const double> p) {
  parts_.must_have_points();
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].points() > 0) parts_[i].prepare(Sweep::jacobian, p, {});
  row_blocks();
}

/// The factors of some rows go to `use`.
void LossSquares::use_factors(const RowBlock& block, const FactorUser& use) {
  factor_flops_ += parts_[block.part].factors(block.term, block.begin, block.end, use);
  factor_points_ += double(block.end - block.begin);
}

/// Counts the work of all factors since the last time.
void LossSquares::count_factors() {
  evaluation_.count(LossWork{factor_points_.exchange(0), factor_flops_.exchange(0)});
}

void LossSquares::jacobian_rows(std::span<const double> p, std::size_t first, std::size_t count,
                                std::span<double> rows) {
  parts_.must_have_points();
  const std::size_t last = first + count;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t points = parts_[i].rows();
    bool prepared = false;
    for (std::size_t k = 0; k < parts_.terms_of_part(i); ++k) {
      const std::size_t at = parts_.first_row(i, k);
      if (points == 0 || at + points <= first || at >= last) continue;
      if (!prepared) parts_[i].prepare(Sweep::jacobian, p, {});
      prepared = true;
      const std::size_t begin = std::max(at, first) - at, end = std::min(at + points, last) - at;
      rows_of_term({i, k, begin, end, at}, rows.data() + (at + begin - first) * p.size());
    }
  }
  count_factors();
}

/// Rows of one term, block by block, to `rows`.
void LossSquares::rows_of_term(const RowBlock& asked, double* rows) {
  const std::size_t size = parts_[asked.part].size(Sweep::jacobian).block;
  const std::size_t width = parts_.model().parameter_count();
  const auto write = [&](int i) {
    const std::size_t block = asked.begin / size + std::size_t(i);
    RowBlock part = asked;
    part.begin = std::max(asked.begin, block * size);
    part.end = std::min(asked.end, (block + 1) * size);
    const auto put = [&](std::span<const RowFactor> factors) {
      const auto scratch = row_scratches_.of<double>().borrow();
      scratch->writer->take(dtype_, factors);
      scratch->writer->write(0, part.end - part.begin, width,
                             rows + (part.begin - asked.begin) * width, width);
      factor_flops_ += row_flops(factors) * double(part.end - part.begin);
    };
    use_factors(part, std::cref(put));
  };
  evaluation_.threads().run(int((asked.end - 1) / size - asked.begin / size + 1), std::cref(write));
}

void LossSquares::jacobian(std::span<const double> p, std::size_t most, const Eater<double>& eat) {
  all_rows(p, most, eat);
}
void LossSquares::jacobian(std::span<const double> p, std::size_t most, const Eater<float>& eat) {
  all_rows(p, most, eat);
}

template <class T>
void LossSquares::all_rows(std::span<const double> p, std::size_t most, const Eater<T>& eat) {
  prepare_jacobian(p);
  const std::size_t line = 64 / sizeof(T), stride = (p.size() + line - 1) / line * line;
  const auto write = [&](int i) {
    const RowBlock& block = row_blocks_[std::size_t(i)];
    const auto put = [&](std::span<const RowFactor> factors) {
      const auto scratch = row_scratches_.of<T>().borrow();
      scratch->rows.make_room(most * stride);
      scratch->writer->take(dtype_, factors);
      const std::size_t count = block.end - block.begin;
      for (std::size_t at = 0; at < count; at += most) {
        const std::size_t some = std::min(most, count - at);
        scratch->writer->write(at, some, p.size(), scratch->rows.data(), stride);
        eat({block.first_row + at, some, scratch->rows.data(), stride});
      }
      factor_flops_ += row_flops(factors) * double(count);
    };
    use_factors(block, std::cref(put));
  };
  evaluation_.threads().run(int(row_blocks_.size()), std::cref(write));
  count_factors();
}

/// The factors of one row of each term.
std::vector<std::vector<RowFactor>> LossSquares::layouts() {
  std::vector<std::vector<RowFactor>> layouts;
  for (const RowBlock& b : row_blocks_)
    if (b.begin == 0)
      parts_[b.part].factors(b.term, 0, 1, [&](std::span<const RowFactor> factors) {
        layouts.emplace_back(factors.begin(), factors.end());
      });
  return layouts;
}

/// Finds the rows that are made together, of all.
void LossSquares::row_blocks() {
  row_blocks_.clear();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const std::size_t points = parts_[i].points() == 0 ? 0 : parts_[i].rows();
    if (points == 0) continue;
    const std::size_t size = parts_[i].size(Sweep::jacobian).block;
    for (std::size_t k = 0; k < parts_.terms_of_part(i); ++k)
      for (std::size_t begin = 0; begin < points; begin += size)
        row_blocks_.push_back(
            {i, k, begin, std::min(points, begin + size), parts_.first_row(i, k) + begin});
  }
}

}  // namespace pinn
