#include <Eigen/Dense>
#include <random>

#include "autograd/core/error.h"
#include "solvers/optimize/methods/by_matrix.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/matrices.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;
using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

MatrixXd rotation(Index size, unsigned seed) {
  return Eigen::HouseholderQR<MatrixXd>(random_matrix(size, size, seed)).householderQ();
}

/// sum_ij (1 + i + 2 j) / 2 (A^T W B - target)_ij^2 of weights W [m, n], seen in axes A and B.
struct Turned : CountedObjective {
  MatrixXd a, b, target;
  Turned(MatrixXd a, MatrixXd b, MatrixXd target)
      : a(std::move(a)), b(std::move(b)), target(std::move(target)) {}
  double evaluate(std::span<const double> x, std::span<double> g) override {
    const RowMajor w = Eigen::Map<const RowMajor>(x.data(), a.rows(), b.rows());
    const MatrixXd far = a.transpose() * w * b - target;
    MatrixXd slope = far;
    for (Index i = 0; i < far.rows(); ++i)
      for (Index j = 0; j < far.cols(); ++j) slope(i, j) *= double(1 + i + 2 * j);
    MatrixMap(g.data(), a.rows(), b.rows()) = a * slope * b.transpose();
    return 0.5 * slope.cwiseProduct(far).sum();
  }
};

TrainedSize one_matrix(Index rows, Index columns) {
  TrainedSize size{std::size_t(rows * columns)};
  size.matrices = {{0, std::size_t(rows), std::size_t(columns)}};
  return size;
}

/// W after so many moves from `start`.
MatrixXd moved(const OptimizerOptions& options, Objective& objective, const MatrixXd& start,
               int moves) {
  Tensor p = empty({start.size()});
  const ParameterMatrix at{0, std::size_t(start.rows()), std::size_t(start.cols())};
  matrix(p, at) = start;
  OptimizerMemory memory;
  const auto optimizer = make_optimizer(options, one_matrix(start.rows(), start.cols()));
  for (int k = 0; k < moves; ++k) REQUIRE(optimizer->advance(p, memory, objective).stopped == "");
  REQUIRE(optimizer->misfit(memory, p.numel()) == "");
  return matrix(p, at);
}

/// With an epsilon beside which rounding is small: Adam would make much of it.
OptimizerOptions kind(const std::string& name, double rate = 0.02) {
  OptimizerOptions options;
  options.kind = name;
  options.rate = rate;
  options.epsilon = 1e-3;
  return options;
}

