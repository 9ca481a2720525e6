#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "autograd/compile.h"
#include "autograd/core/spare.h"

namespace pinn {

/// How a part's blocks are cut into chunks: the leaves of the tree along which its sums are added.
/// There is a part's share of 16 in all, or 2, 4, 8 ... times as many, up to 4096, as long as
/// adding them up costs less than one percent of the products. That follows from the problem alone,
/// and so do the bits of the sums; the number of threads, or ranks, decides which of them computes
/// a subtree, and nothing else.
struct Chunks {
  std::size_t blocks = 0, count = 0;

  Chunks() = default;
  /// all: blocks of all parts; flops: operations in products for each of the sums, at all points of
  /// the part; NaN when unknown.
  Chunks(std::size_t blocks, std::size_t all, double flops);
  /// The first block of a chunk; of chunk `count` the end.
  std::size_t first(std::size_t chunk) const { return blocks * chunk / count; }
};

/// Sums of arrays of one length along a fixed binary tree: neighbors first, then pairs of
/// neighbors. What comes leaf after leaf is folded as it comes, with one buffer per level.
class Fold {
 public:
  /// In which order leaves come and are added, in buffers that are counted from 0, where the result
  /// stands: leaf(i, buffer), add(into, from).
  template <class Leaf, class Add>
  static void in_order(std::size_t first, std::size_t last, Leaf&& leaf, Add&& add) {
    std::size_t held = 0;  // buffers in use: one per bit of the number of leaves so far
    const auto merge = [&] { --held, add(held - 1, held); };
    for (std::size_t i = first; i < last; ++i) {
      leaf(i, held++);
      for (std::size_t n = i - first + 1; n % 2 == 0; n /= 2) merge();
    }
    while (held > 1) merge();
  }

  /// result = the sum of leaves first ... last - 1. `leaf(i, sums)` adds leaf i to zeros. `first`
  /// is a multiple of the smallest power of two that is not below last - first, unless last ends
  /// the tree.
  template <class Leaf>
  void operator()(std::size_t first, std::size_t last, std::vector<double>& result, Leaf&& leaf) {
    in_order(
        first, last,
        [&](std::size_t i, std::size_t buffer) {
          if (buffers_.size() == buffer) buffers_.emplace_back();
          buffers_[buffer].assign(result.size(), 0);
          leaf(i, std::span<double>(buffers_[buffer]));
        },
        [&](std::size_t into, std::size_t from) {
          for (std::size_t k = 0; k < result.size(); ++k) buffers_[into][k] += buffers_[from][k];
        });
    result.swap(buffers_[0]);
  }

 private:
  std::vector<std::vector<double>> buffers_;
};

/// The sums of one part: its tree is cut into subtrees, which threads and ranks fold, each in
/// memory that grows with the logarithm of the chunks; the rest is folded when all are there.
class Reduction {
 public:
  /// A subtree per task: 16, or four per thread of all ranks.
  Reduction(const Chunks& chunks, std::size_t sums, int threads);

  int tasks() const { return int(results_.size()); }
  /// Folds a subtree. `run(first, last, sums)` adds what blocks first ... last - 1 give.
  template <class Run> void run(int task, Run&& run) {
    std::vector<double>& result = place(task);
    const auto leaf = [&](std::size_t chunk, std::span<double> sums) {
      run(chunks_.first(chunk), chunks_.first(chunk + 1), sums);
    };
    const auto t = std::size_t(task);
    (*folds_.borrow())(first_chunk(t), first_chunk(t + 1), result, leaf);
  }
  /// The first chunk of a task, and the first block of a chunk or a task; of the last and one more
  /// the end.
  std::size_t first_chunk(std::size_t task) const {
    return std::min(task * subtree_, chunks_.count);
  }
  std::size_t block_of_chunk(std::size_t chunk) const { return chunks_.first(chunk); }
  std::size_t first_block(int task) const { return chunks_.first(first_chunk(std::size_t(task))); }

  /// Adds tasks first ... last - 1 as far as the tree adds them before any other.
  void fold(int first, int last) { fold_within(std::size_t(first), std::size_t(last)); }
  /// In which order: add(into, from) for tasks whose sums are `there`, and then are or are not.
  template <class Add>
  static void fold_in_order(std::size_t first, std::size_t last, std::vector<char>& there,
                            Add&& add) {
    const std::size_t tasks = there.size();
    for (std::size_t apart = 1; apart < tasks; apart *= 2)
      for (std::size_t i = (first + 2 * apart - 1) / (2 * apart) * (2 * apart); i + apart < last;
           i += 2 * apart) {
        if (std::min(i + 2 * apart, tasks) > last || !there[i + apart]) continue;
        add(i, i + apart);
        there[i + apart] = false;
      }
  }
  /// The tasks where their sums stand then.
  std::vector<int> folded(int first, int last) const;
  /// Sums of a task, or room for them; from then on it counts as run.
  std::vector<double>& place(int task) {
    std::vector<double>& result = results_[std::size_t(task)];
    result.resize(sums_);
    there_[std::size_t(task)] = true;
    return result;
  }

  /// The sum, once all tasks ran, or are folded.
  std::vector<double>& sum();

 private:
  void fold_within(std::size_t first, std::size_t last);

  Chunks chunks_;
  std::size_t sums_, subtree_ = 1;
  std::vector<std::vector<double>> results_;
  std::vector<char> there_;  ///< whether a task's sums are still to be added
  Spare<Fold> folds_;
};

/// Work of one rank, `own`, on its GPU for the sums that a reduction would come to, bit for bit:
/// blocks of `block` points, and fewer at the end, are summed at once, and rank r has tasks
/// first[r] ... first[r + 1] - 1.
std::shared_ptr<const SumTree> sum_tree(const Reduction& reduction, std::span<const int> first,
                                        std::size_t own, std::size_t block, std::size_t points);

}  // namespace pinn
