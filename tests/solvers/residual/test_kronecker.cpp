#include "tests/catch.h"
#include "tests/solvers/residual/both_ways.h"
#include "tests/solvers/residual/random_problem.h"

using namespace pinn;
using pinn::test::problem;
using pinn::test::spread;

namespace {

using Numbers = std::vector<double>;

/// A loss with its rows of J and its Kronecker factors.
struct Taken {
  std::vector<ParameterBlock> blocks;
  std::vector<KroneckerFactors> factors;
  Numbers j;
  std::size_t rows, width;

  Taken(const test::LossCase& c, const Numbers& p, int threads = 2)
      : blocks(c.model->blocks()), width(p.size()) {
    ThreadPool pool(threads);
    Loss loss(c.model, c.options, pool);
    for (std::size_t r = 0; r < c.points.size(); ++r) loss.set_points(r, c.points[r]);
    rows = loss.squares().rows();
    j.resize(rows * width);
    loss.squares().jacobian_rows(p, 0, rows, j);
    factors = loss.squares().kronecker(p);
  }
  /// Element (a, b) of J^T J.
  double square(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += j[i * width + a] * j[i * width + b];
    return sum;
  }
};

/// How far A (x) G, summed over terms, is from J^T J in one block, as a share of what is largest.
double distance(const Taken& t, const ParameterBlock& block) {
  const std::size_t n = std::size_t(block.shape.numel()), offset = std::size_t(block.offset);
  double most = 0, apart = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      double sum = 0;
      for (const KroneckerFactors& k : t.factors)
        if (k.offset == offset) sum += k.a[a / k.n * k.m + b / k.n] * k.g[a % k.n * k.n + b % k.n];
      const double square = t.square(offset + a, offset + b);
      most = test::larger(most, std::fabs(square));
      apart = test::larger(apart, std::fabs(sum - square));
    }
  return test::relative(apart, most);
}

test::LossCase values(int points, bool compiled) {
  const auto p = problem({"x", "y"}, {"u"}, {"u = sin(x)*y"});
  const auto model = std::make_shared<const Model>(p, test::layers({5, 4}));
  return {model, {spread(*p, std::size_t(points))}, {.derivatives = {}, .compiled = compiled}};
}

}  // namespace

TEST_CASE("the Kronecker product of one row of one channel is the square of the row",
          "[residual][kronecker]") {
  const test::LossCase c = values(1, GENERATE(true, false));
  const Taken t(c, c.model->initial_parameters(2));
  REQUIRE(t.factors.size() == t.blocks.size());
  for (const ParameterBlock& block : t.blocks) {
    INFO(block.name);
    CHECK(distance(t, block) < 1e-13);
  }
}

TEST_CASE("the Kronecker product of a matrix is not the square of several rows",
          "[residual][kronecker]") {
  const test::LossCase c = values(40, true);
  const Taken t(c, c.model->initial_parameters(2));
  for (const ParameterBlock& block : t.blocks)
    if (block.shape.rank() == 2 && block.shape[1] > 1) CHECK(distance(t, block) > 1e-3);
}

TEST_CASE("the Kronecker products of biases of random problems are squares of their rows",
          "[residual][kronecker]") {
  for (std::uint64_t number = 0; number < 100; ++number) {
    test::RandomProblem r = test::random_problem(number);
    r.loss.options.compiled = number % 3 != 0;
    const Taken t(r.loss, r.parameters);
    INFO("problem " << number << "\n" << r.text);
    for (const ParameterBlock& block : t.blocks)
      if (block.shape.rank() < 2) CHECK(distance(t, block) < 1e-11);
  }
}

TEST_CASE("Kronecker factors have the same bits for any number of threads",
          "[residual][kronecker]") {
  const test::LossCase c = values(3000, true);
  const Numbers p = c.model->initial_parameters(2);
  const Taken one(c, p, 1);
  for (const int threads : {2, 5}) {
    const Taken other(c, p, threads);
    REQUIRE(other.factors.size() == one.factors.size());
    for (std::size_t k = 0; k < one.factors.size(); ++k) {
      CHECK(other.factors[k].a == one.factors[k].a);
      CHECK(other.factors[k].g == one.factors[k].g);
    }
  }
}
