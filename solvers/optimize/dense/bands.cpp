#include "solvers/optimize/dense/bands.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pinn {

Bands::Bands(std::int64_t rows) {
  const std::int64_t count =
      rows < 512 ? 1 : std::min<std::int64_t>(64, std::bit_floor(std::uint64_t(rows / 128)));
  for (std::int64_t b = 0; b < count; ++b)
    first_.push_back(std::int64_t(std::sqrt(double(b) / double(count)) * double(rows)) / 4 * 4);
  first_.push_back(rows);
}

BandSums::BandSums(const Bands& bands, std::size_t vectors, const Workers& workers)
    : bands_(bands), vectors_(vectors), workers_(workers), parts_(std::size_t(bands.count())) {
  const int ranks = workers.ranks->count();
  for (int r = 0; r < ranks; ++r) owner_.resize(std::size_t(bands.of_rank(r + 1, ranks)), r);
  for (int b = 0; b < bands.count(); ++b)
    if (vectors > 0 && is_own(b)) at(b, 0);  // before threads ask for it
}

double* BandSums::at(int band, std::size_t vector) {
  Tensor& part = parts_[std::size_t(band)];
  if (!part.defined()) part = empty({std::int64_t(vectors_), bands_.rows()});
  return part.data<double>().data() + std::int64_t(vector) * bands_.rows();
}

double* BandSums::begin(int band, std::size_t vector) {
  double* const part = at(band, vector);
  std::fill_n(part, bands_.first(band + 1), 0.0);
  return part;
}

/// Adds the right one of two neighbors to the left one, level after level, in the columns that are
/// the rows of one band; of the bands before that none has a part there.
template <class Is> void BandSums::fold(int columns, const Is& is_due) {
  const std::int64_t begin = bands_.first(columns), end = bands_.first(columns + 1);
  for (int apart = 1; apart < bands_.count(); apart *= 2)
    for (int left = 0; left < bands_.count(); left += 2 * apart) {
      const int right = left + apart, last = right + apart - 1;
      if (last < columns || !is_due(left, last)) continue;
      for (std::size_t k = 0; k < vectors_; ++k) {
        double* const to = at(left, k);
        const double* const from = at(right, k);
        if (right - 1 < columns)
          std::copy(from + begin, from + end, to + begin);
        else
          for (std::int64_t j = begin; j < end; ++j) to[j] += from[j];
      }
    }
}

/// The bands into which a rank folds its own.
std::vector<int> BandSums::folded(int rank) const {
  const int ranks = workers_.ranks->count(), end = bands_.of_rank(rank + 1, ranks);
  std::vector<int> all;
  for (int b = bands_.of_rank(rank, ranks), size; b < end; b += size) {
    for (size = 1; b % (2 * size) == 0 && b + 2 * size <= end;) size *= 2;
    all.push_back(b);
  }
  return all;
}

/// Gives all ranks what each has folded, up to the last row that it has a part of.
void BandSums::exchange() {
  const int ranks = workers_.ranks->count(), own = workers_.ranks->rank();
  if (ranks == 1) return;
  const auto each = [&](int rank, const auto& act) {
    const std::vector<int> all = folded(rank);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int end = i + 1 < all.size() ? all[i + 1] : bands_.of_rank(rank + 1, ranks);
      for (std::size_t k = 0; k < vectors_; ++k) act(all[i], k, bands_.first(end));
    }
  };
  std::vector<std::size_t> first = {0};
  for (int r = 0; r < ranks; ++r) {
    first.push_back(first.back());
    each(r, [&](int, std::size_t, std::int64_t rows) { first.back() += std::size_t(rows); });
  }
  std::vector<double> numbers(first.back());
  auto to = numbers.begin() + std::ptrdiff_t(first[std::size_t(own)]);
  each(own, [&](int band, std::size_t k, std::int64_t rows) {
    to = std::copy_n(at(band, k), rows, to);
  });
  workers_.ranks->gather(numbers, first);
  auto from = numbers.cbegin();
  for (int r = 0; r < ranks; ++r)
    each(r, [&](int band, std::size_t k, std::int64_t rows) {
      if (r != own) std::copy_n(from, rows, at(band, k));
      from += rows;
    });
}

std::vector<Tensor> BandSums::totals() {
  if (vectors_ == 0) return {};
  run_tasks(workers_.threads, bands_.count(), [&](int columns) {
    fold(columns, [&](int left, int last) { return is_own(left) && is_own(last); });
  });
  exchange();
  std::vector<Tensor> all;
  for (std::size_t k = 0; k < vectors_; ++k) all.push_back(empty({bands_.rows()}));
  run_tasks(workers_.threads, bands_.count(), [&](int columns) {
    fold(columns, [&](int left, int last) { return owner(left) != owner(last); });
    for (std::size_t k = 0; k < vectors_; ++k)
      std::copy(at(0, k) + bands_.first(columns), at(0, k) + bands_.first(columns + 1),
                all[k].data<double>().data() + bands_.first(columns));
  });
  return all;
}

}  // namespace pinn
