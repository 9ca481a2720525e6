#include "solvers/residual/loss/reduction.h"

#include <algorithm>

namespace pinn {
namespace {

constexpr std::size_t usual = 16, most = 4096;
/// Operations in products that take a hundred times as long as one more sum of a chunk does, which
/// is cleared, filled from a cache that other sums were in, and added.
constexpr double flops_per_sum = 12000;

}  // namespace

Chunks::Chunks(std::size_t blocks, std::size_t all, double flops)
    : blocks(blocks), count(std::min(blocks, (usual * blocks + all - 1) / all)) {
  while (2 * count <= std::min(blocks, most) && double(2 * count) * flops_per_sum <= flops)
    count *= 2;
}

Reduction::Reduction(const Chunks& chunks, std::size_t sums, int threads)
    : chunks_(chunks), sums_(sums) {
  const std::size_t wanted = std::max(usual, 4 * std::size_t(threads));
  while (chunks.count / (2 * subtree_) >= wanted) subtree_ *= 2;
  results_.resize((chunks.count + subtree_ - 1) / subtree_);
  there_.resize(results_.size());
}

void Reduction::fold_within(std::size_t first, std::size_t last) {
  fold_in_order(first, last, there_, [this](std::size_t into, std::size_t from) {
    for (std::size_t k = 0; k < sums_; ++k) results_[into][k] += results_[from][k];
  });
}

std::vector<int> Reduction::folded(int first, int last) const {
  std::vector<int> tasks;
  for (int i = first, apart; i < last; i += apart) {
    apart = 1;
    while (i % (2 * apart) == 0 && apart < this->tasks() &&
           std::min(i + 2 * apart, this->tasks()) <= last)
      apart *= 2;
    tasks.push_back(i);
  }
  return tasks;
}

std::vector<double>& Reduction::sum() {
  fold_within(0, results_.size());
  return results_[0];
}

}  // namespace pinn
