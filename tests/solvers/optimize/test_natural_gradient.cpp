#include <Eigen/Dense>

#include "solvers/optimize/least_squares/natural_directions.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;
using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

/// R = A p - b with random A, of columns whose lengths spread over two decades.
struct RandomRows : CountedSquares {
  std::size_t count;
  RandomRows(std::size_t rows, std::size_t parameters) : CountedSquares(parameters), count(rows) {}
  std::size_t rows() const override { return count; }
  void write_rows(std::span<const double> x, std::span<double> r, std::span<double> j) override {
    const Random random{9, stream("rows", "test"), 0};
    for (std::size_t i = 0; i < count; ++i) {
      r[i] = random.normal(i, 1);
      for (std::size_t k = 0; k < parameters; ++k) {
        const double scale = std::pow(10, 2 * double(k) / double(parameters) - 1);
        j[i * parameters + k] = scale * random.normal(i * parameters + k);
        r[i] += j[i * parameters + k] * x[k];
      }
    }
  }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    std::vector<double> r(count), j(count * parameters);
    write_rows(x, r, j);
    double sum = 0;
    for (double& slope : g) slope = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += r[i] * r[i];
      for (std::size_t k = 0; k < parameters; ++k) g[k] += 2 * r[i] * j[i * parameters + k];
    }
    return sum;
  }
};

/// The same with a last column that is the first.
struct DependentRows : RandomRows {
  using RandomRows::RandomRows;
  void write_rows(std::span<const double> x, std::span<double> r, std::span<double> j) override {
    RandomRows::write_rows(x, r, j);
    for (std::size_t i = 0; i < count; ++i) {
      double& last = j[(i + 1) * parameters - 1];
      r[i] += (j[i * parameters] - last) * x[parameters - 1];
      last = j[i * parameters];
    }
  }
};

/// A point, and what the rows are there.
struct Point {
  RandomRows squares;
  std::vector<double> p, r;
  explicit Point(std::size_t rows, std::size_t parameters)
      : squares(rows, parameters), p(parameters, 0.5), r(rows) {
    squares.residual(p, r);
  }
  MatrixXd jacobian() {
    MatrixXd j{Index(p.size()), Index(r.size())};
    squares.jacobian_rows(p, 0, r.size(), {j.data(), p.size() * r.size()});
    return j.transpose();
  }
  auto of_parameters() { return natural_of_parameters(squares, p, r, {}); }
  auto of_rows() { return natural_of_rows(squares, p, r, alone()); }
  auto of_rank(std::size_t rank, bool from_gram) {
    return natural_of_rank(squares, p, r, rank, from_gram, Random{4, 4, 4});
  }
};

VectorXd direction(NaturalDirections& natural, double damping, const VectorXd& kept = {}) {
  REQUIRE(natural.damp(damping, nullptr));
  return natural.direction(kept);
}

double distance(const VectorXd& a, const VectorXd& b) { return (a - b).norm() / b.norm(); }

OptimizerOptions options(double momentum = 0, int rank = 0) {
  OptimizerOptions options;
  options.kind = "natural_gradient";
  options.momentum = momentum;
  options.rank = rank;
  return options;
}

}  // namespace

TEST_CASE("a natural gradient is the same in the space of parameters and in that of rows",
          "[optimize]") {
  for (const auto& [rows, parameters] :
       {std::pair{30, 50}, {50, 50}, {80, 50}, {1, 7}, {7, 1}, {1000, 200}})
    for (const bool moving : {false, true}) {
      Point point{std::size_t(rows), std::size_t(parameters)};
      const VectorXd kept = moving ? VectorXd::LinSpaced(parameters, -1, 1) : VectorXd();
      INFO(rows << " rows of " << parameters << (moving ? ", moving" : ""));
      const VectorXd primal = direction(*point.of_parameters(), 1e-6, kept);
      CHECK(distance(primal, direction(*point.of_rows(), 1e-6, kept)) < 1e-8);
    }
}

TEST_CASE("a natural gradient has the same bits on any number of threads", "[optimize]") {
  Point point(1000, 200);  // more rows than are summed at a time, more columns than a task takes
  const VectorXd kept = VectorXd::LinSpaced(200, -1, 1);
  const VectorXd alone = direction(*point.of_parameters(), 1e-6, kept);
  for (const int count : {1, 2, 5}) {
    ThreadPool threads(count);
    const auto shared = natural_of_parameters(point.squares, point.p, point.r, &threads);
    REQUIRE(shared->damp(1e-6, &threads));
    CHECK(shared->direction(kept) == alone);
  }
}

TEST_CASE("a damping that is lost in rounding makes way for one that is not", "[optimize]") {
  DependentRows squares(60, 40);
  OptimizerOptions least = options();
  least.damping = 1e-40;
  Tensor p = full({40}, 0.5);
  OptimizerMemory memory;
  const Move move =
      make_optimizer(least, {.parameters = 40, .rows = 60})->advance(p, memory, squares);
  CHECK(move.stopped == "");
  CHECK(move.rate > 0);
}

