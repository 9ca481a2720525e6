#pragma once
#include <cstdint>
#include <vector>

#include "autograd/core/parallel.h"
#include "autograd/core/ranks.h"
#include "autograd/tape/tensor.h"

namespace pinn {

/// Ranks that share out dense algebra, each with threads of its own. Results do not depend on the
/// number of either.
struct Workers {
  ThreadPool* threads = nullptr;  ///< null: the calling one
  Ranks* ranks = &alone();

  Workers() = default;
  Workers(ThreadPool* threads, Ranks& ranks = alone()) : threads(threads), ranks(&ranks) {}
};

/// How the rows of a triangle are cut into bands of about equal numbers of elements: one below 512
/// rows, 4 to 64 above, always a power of two. Each rank keeps and works on a run of consecutive
/// bands.
class Bands {
 public:
  explicit Bands(std::int64_t rows);

  std::int64_t rows() const { return first_.back(); }
  int count() const { return int(first_.size()) - 1; }
  /// The first row of a band, a multiple of four; of band count() the number of rows.
  std::int64_t first(int band) const { return first_[std::size_t(band)]; }
  /// The first band of a rank; of rank `ranks` the number of bands.
  int of_rank(int rank, int ranks) const { return int(std::int64_t(count()) * rank / ranks); }

 private:
  std::vector<std::int64_t> first_;
};

/// Sums over all bands of vectors to which each adds its part, along the fixed binary tree of
/// neighbors. A band adds to elements up to its last row, so that elements of later rows have fewer
/// parts. Each rank folds the parts of its own bands as far as the tree allows, all get what stands
/// then, and each folds the rest.
class BandSums {
 public:
  BandSums(const Bands& bands, std::size_t vectors, const Workers& workers);

  /// Numbers of a vector that a band of this rank adds to, zeros at first. One call for each.
  double* begin(int band, std::size_t vector);
  /// The vectors [rows] on all ranks, once all bands have added to them.
  std::vector<Tensor> totals();

 private:
  bool is_own(int band) const { return owner(band) == workers_.ranks->rank(); }
  int owner(int band) const { return owner_[std::size_t(band)]; }
  double* at(int band, std::size_t vector);
  std::vector<int> folded(int rank) const;
  void exchange();
  template <class Is> void fold(int columns, const Is& is_due);

  const Bands& bands_;
  const std::size_t vectors_;
  const Workers workers_;
  std::vector<int> owner_;     ///< of each band
  std::vector<Tensor> parts_;  ///< of each band, and of what is folded into it: [vectors, rows]
};

}  // namespace pinn
