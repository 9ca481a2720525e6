#include <Eigen/Dense>
#include <optional>
#include <random>
#include <stdexcept>

#include "solvers/optimize/dense/damped_squares.h"
#include "solvers/optimize/dense/tall_qr.h"
#include "tests/autograd/core/thread_ranks.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;
using Eigen::MatrixXd, Eigen::VectorXd;

namespace {

/// With columns whose lengths spread over six decades.
MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  MatrixXd m(rows, columns);
  for (Eigen::Index k = 0; k < columns; ++k)
    for (Eigen::Index i = 0; i < rows; ++i)
      m(i, k) = std::pow(10, 6.0 * double(k) / double(columns) - 3) * normal(random);
  return m;
}

TallMatrix tall(const MatrixXd& m, const Ranks& ranks = alone()) {
  TallMatrix tall(std::size_t(m.rows()), std::size_t(m.cols()), ranks);
  for (Eigen::Index i = m.rows(); i-- > 0;) {
    const VectorXd row = m.row(i).transpose();
    tall.set_row(std::size_t(i), row.data());
    tall.set_last(std::size_t(i), m(i, m.cols() - 1));
  }
  return tall;
}

MatrixXd triangle(const MatrixXd& m, const Workers& workers = {}) {
  return tall(m, *workers.ranks).triangle(workers).whole(*workers.ranks);
}

/// Up to signs of rows, which factorizations are free in.
double distance(MatrixXd a, MatrixXd b) {
  for (MatrixXd* m : {&a, &b})
    for (Eigen::Index i = 0; i < m->rows(); ++i)
      if ((*m)(i, i) < 0) m->row(i) *= -1;
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

/// |M x - 1|^2 of a matrix [rows, parameters] of normal numbers: most of it stays, whatever x is.
struct Regression : CountedSquares {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> m;
  Regression(Eigen::Index rows, Eigen::Index parameters)
      : CountedSquares(std::size_t(parameters)), m(rows, parameters) {
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    for (double& x : m.reshaped()) x = normal(random);
  }
  std::size_t rows() const override { return std::size_t(m.rows()); }
  void write_rows(std::span<const double> x, std::span<double> r, std::span<double> j) override {
    Eigen::Map<VectorXd>(r.data(), m.rows()) =
        m * Eigen::Map<const VectorXd>(x.data(), m.cols()) - VectorXd::Ones(m.rows());
    std::copy_n(m.data(), m.size(), j.begin());
  }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    const VectorXd r =
        m * Eigen::Map<const VectorXd>(x.data(), m.cols()) - VectorXd::Ones(m.rows());
    Eigen::Map<VectorXd>(g.data(), m.cols()) = 2 * (m.transpose() * r);
    return r.squaredNorm();
  }
};

}  // namespace

TEST_CASE("a tall matrix has the triangle of its whole, however many leaves it is cut into",
          "[optimize]") {
  for (const auto& [rows, columns] : {std::pair{7, 7},
                                      {5, 9},
                                      {40, 11},
                                      {200, 96},
                                      {200, 97},
                                      {100, 300},
                                      {400, 225},
                                      {700, 130},
                                      {3000, 201}}) {
    const MatrixXd m = random_matrix(rows, columns, 1);
    MatrixXd padded = MatrixXd::Zero(std::max(rows, columns), columns);
    padded.topRows(rows) = m;
    const MatrixXd whole = Eigen::HouseholderQR<MatrixXd>(padded)
                               .matrixQR()
                               .topRows(columns)
                               .triangularView<Eigen::Upper>();
    INFO(rows << " x " << columns);
    CHECK(distance(triangle(m), whole) < 1e-13);
  }
}

TEST_CASE("triangles and damped steps have the same bits on any number of ranks and threads",
          "[optimize]") {
  struct Made {
    MatrixXd triangle;
    VectorXd lengths;
    std::vector<VectorXd> vectors;
    std::vector<double> predicted;
    bool operator==(const Made&) const = default;
  };
  for (const auto& [rows, columns] :
       {std::pair{900, 60}, {1300, 400}, {560, 400}, {300, 97}}) {  // leaves: 8, 2, 1 and 2
    const MatrixXd m = random_matrix(rows, columns, 2);
    const VectorXd scales = VectorXd::LinSpaced(columns - 1, 0.5, 3);
    const auto made = [&](const Workers& workers) {
      StripTriangle upper = tall(m, *workers.ranks).triangle(workers);
      Made made{upper.whole(*workers.ranks), upper.lengths(*workers.ranks), {}, {}};
      const DampedSquares model(std::move(upper), scales, workers);
      for (const DampedStep& step : model.steps({1e3, 1.0, 1e-6})) {
        made.vectors.push_back(step.d);
        made.vectors.push_back(model.solve(step, scales));
        made.predicted.push_back(step.predicted);
      }
      return made;
    };
    const Made one = made({});
    for (const auto& [ranks, threads] : {std::pair{1, 1}, {1, 2}, {1, 5}, {2, 1}, {3, 2}, {7, 1}})
      test::on_ranks(ranks, [&, threads = threads](Ranks& some) {
        ThreadPool pool(threads);
        if (!(made({&pool, some}) == one))
          throw std::runtime_error("other bits on rank " + std::to_string(some.rank()));
      });
  }
}

