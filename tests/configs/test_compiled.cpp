// The compiled step of every shipped problem computes what the ops on tensors do.

#include <unistd.h>

#include "autograd/compile.h"
#include "configs/read.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/residual/step/traced_sweep.h"
#include "solvers/train/train.h"
#include "tests/autograd/cpu/tiles/real_tiles.h"
#include "tests/catch.h"
#include "tests/configs/shipped.h"
#include "tests/configs/small_case.h"
#include "tests/larger.h"
#include "tests/solvers/residual/both_ways.h"
#include "tests/solvers/residual/least_squares.h"

using namespace pinn;
using pinn::test::distance_both_ways;
using pinn::test::distance_of;
using pinn::test::larger;
using pinn::test::LossCase;
using pinn::test::Result;
using pinn::test::shipped_files;
using pinn::test::small_case;

namespace {

/// A block or a few of each requirement, the last one with points made up.
constexpr std::size_t few_points = 130;
/// So many that a sum's rounding is no matter of luck.
constexpr std::size_t many_points = 2000;

/// The parameters after so many steps of Adam with the loss compiled or not; `losses` on the way.
std::vector<double> after_adam(const LossCase& c, std::vector<double> p, int steps, bool compiled,
                               std::vector<double>* losses = nullptr) {
  std::vector<double> m(p.size()), v(p.size());
  ThreadPool pool(1);
  LossOptions options = c.options;
  options.compiled = compiled;
  Loss loss(c.model, options, pool);
  for (std::size_t r = 0; r < c.points.size(); ++r) loss.set_points(r, c.points[r]);
  std::vector<double> g(p.size());
  for (int n = 1; n <= steps; ++n) {
    const double value = loss.value_and_gradient(p, g).total;
    if (losses) losses->push_back(value);
    for (std::size_t i = 0; i < p.size(); ++i) {
      m[i] = 0.9 * m[i] + 0.1 * g[i];
      v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
      p[i] -= 1e-3 * (m[i] / (1 - std::pow(0.9, n))) /
              (std::sqrt(v[i] / (1 - std::pow(0.999, n))) + 1e-8);
    }
  }
  return p;
}

void check_equal(LossCase c, const std::vector<double>& p, const Loss::Result& before) {
  CHECK(distance_both_ways(c, p, before) <= 1e-12);
  const Result one = c.at(p, true, 1);
  for (const int threads : {2, 3, 4}) {
    const Result many = c.at(p, true, threads);
    CHECK(many.loss.total == one.loss.total);
    CHECK(many.gradient == one.gradient);
  }
  // Trained networks may leave float32 less: it may be off by twice of what op by op it is.
  const Result exact = c.at(p, false);
  c.options.dtype = DType::float32;
  const Result compiled = c.at(p, true), eager = c.at(p, false);
  CHECK(distance_of(c, p, compiled, exact, before) <=
        std::max(2e-5, 2 * distance_of(c, p, eager, exact, before)));
}

void check_outputs(const Run& run, const LossCase& c, const std::vector<double>& p) {
  ThreadPool pool(3);
  const std::vector<ExpressionPtr>& asked = run.output.expressions;
  const auto a = Formulas(c.model, asked)(p, c.points[0], pool),
             b = evaluate_eagerly(*c.model, p, c.points[0], asked);
  for (std::size_t k = 0; k < a.size(); ++k) {
    double scale = 0, difference = 0;
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      scale = larger(scale, std::fabs(b[k][i]));
      difference = larger(difference, std::fabs(a[k][i] - b[k][i]));
    }
    CHECK(difference <= 1e-12 * scale);
  }
}

/// The parameters that a shipped problem is trained to.
std::vector<double> trained_parameters(Run run) {
  run.options.threads = 1;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("pinn-compiled-" + std::to_string(::getpid()) + run.name);
  TrainRequest request;
  request.folder.name = run.name;
  request.folder.out = folder.string();
  request.folder.overwrite = true;
  request.style = ProgressStyle::quiet;
  const Found found = newest_checkpoint(train(run, request).folder);
  std::filesystem::remove_all(folder);
  return found.checkpoint->state.best.parameters;
}

/// The same problem with three layers of 64 neurons, which tiles suit.
Run widened(Run run) {
  run.networks[0].layers = {64, 64, 64};
  return run;
}

/// How far such a step in float32 is from float64, in 16 chunks of some 20 blocks.
double off_over_many_blocks(Products products) {
  LossCase c = small_case(widened(read_run(PINN_SOURCE_DIR "/configs/helmholtz_2d.toml")), 25'000);
  const std::vector<double> p = c.model->initial_parameters(3);
  const Result reference = c.at(p, true);
  c.options.dtype = DType::float32;
  c.options.products = products;
  return distance_of(c, p, c.at(p, true), reference, reference.loss);
}

}  // namespace

TEST_CASE("the compiled step of every shipped problem equals the eager one",
          "[configs][compiled]") {
  for (const std::string& file : shipped_files()) {
    INFO(file);
    const Run run = read_run(file);
    const LossCase c = small_case(run, few_points);
    std::vector<double> p = c.model->initial_parameters(3);
    const Loss::Result before = c.at(p, false).loss;
    check_equal(c, p, before);
    p = after_adam(c, p, 40, true);
    check_equal(c, p, before);
    check_outputs(run, c, p);
  }
}