double furthest(const MatrixXd& a, const MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("a Newton-Schulz iteration keeps singular vectors and brings singular values near 1",
          "[optimize]") {
  for (const auto& [rows, columns] : {std::pair{30, 50}, {50, 30}, {12, 2}, {2, 12}, {7, 7}}) {
    const MatrixXd m = 1e5 * random_matrix(rows, columns, 1);
    const Eigen::BDCSVD<MatrixXd> svd(m, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const MatrixXd seen = svd.matrixU().transpose() * newton_schulz(m) * svd.matrixV();
    INFO(rows << " x " << columns);
    CHECK(seen.diagonal().minCoeff() > 0.68);
    CHECK(seen.diagonal().maxCoeff() < 1.21);
    CHECK(furthest(seen, seen.diagonal().asDiagonal()) < 1e-12);
  }
  CHECK(newton_schulz(MatrixXd::Zero(3, 4)) == MatrixXd::Zero(3, 4));
}

TEST_CASE("methods that see matrices do the same in turned coordinates, and Adam does not",
          "[optimize]") {
  const MatrixXd start = random_matrix(6, 6, 2), target = random_matrix(6, 6, 3);
  const MatrixXd a = rotation(6, 4), b = rotation(6, 5), one = MatrixXd::Identity(6, 6);
  for (const char* name : {"muon", "soap", "adam"}) {
    Turned plain(one, one, target), turned(a, b, target);
    const MatrixXd w = moved(kind(name), plain, start, 40);
    const MatrixXd seen =
        a.transpose() * moved(kind(name), turned, a * start * b.transpose(), 40) * b;
    INFO(name);
    if (name == std::string("adam"))
      CHECK(furthest(w, seen) > 0.01);
    else
      CHECK(furthest(w, seen) < 1e-9);
  }
}

TEST_CASE("SOAP moves along the axes of a problem as Adam does where they are the coordinates",
          "[optimize]") {
  for (const int refresh : {0, 1, 7}) {
    MatrixXd start = MatrixXd::Zero(7, 5);
    start.diagonal() << 3, -2, 5, 1, 4;
    const MatrixXd a = rotation(7, 6), b = rotation(5, 7), target = MatrixXd::Zero(7, 5);
    Turned plain(MatrixXd::Identity(7, 7), MatrixXd::Identity(5, 5), target), turned(a, b, target);
    OptimizerOptions soap = kind("soap");
    OptimizerOptions adam = kind("adam");
    soap.refresh = refresh;
    soap.epsilon = adam.epsilon = 1;  // what is only rounding dies out
    const MatrixXd w = moved(adam, plain, start, 100);
    const MatrixXd seen = a.transpose() * moved(soap, turned, a * start * b.transpose(), 100) * b;
    INFO("refresh " << refresh);
    CHECK(furthest(w, seen) < 1e-9);
    CHECK(furthest(w, start) > 0.5);
  }
}

TEST_CASE("a step of Muon is as long as its rate says, whatever the gradient's length",
          "[optimize]") {
  const MatrixXd start = random_matrix(4, 9, 8);
  for (const double far : {1e-3, 1.0, 1e6}) {
    Turned objective(MatrixXd::Identity(4, 4), MatrixXd::Identity(9, 9),
                     start - far * random_matrix(4, 9, 9));
    const MatrixXd step = moved(kind("muon", 0.01), objective, start, 1) - start;
    const VectorXd lengths = step.jacobiSvd().singularValues() / (0.01 * 0.2 * 3);
    INFO(far);
    CHECK(lengths.minCoeff() > 0.68);
    CHECK(lengths.maxCoeff() < 1.21);
  }
}

TEST_CASE("vectors among matrices move as by AdamW", "[optimize]") {
  for (const char* name : {"muon", "soap"}) {
    TrainedSize size{10};
    size.matrices = {{0, 1, 2}, {2, 2, 2}, {6, 4, 1}};
    Tensor p = full({10}, -1), adamw = full({10}, -1);
    const auto advance = [&](const std::string& kind, Tensor& p) {
      OptimizerOptions options;
      options.kind = kind;
      options.weight_decay = 0.1;
      Quadratic quadratic(100);
      quadratic.target = 0.3;
      OptimizerMemory memory;
      for (int k = 0; k < 10; ++k) make_optimizer(options, size)->advance(p, memory, quadratic);
    };
    advance(name, p);
    advance("adamw", adamw);
    INFO(name);
    for (const std::size_t i : {0, 1, 6, 7, 8, 9}) CHECK(p.values()[i] == adamw.values()[i]);
    for (const std::size_t i : {2, 3, 4, 5}) CHECK(p.values()[i] != adamw.values()[i]);
  }
}

TEST_CASE(
    "methods that see matrices have the same bits with any number of threads, and when taken "
    "up again",
    "[optimize]") {
  struct Threaded : Rosenbrock {
    ThreadPool* pool;
    explicit Threaded(ThreadPool* pool) : Rosenbrock(1, 330), pool(pool) {}
    ThreadPool* threads() override { return pool; }
  };
  TrainedSize size{330};
  size.matrices = {{0, 2, 8}, {16, 1, 8}, {24, 8, 17}, {160, 17, 10}};
  for (const char* name : {"muon", "soap"}) {
    const auto values = [&](ThreadPool* pool, bool interrupted) {
      Threaded objective(pool);
      Tensor p = full({330}, -0.9);
      OptimizerMemory memory;
      for (int k = 0; k < 21; ++k) {
        make_optimizer(kind(name), size)->advance(p, memory, objective);
        if (!interrupted) continue;
        for (auto& [what, tensor] : memory.tensors) {
          const Tensor room = empty({k + 1});  // the next one begins elsewhere
          tensor = from_values(tensor.values(), tensor.shape());
        }
      }
      return p.values();
    };
    const std::vector<double> alone = values(nullptr, false);
    INFO(name);
    for (const int count : {1, 2, 5}) {
      ThreadPool threads(count);
      CHECK(values(&threads, true) == alone);
    }
  }
}

TEST_CASE("SOAP refuses matrices whose squares would not fit, and says what does", "[optimize]") {
  OptimizerOptions options = kind("soap");
  TrainedSize size = one_matrix(7000, 7000);
  try {
    make_optimizer(options, size);
    FAIL("not refused");
  } catch (const ConfigError& error) {
    CHECK(error.report.what.starts_with("soap would need "));
    CHECK(error.report.fix.starts_with("use muon or adam, or a network of at most "));
  }
  options.kind = "muon";
  CHECK(make_optimizer(options, size) != nullptr);
}
