#include <algorithm>

#include "solvers/residual/loss/loss_squares.h"

namespace pinn {
namespace {

/// Sums that are made apart, of one term: what they come to does not depend on who makes them.
constexpr std::size_t shares = 16;

}  // namespace

std::vector<KroneckerFactors> LossSquares::kronecker(std::span<const double> p) {
  prepare_jacobian(p);
  std::map<std::size_t, std::size_t> columns;
  for (const ParameterBlock& b : parts_.model().blocks())
    columns[std::size_t(b.offset)] =
        b.shape.rank() == 0 ? 1 : std::size_t(b.shape[b.shape.rank() - 1]);

  std::vector<std::size_t> terms;  // the first block of each, and the end
  for (std::size_t i = 0; i < row_blocks_.size(); ++i)
    if (row_blocks_[i].begin == 0) terms.push_back(i);
  std::vector<std::unique_ptr<KroneckerSums>> sums(terms.size() * shares);
  for (auto& some : sums) some = make_kronecker_sums(columns);
  terms.push_back(row_blocks_.size());
  evaluation_.threads().run(int(sums.size()), [&](int task) {
    const std::size_t term = std::size_t(task) / shares, share = std::size_t(task) % shares;
    const std::size_t first = terms[term], count = terms[term + 1] - first;
    for (std::size_t i = count * share / shares; i < count * (share + 1) / shares; ++i) {
      const RowBlock& block = row_blocks_[first + i];
      const std::size_t rows = block.end - block.begin;
      use_factors(block, [&](std::span<const RowFactor> factors) {
        sums[std::size_t(task)]->add(dtype_, factors, rows);
        factor_flops_ += kronecker_flops(factors) * double(rows);
      });
    }
  });
  count_factors();

  std::vector<KroneckerFactors> all;
  for (std::size_t term = 0; term + 1 < terms.size(); ++term) {
    for (std::size_t k = 1; k < shares; ++k) sums[term * shares]->add(*sums[term * shares + k]);
    const PartTable::Share& of = parts_.share(row_blocks_[terms[term]].part);
    const auto kind = parts_.model().problem().requirements[of.requirement].kind;
    for (KroneckerFactors& factors : sums[term * shares]->factors()) {
      factors.equation = kind == Requirement::Kind::equation;
      all.push_back(std::move(factors));
    }
  }
  return all;
}

}  // namespace pinn