TEST_CASE("without tiles every shipped problem's step computes exactly what is asked in parts",
          "[configs][compiled]") {
  const cpu::TilesForNow tiles(false);
  for (const std::string& file : shipped_files()) {
    INFO(file);
    LossCase c = small_case(widened(read_run(file)), few_points);
    c.options.dtype = DType::float32;
    const std::vector<double> p = c.model->initial_parameters(3);
    const Result exact = c.at(p, true);
    c.options.products = Products::bf16x3;
    const Result asked = c.at(p, true);
    CHECK(asked.loss.total == exact.loss.total);
    CHECK(asked.gradient == exact.gradient);
  }
}

TEST_CASE("with products from bf16 parts every shipped problem's step is as accurate as in float32",
          "[configs][compiled]") {
  if (skips(lack_of_tiles())) return;
  for (const std::string& file : shipped_files()) {
    INFO(file);
    LossCase c = small_case(widened(read_run(file)), few_points);
    c.options.dtype = DType::float32;
    const std::vector<double> p = c.model->initial_parameters(3);
    const Loss::Result before = c.at(p, false).loss;
    const Result exact = c.at(p, true);
    c.options.products = Products::bf16x3;
    const Result one = c.at(p, true, 1);
    CHECK(distance_of(c, p, one, c.at(p, false), before) <= 2e-5);
    CHECK(one.gradient != exact.gradient);
    for (const int threads : {2, 3}) {
      const Result many = c.at(p, true, threads);
      CHECK(many.loss.total == one.loss.total);
      CHECK(many.gradient == one.gradient);
    }
  }
}

TEST_CASE("products in float32 add up over many blocks", "[configs][compiled]") {
  CHECK(off_over_many_blocks(Products::exact) <= 2e-5);
}

TEST_CASE("products from bf16 parts add up over many blocks", "[configs][compiled]") {
  if (skips(lack_of_tiles())) return;
  CHECK(off_over_many_blocks(Products::bf16x3) <= 2e-5);
}

TEST_CASE("the products of every shipped problem agree with each other, to rounding",
          "[configs][compiled]") {
  for (const std::string& file : shipped_files()) {
    INFO(file);
    const LossCase c = small_case(read_run(file), 12);
    const test::Disagreement d =
        test::LeastSquaresCase(c, c.model->initial_parameters(3)).disagreement();
    CHECK(d.gram < 1e-12);
    CHECK(d.products < 1e-12);
    CHECK(d.adjoint < 1e-12);
    CHECK(d.gradient < 1e-12);
    CHECK(d.hessian < 1e-6);
  }
}

TEST_CASE("no shipped problem's step is long: that is what compiling it takes time for",
          "[configs][compiled]") {
  for (const std::string& file : shipped_files()) {
    INFO(file);
    const Run run = read_run(file);
    const LossCase c = small_case(run, few_points);
    for (std::size_t r = 0; r < c.points.size(); ++r) {
      PartOptions part = traced_part(c.model, r);
      part.derivatives = c.options.derivatives[r];
      const TracedSweep step = trace_sweep(part, PointWidths(c.points[r]), Sweep::gradient);
      std::size_t places = 0;  // where the network is evaluated once more
      for (const Residual& residual : requirement_of(part).residuals)
        for (const Expression* e : in_order(*residual.expression))
          places += e->kind == Expression::Kind::elsewhere;
      // About a microsecond per value in each of a few dozen passes, and per instruction. Jets of
      // more than eight channels begin with each of them apart.
      const std::size_t most = std::max<std::size_t>(450, 80 * (part.weights.size() + places));
      CHECK(step.graph.values.size() < most);
      CHECK(std::size_t(report(plan(step.graph)).instructions) < most);
    }
  }
}

TEST_CASE("CMP-01 a hundred steps of Adam are the same compiled and op by op",
          "[configs][compiled]") {
  const LossCase c = small_case(read_run(PINN_SOURCE_DIR "/configs/burgers.toml"), 60);
  const std::vector<double> start = c.model->initial_parameters(3);
  std::vector<double> compiled, eager;
  const std::vector<double> a = after_adam(c, start, 100, true, &compiled),
                            b = after_adam(c, start, 100, false, &eager);
  for (std::size_t n = 0; n < eager.size(); ++n)
    CHECK(compiled[n] == Approx(eager[n]).epsilon(1e-12));
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = larger(difference, std::fabs(a[i] - b[i]));
    size = larger(size, std::fabs(b[i]));
  }
  CHECK(difference <= 1e-10 * size);
}

TEST_CASE("the compiled step of every shipped problem equals the eager one at the end of training",
          "[configs][compiled][slow]") {
  for (const std::string& file : shipped_files()) {
    INFO(file);
    const Run run = read_run(file);
    const LossCase c = small_case(run, many_points);
    const Loss::Result before = c.at(c.model->initial_parameters(3), false).loss;
    const std::vector<double> p = trained_parameters(run);
    check_equal(c, p, before);
    check_outputs(run, c, p);
  }
}