TEST_CASE("dampings that are tried ahead of time change no bit of a move", "[optimize]") {
  struct Threaded : Rosenbrock {
    std::optional<ThreadPool> pool;
    explicit Threaded(int count) : Rosenbrock(1, 40) {
      if (count > 0) pool.emplace(count);
    }
    ThreadPool* threads() override { return pool ? &*pool : nullptr; }
  };
  const auto moved = [](int count, double damping) {
    Threaded objective(count);
    objective.target = 2;
    OptimizerOptions options;
    options.kind = "levenberg_marquardt";
    options.damping = damping;
    const auto optimizer = make_optimizer(options, 40);
    Tensor p = full({40}, -1);
    OptimizerMemory memory;
    for (int move = 0; move < 8; ++move) optimizer->advance(p, memory, objective);
    std::vector<double> all = p.values();
    all.push_back(memory.numbers.at("damping"));
    return all;
  };
  for (const double damping : {1e-14, 1.0, 1e6}) {  // up to one that is good, and down
    const std::vector<double> alone = moved(0, damping);
    for (const int count : {1, 2, 5}) CHECK(moved(count, damping) == alone);
  }
}

TEST_CASE("columns that are zero, or equal, leave a triangle of the same squares", "[optimize]") {
  MatrixXd m = random_matrix(800, 240, 5).cwiseSign();
  m.col(0).setZero();
  m.col(99) = m.col(98);
  m.middleCols(150, 60).setZero();
  for (const Eigen::Index rows : {Eigen::Index(250), m.rows()}) {
    const MatrixXd part = m.topRows(rows), upper = triangle(part);
    const MatrixXd squares = part.transpose() * part;
    CHECK((upper.transpose() * upper - squares).cwiseAbs().maxCoeff() < 1e-12 * double(rows));
    CHECK(upper.col(0).isZero());
  }
}

TEST_CASE("a damped step is the least of its sum of squares, and falls as predicted",
          "[optimize]") {
  const MatrixXd m = random_matrix(300, 41, 3);
  const MatrixXd j = m.leftCols(40);
  const VectorXd r = m.col(40), scales = VectorXd::LinSpaced(40, 0.5, 2);
  const DampedSquares model(tall(m).triangle({}), scales, {});
  for (const DampedStep& step : model.steps({1e4, 1.0, 1e-8})) {
    const VectorXd slope =
        j.transpose() * (j * step.d + r) + step.damping * scales.cwiseAbs2().cwiseProduct(step.d);
    CHECK(slope.norm() < 1e-9 * (j.transpose() * r).norm());
    const double fall = r.squaredNorm() - (j * step.d + r).squaredNorm();
    CHECK(step.predicted == Approx(fall).epsilon(1e-9));
    const VectorXd g = VectorXd::Ones(40), x = model.solve(step, g);
    const VectorXd back =
        j.transpose() * (j * x) + step.damping * scales.cwiseAbs2().cwiseProduct(x);
    CHECK((back - g).norm() < 1e-6);
  }
}

TEST_CASE("Levenberg-Marquardt minimizes Rosenbrock's function to its last digit", "[optimize]") {
  for (const bool geodesic : {false, true}) {
    OptimizerOptions options;
    options.kind = "levenberg_marquardt";
    options.geodesic = geodesic;
    Rosenbrock rosenbrock;
    Tensor p = full({10}, -1);
    OptimizerMemory memory;
    double loss = 1;
    const auto optimizer = make_optimizer(options, 10);
    for (int move = 0; move < 60 && loss > 1e-28; ++move) {
      const Move made = optimizer->advance(p, memory, rosenbrock);
      REQUIRE(made.stopped == "");
      loss = rosenbrock.value(p);
      CHECK(loss < made.loss);
    }
    INFO((geodesic ? "bent" : "straight") << " steps, " << memory.moves << " of them");
    CHECK(loss <= 1e-28);
  }
}

TEST_CASE("a least-squares method masters a condition number that spoils normal equations",
          "[optimize]") {
  OptimizerOptions options;
  options.kind = "levenberg_marquardt";
  Quadratic quadratic(1e20, 30);
  Tensor p = full({30}, 1);
  OptimizerMemory memory;
  const auto optimizer = make_optimizer(options, 30);
  for (int move = 0; move < 12; ++move)
    if (!optimizer->advance(p, memory, quadratic).stopped.empty()) break;
  for (const double x : p.values()) CHECK(std::abs(x) < 1e-9);
}

TEST_CASE("a sketched method comes to the least of squares most of which stay", "[optimize]") {
  OptimizerOptions options;
  options.kind = "sketched_gauss_newton";
  options.sketch = 20;
  Regression regression(2000, 20);
  Tensor p = full({20}, 1);
  OptimizerMemory memory;
  const auto optimizer = make_optimizer(options, 20);
  for (int move = 0; move < 40; ++move)
    if (!optimizer->advance(p, memory, regression).stopped.empty()) break;
  const VectorXd best = regression.m.householderQr().solve(VectorXd::Ones(2000));
  const double distance = (Eigen::Map<const VectorXd>(p.data<double>().data(), 20) - best).norm();
  INFO(memory.moves << " moves, " << memory.numbers["rows_per_column"] << " rows per column");
  CHECK(distance < 1e-6 * best.norm());
}
