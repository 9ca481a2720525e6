#include "autograd/core/ranks.h"

#include "autograd/core/parallel.h"

#include "tests/autograd/core/thread_ranks.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("numbers and texts of all ranks come to all, in the order of ranks",
          "[autograd][core][ranks]") {
  const int count = GENERATE(1, 2, 5);
  std::vector<int> right(std::size_t(count), 0);
  on_ranks(count, [&](Ranks& ranks) {
    const double own[] = {double(ranks.rank()), -0.0};
    const std::vector<double> numbers = gathered(ranks, own);
    // Texts of different lengths, the first one empty.
    const std::vector<std::string> texts = gathered(ranks, std::string(3 * ranks.rank(), 'x'));
    bool all = numbers.size() == 2 * std::size_t(count) && texts.size() == std::size_t(count);
    for (std::size_t r = 0; all && r < texts.size(); ++r)
      all = numbers[2 * r] == double(r) && std::signbit(numbers[2 * r + 1]) &&
            texts[r] == std::string(3 * r, 'x');
    right[std::size_t(ranks.rank())] = all;
  });
  CHECK(right == std::vector<int>(std::size_t(count), 1));
}

TEST_CASE("a text of rank 0 comes to all", "[autograd][core][ranks]") {
  std::vector<std::string> heard(3);
  on_ranks(3, [&](Ranks& ranks) {
    heard[std::size_t(ranks.rank())] =
        from_first(ranks, ranks.rank() == 0 ? "runs/burgers-2" : "another");
  });
  CHECK(heard == std::vector<std::string>(3, "runs/burgers-2"));
}

TEST_CASE("ranks of one machine share out its processors, and each has one thread at least",
          "[autograd][core][ranks]") {
  CHECK(available_threads(alone()) == available_threads());
  for (const int count : {2, 3, 10}) {
    std::vector<int> threads(static_cast<std::size_t>(count));
    on_ranks(count,
             [&](Ranks& ranks) { threads[std::size_t(ranks.rank())] = available_threads(ranks); });
    for (const int one : threads) CHECK(one == std::max(1, available_threads() / count));
  }
}

TEST_CASE("a rank that fails lets the others go", "[autograd][core][ranks][errors]") {
  std::vector<int> told(3, 0);
  const auto work = [&](Ranks& ranks) {
    if (ranks.rank() == 1) throw std::runtime_error("mine");
    try {
      from_first(ranks, "text");
    } catch (const RankError&) {
      told[std::size_t(ranks.rank())] = 1;
      throw;
    }
  };
  CHECK_THROWS_WITH(on_ranks(3, work), "mine");
  CHECK(told == std::vector<int>{1, 0, 1});
}