TEST_CASE("a natural gradient is the least of its sum of squares", "[optimize]") {
  Point point(60, 40);
  const MatrixXd j = point.jacobian();
  const VectorXd r = Eigen::Map<VectorXd>(point.r.data(), 60);
  const VectorXd kept = VectorXd::LinSpaced(40, -1, 1);
  const double damping = 1e-3;
  const VectorXd d = direction(*point.of_parameters(), damping, kept);
  const VectorXd slope = j.transpose() * (j * d - r) + damping * j.squaredNorm() * (d - kept);
  CHECK(slope.norm() < 1e-10 * (j.transpose() * r).norm());
}

TEST_CASE("an approximation of as many rows as there are gives the natural gradient",
          "[optimize]") {
  for (const bool from_gram : {false, true}) {
    Point point(30, 50);
    const VectorXd kept = VectorXd::LinSpaced(50, -1, 1);
    CHECK(distance(direction(*point.of_rank(30, from_gram), 1e-6, kept),
                   direction(*point.of_rows(), 1e-6, kept)) < 1e-8);
  }
}

TEST_CASE("an approximation is the same from all of K and from products", "[optimize]") {
  Point point(60, 90);
  CHECK(distance(direction(*point.of_rank(8, true), 1e-3),
                 direction(*point.of_rank(8, false), 1e-3)) < 1e-9);
}

TEST_CASE("a natural gradient does not depend on the unit of the loss", "[optimize]") {
  Rosenbrock rosenbrock, scaled(1e6);
  for (const auto& change : {options(), options(0.5), options(0, 5)}) {
    Tensor p = full({10}, -1), q = full({10}, -1);
    OptimizerMemory memory, other;
    for (int move = 0; move < 3; ++move) {
      make_optimizer(change, 10)->advance(p, memory, rosenbrock);
      make_optimizer(change, 10)->advance(q, other, scaled);
    }
    for (int k = 0; k < 10; ++k) CHECK(p.values()[k] == Approx(q.values()[k]).epsilon(1e-6));
  }
}

TEST_CASE("a natural gradient solves a linear least squares in one move", "[optimize]") {
  for (const std::size_t rows : {30, 80}) {
    RandomRows squares(rows, 50);
    Tensor p = full({50}, 1);
    OptimizerMemory memory;
    CHECK(make_optimizer(options(), 50)->advance(p, memory, squares).rate == 1);
    Tensor gradient = empty({50});
    squares.value_and_gradient(p, gradient);
    for (const double slope : gradient.values()) CHECK(std::abs(slope) < 1e-4);
  }
}

TEST_CASE("every move along a natural gradient lowers the loss, with a momentum too",
          "[optimize]") {
  for (const double momentum : {0.0, 0.9}) {
    Rosenbrock rosenbrock;
    Tensor p = full({10}, -1);
    OptimizerMemory memory;
    const auto optimizer = make_optimizer(options(momentum), 10);
    double loss = rosenbrock.value(p);
    for (int move = 0; move < 30; ++move) {
      if (!optimizer->advance(p, memory, rosenbrock).stopped.empty()) break;
      const double next = rosenbrock.value(p);
      CHECK(next < loss);
      loss = next;
    }
    CHECK(memory.tensors.count("previous") == (momentum > 0));
    CHECK(loss < 1e-2);
  }
}

TEST_CASE("a direction with a momentum outlives a change of the points", "[optimize]") {
  Rosenbrock rosenbrock, other(2);
  Tensor p = full({10}, -1);
  OptimizerMemory memory;
  const auto optimizer = make_optimizer(options(0.9), 10);
  for (int move = 0; move < 12; ++move) {
    CHECK(optimizer->advance(p, memory, move % 2 ? other : rosenbrock).stopped == "");
    const std::vector<double> before = memory.tensors.at("previous").values();
    optimizer->objective_changed(memory);
    CHECK(memory.tensors.at("previous").values() == before);
  }
}

TEST_CASE("rows that say nothing of the gradient end in an honest reason", "[optimize]") {
  struct Uphill : RandomRows {
    using RandomRows::RandomRows;
    double evaluate(std::span<const double> x, std::span<double> g) override {
      const double value = RandomRows::evaluate(x, g);
      for (double& slope : g) slope = -slope;
      return value;
    }
  };
  Uphill uphill(20, 10);
  Tensor p = full({10}, 1);
  OptimizerMemory memory;
  const Move move = make_optimizer(options(), 10)->advance(p, memory, uphill);
  CHECK(move.stopped.starts_with("no step along a natural gradient lowers the loss of "));
  CHECK(p.values() == std::vector<double>(10, 1));
  CHECK(memory.moves == 0);
}

TEST_CASE("a natural gradient takes room for the smaller of its two spaces", "[optimize]") {
  const auto needs = [](std::size_t parameters, std::size_t rows, int rank = 0) {
    try {
      make_optimizer(options(0, rank), TrainedSize{parameters, rows});
      return true;
    } catch (const std::exception&) {
      return false;
    }
  };
  CHECK(needs(1'000'000, 2000));
  CHECK(needs(500, 500'000));
  CHECK_FALSE(needs(100'000, 100'000));
  CHECK(needs(100'000, 100'000, 100));
}
