#include "solvers/residual/loss/reduction.h"

#include <algorithm>
#include <cmath>

#include "autograd/core/parallel.h"
#include "tests/catch.h"
#include "tests/dice.h"

using namespace pinn;

namespace {

/// Numbers whose sum depends on the order of adding.
double leaf(std::size_t block, std::size_t k) {
  return std::sin(double(block * 7 + k)) * std::pow(10.0, double(block % 9));
}

/// Sums of leaves added by so many threads, which cut the tree as they like.
std::vector<double> sums_by(std::size_t blocks, double flops, int threads) {
  ThreadPool pool(threads);
  Reduction reduction(Chunks(blocks, 2 * blocks, flops), 3, threads);
  std::vector<double> sum;
  for (int again = 0; again < 2; ++again) {
    pool.run(reduction.tasks(), [&](int task) {
      reduction.run(task, [](std::size_t first, std::size_t last, std::span<double> sums) {
        for (std::size_t b = first; b < last; ++b)
          for (std::size_t k = 0; k < 3; ++k) sums[k] += leaf(b, k);
      });
    });
    sum = reduction.sum();
  }
  return sum;
}

/// The sums that ranks come to along their trees, each in places of its own.
std::vector<std::vector<double>> sums_along_trees(const Reduction& reduction,
                                                  const std::vector<int>& first, std::size_t block,
                                                  std::size_t points) {
  using Act = SumTree::Act;
  const std::size_t ranks = first.size() - 1;
  std::vector<std::shared_ptr<const SumTree>> trees;
  std::vector<std::vector<std::vector<double>>> places;
  const auto run = [&](std::size_t rank, const std::vector<Act>& acts) {
    for (const Act& act : acts) {
      std::vector<double>& into = places[rank].at(act.into);
      if (act.kind == Act::clear) into.assign(3, 0);
      if (act.kind == Act::points) {
        REQUIRE(act.from >= trees[rank]->begin);
        REQUIRE(act.from + act.count <= trees[rank]->end);
        REQUIRE(act.count == std::min(block, points - act.from));
      }
      for (std::size_t k = 0; k < 3; ++k) {
        if (act.kind == Act::points) into[k] += leaf(act.from / block, k);
        if (act.kind == Act::add) into[k] += places[rank].at(act.from)[k];
      }
    }
  };
  for (std::size_t r = 0; r < ranks; ++r) {
    trees.push_back(sum_tree(reduction, first, r, block, points));
    places.emplace_back(trees[r]->places, std::vector<double>(3, NAN));
    run(r, trees[r]->own);
  }
  for (std::size_t from = 0; from < ranks && ranks > 1; ++from)
    for (std::size_t to = 0; to < ranks; ++to)
      for (std::size_t k = trees[from]->gathered[from]; k < trees[from]->gathered[from + 1]; ++k)
        places[to].at(k) = places[from].at(k);
  std::vector<std::vector<double>> sums;
  for (std::size_t r = 0; r < ranks; ++r) {
    CHECK(trees[r]->gathered == trees[0]->gathered);
    CHECK(trees[r]->rest == trees[0]->rest);
    run(r, trees[r]->rest);
    sums.push_back(places[r][0]);
  }
  return sums;
}

}  // namespace

TEST_CASE("ranks come along their trees to the sum of a reduction, whoever makes what of it",
          "[residual][reduction][ranks]") {
  pinn::test::Dice dice(3);
  for (const std::size_t blocks : {1, 2, 5, 16, 17, 40, 64, 100, 1000})
    for (const double flops : {0.0, 1e6, 1e9})
      for (const int ranks : {1, 2, 3, 5, 40}) {
        INFO(blocks << " blocks, " << flops << " operations a sum, " << ranks << " ranks");
        const Reduction reduction(Chunks(blocks, 2 * blocks, flops), 3, ranks);
        std::vector<int> first = {0};
        for (int r = 1; r < ranks; ++r) first.push_back(int(dice.below(reduction.tasks() + 1)));
        first.push_back(reduction.tasks());
        std::ranges::sort(first);
        const std::vector<double> one = sums_by(blocks, flops, 1);
        for (const auto& sums : sums_along_trees(reduction, first, 4, 4 * blocks - 1))
          REQUIRE(sums == one);
      }
}

TEST_CASE("a sum has the same bits however its tree is shared out", "[residual][reduction]") {
  for (const std::size_t blocks : {1, 2, 5, 16, 17, 40, 64, 100, 1000, 5000})
    for (const double flops : {0.0, 1e6, 1e9}) {
      INFO(blocks << " blocks, " << flops << " operations a sum");
      const std::vector<double> one = sums_by(blocks, flops, 1);
      for (std::size_t k = 0; k < 3; ++k) {
        double exact = 0, size = 0;
        for (std::size_t b = 0; b < blocks; ++b) exact += leaf(b, k), size += std::fabs(leaf(b, k));
        CHECK(std::fabs(one[k] - exact) <= 1e-13 * size);
      }
      for (const int threads : {2, 3, 7, 40}) CHECK(sums_by(blocks, flops, threads) == one);
    }
}

TEST_CASE("chunks are as many as cost a percent, and follow from the problem alone",
          "[residual][reduction]") {
  CHECK(Chunks(5, 5, 1e12).count == 5);
  CHECK(Chunks(100, 100, 0).count == 16);
  CHECK(Chunks(100, 100, std::nan("")).count == 16);
  CHECK(Chunks(100, 200, 0).count == 8);
  CHECK(Chunks(1, 200, 0).count == 1);
  CHECK(Chunks(100, 100, 1e12).count == 64);
  CHECK(Chunks(1'000'000, 1'000'000, 1e12).count == 4096);
  // Twice the operations for every sum allow twice the chunks.
  CHECK(Chunks(1'000'000, 1'000'000, 2e6).count == 2 * Chunks(1'000'000, 1'000'000, 1e6).count);
  const Chunks chunks(100, 100, 1e12);
  CHECK(chunks.first(0) == 0);
  CHECK(chunks.first(64) == 100);
}
