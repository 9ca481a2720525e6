// An inverse Hessian that ranks share out: threads here, and what they do together is what
// processes do.
#include <cmath>
#include <optional>
#include <vector>

#include "autograd/core/random.h"
#include "solvers/optimize/dense/triangle.h"
#include "solvers/optimize/memory.h"
#include "tests/autograd/core/thread_ranks.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;
using namespace pinn::test;

namespace {

Tensor normals(std::int64_t size, std::uint32_t draw, DType dtype = DType::float64) {
  return randn({size}, Random{3, stream("shared triangle", "test"), draw}, dtype);
}

/// The elements of a rank.
Tensor part_of(const Tensor& whole, std::int64_t rows, Ranks& ranks) {
  const std::vector<std::size_t> shares = triangle_shares(rows, ranks.count());
  const auto own = std::size_t(ranks.rank());
  const Tensor part = empty({std::int64_t(shares[own + 1] - shares[own])}, whole.dtype());
  visit_floating(whole.dtype(), [&]<class T>(T) {
    std::copy_n(whole.data<T>().begin() + std::ptrdiff_t(shares[own]), part.numel(),
                part.data<T>().begin());
  });
  return part;
}

/// All elements, from those of each rank.
std::vector<double> joined(const std::vector<std::vector<double>>& parts) {
  std::vector<double> whole;
  for (const auto& part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

/// Outcomes of each rank after some work: its vectors, and its part of the triangle.
struct Outcomes {
  std::vector<std::vector<double>> vectors, parts;
  explicit Outcomes(int ranks) : vectors(std::size_t(ranks)), parts(std::size_t(ranks)) {}
  void add(const Tensor& vector, int rank) {
    const std::vector<double> values = vector.values();
    std::vector<double>& all = vectors[std::size_t(rank)];
    all.insert(all.end(), values.begin(), values.end());
  }
};

Outcomes passes(int count, int threads, std::int64_t n, DType type) {
  Outcomes outcomes(count);
  const Tensor whole = normals(triangle_size(n), 0, type);
  on_ranks(count, [&](Ranks& ranks) {
    ThreadPool pool(threads);
    const Workers workers(&pool, ranks);
    Tensor h = part_of(whole, n, ranks);
    const Update update =
        update_of(0.5, normals(n, 1), normals(n, 2), normals(n, 2), normals(n, 1));
    for (const Tensor& y : update_and_products(h, &update, {normals(n, 3), normals(n, 4)}, workers))
      outcomes.add(y, ranks.rank());
    update_and_products(h, &update, {}, workers);
    outcomes.add(product(h, normals(n, 5), workers), ranks.rank());
    outcomes.parts[std::size_t(ranks.rank())] = h.values();
  });
  return outcomes;
}

/// Rosenbrock's function, with threads for the algebra.
struct Threaded : Rosenbrock {
  ThreadPool pool;
  Threaded(std::size_t parameters, int threads) : Rosenbrock(1, parameters), pool(threads) {}
  ThreadPool* threads() override { return &pool; }
};

/// Twelve moves, a check of H as after a redraw, and six more.
Outcomes moves(int count, int threads, std::int64_t n, const std::string& curvature) {
  Outcomes outcomes(count);
  on_ranks(count, [&](Ranks& ranks) {
    Threaded objective(std::size_t(n), threads);
    OptimizerOptions options;
    options.kind = "ssbroyden";
    options.curvature = curvature;
    TrainedSize size{.parameters = std::size_t(n)};
    size.ranks = &ranks;
    const auto optimizer = make_optimizer(options, size);
    Tensor p = empty({n});
    for (std::int64_t i = 0; i < n; ++i) p.data<double>()[std::size_t(i)] = std::sin(double(i + 1));
    OptimizerMemory memory;
    for (int move = 0; move < 12; ++move) optimizer->advance(p, memory, objective);
    memory.moves += 100;
    optimizer->objective_changed(memory);
    if (memory.numbers.at("checked") != double(memory.moves)) throw std::runtime_error("unchecked");
    for (int move = 0; move < 6; ++move) optimizer->advance(p, memory, objective);
    if (const std::string wrong = optimizer->misfit(memory, n); !wrong.empty())
      throw std::runtime_error(wrong);
    outcomes.add(p, ranks.rank());
    outcomes.add(memory.tensors.at("direction"), ranks.rank());
    outcomes.parts[std::size_t(ranks.rank())] = memory.tensors.at("inverse_hessian").values();
  });
  return outcomes;
}

constexpr int counts[] = {1, 2, 3, 4, 7};

}  // namespace

TEST_CASE("a pass over a triangle has the same bits on any number of ranks and threads",
          "[optimize][ranks]") {
  for (const DType type : {DType::float64, DType::float32})
    for (const std::int64_t n : {100, 777, 1030, 2100}) {  // in 1, 4, 8 and 16 bands
      const Outcomes one = passes(1, 1, n, type);
      for (const int count : counts)
        for (const int threads : {1, 2}) {
          INFO(n << " rows of " << name_of(type) << " on " << count << " ranks x " << threads);
          const Outcomes many = passes(count, threads, n, type);
          for (const auto& vectors : many.vectors) CHECK(vectors == one.vectors[0]);
          CHECK(joined(many.parts) == one.parts[0]);
        }
    }
}

TEST_CASE("moves with a dense inverse Hessian have the same bits on any number of ranks",
          "[optimize][ranks]") {
  for (const std::string curvature : {"float64", "float32"})
    for (const std::int64_t n : {30, 1030}) {
      const Outcomes one = moves(1, 1, n, curvature);
      for (const int count : counts)
        for (const int threads : {1, 2}) {
          INFO(n << " parameters, " << curvature << ", " << count << " ranks x " << threads);
          const Outcomes many = moves(count, threads, n, curvature);
          for (const auto& vectors : many.vectors) CHECK(vectors == one.vectors[0]);
          CHECK(joined(many.parts) == one.parts[0]);
        }
    }
}

TEST_CASE("no rank has more of an inverse Hessian than its bands, one in 64 of many parameters",
          "[optimize][ranks]") {
  for (const int count : {2, 3, 4, 7, 64}) {
    const std::vector<std::size_t> shares = triangle_shares(20'000, count);
    CHECK(shares.front() == 0);
    CHECK(shares.back() == std::size_t(triangle_size(20'000)));
    for (int r = 0; r < count; ++r) {
      const double own = double(shares[std::size_t(r) + 1] - shares[std::size_t(r)]);
      CHECK(own <= 1.05 * std::ceil(64.0 / count) / 64 * double(shares.back()));
    }
  }
  // And what memory holds is that.
  const std::vector<std::size_t> shares = triangle_shares(1030, 4);
  const Outcomes many = moves(4, 1, 1030, "float64");
  for (std::size_t r = 0; r < 4; ++r) CHECK(many.parts[r].size() == shares[r + 1] - shares[r]);
}

TEST_CASE("whether a matrix is positive definite is the same on any number of ranks and threads",
          "[optimize][ranks]") {
  constexpr std::int64_t n = 700;  // in 4 bands
  const auto verdict = [&](const Tensor& whole, int count, int threads) {
    std::vector<int> said(std::size_t(count), -1);
    on_ranks(count, [&](Ranks& ranks) {
      ThreadPool pool(threads);
      said[std::size_t(ranks.rank())] =
          is_positive_definite(part_of(whole, n, ranks), n, {&pool, ranks});
    });
    for (const int each : said) CHECK(each == said[0]);
    return said[0] == 1;
  };
  const auto diagonal = [](Tensor h, std::int64_t row) -> double& {
    return h.data<double>()[std::size_t(triangle_size(row) + row)];
  };
  for (const int count : counts)
    for (const int threads : {1, 2}) {
      INFO(count << " ranks x " << threads);
      for (const double least : {0.01, -0.01}) {  // of 1 1^T + least, beside its eigenvalue n
        const Tensor h = full({triangle_size(n)}, 1);
        for (std::int64_t i = 0; i < n; ++i) diagonal(h, i) += least;
        CHECK(verdict(h, count, threads) == (least > 0));
      }
      for (const std::int64_t row : {std::int64_t(0), n / 2, n - 1}) {
        const Tensor h = identity_triangle(n);
        diagonal(h, row) = -1e-3;
        CHECK_FALSE(verdict(h, count, threads));
      }
    }
}

TEST_CASE("the share of another number of ranks is no memory, and told", "[optimize][ranks]") {
  constexpr std::int64_t n = 600;
  OptimizerOptions options;
  options.kind = "ssbroyden";
  std::vector<std::string> said(2);
  on_ranks(2, [&](Ranks& ranks) {
    TrainedSize size{.parameters = std::size_t(n)};
    size.ranks = &ranks;
    OptimizerMemory whole;
    whole.tensors["inverse_hessian"] = identity_triangle(n);
    said[std::size_t(ranks.rank())] = make_optimizer(options, size)->misfit(whole, n);
  });
  for (const std::string& text : said)
    CHECK_THAT(text, Catch::Matchers::Contains("its 'inverse_hessian' is [180300], not ["));
}

TEST_CASE("what ranks share out is found from the number of its elements", "[optimize][ranks]") {
  CHECK(is_shared_out("inverse_hessian"));
  CHECK_FALSE(is_shared_out("direction"));
  for (const int count : counts) {
    CHECK(shares_of(std::size_t(triangle_size(777)), count) == triangle_shares(777, count));
    CHECK(shares_of(11, count).back() == 11);  // no triangle: whoever has the rest will find it
  }
}

TEST_CASE("a matrix that is too large for one rank may be shared out by four",
          "[optimize][ranks][errors]") {
  OptimizerOptions options;
  options.kind = "ssbroyden";
  options.memory = 1 << 20;
  const auto refusal = [&](int count) {
    std::string text;
    on_ranks(count, [&](Ranks& ranks) {
      TrainedSize size{.parameters = 600};
      size.ranks = &ranks;
      try {
        make_optimizer(options, size);
      } catch (const ConfigError& error) {
        if (ranks.rank() == 0) text = error.report.what;
      }
    });
    return text;
  };
  CHECK_THAT(refusal(1), Catch::Matchers::EndsWith("of 600 parameters; the limit is 0.000977 GiB"));
  CHECK_THAT(refusal(2), Catch::Matchers::Contains("of 600 parameters on each of 2 ranks;"));
  CHECK(refusal(4) == "");
}
