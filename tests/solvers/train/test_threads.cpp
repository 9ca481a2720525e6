#include "solvers/train/loss_objective.h"
#include "solvers/train/trained_part.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// An equation weighted 2 that asks for an unknown, and a condition weighted 0.3.
std::shared_ptr<const Model> weighted_model() {
  auto p = problem({"x"}, {"u"}, {});
  p->unknowns.push_back({"k", 0.3, 0.01, 20.0, true});
  Warnings warnings;
  p->requirements[0].residuals.push_back(
      {"poisson", parse_residual(text("u_xx = -k*sin(pi*x)"), Scope{*p}, warnings), 2, text("")});
  Requirement known = p->requirements[0];
  known.kind = Requirement::Kind::condition;
  known.name = "known";
  known.residuals = {{"known", parse_residual(text("u = x^3 - x"), Scope{*p}, warnings), 0.3, {}}};
  p->requirements.push_back(known);
  return std::make_shared<const Model>(p, layers({7, 6}));
}

struct Ending {
  Tensor p;
  OptimizerMemory memory;
};

/// Four moves, with points in blocks of 16 that threads share out.
Ending ending_of(const OptimizerOptions& options, int points, int threads) {
  const auto model = weighted_model();
  ThreadPool pool(threads);
  LossOptions how;
  how.block = 16;
  Loss loss(model, how, pool);
  for (const std::size_t r : {0, 1})
    loss.set_points(r, spread(model->problem(), std::size_t(points)));
  LossObjective objective(loss);
  TrainedSize size = trained_size({}, {}, *model);
  size.rows = loss.squares().rows();
  const auto optimizer = make_optimizer(options, size);
  const std::vector<double> start = model->initial_parameters(3);
  Ending end{from_values(start, {std::int64_t(start.size())}), {}};
  for (int k = 0; k < 4; ++k)
    REQUIRE(optimizer->advance(end.p, end.memory, objective).stopped == "");
  CHECK(end.p.values().back() != start.back());
  return end;
}

/// To the last bit, whatever the number type.
bool same_memory(const OptimizerMemory& a, const OptimizerMemory& b) {
  const auto equal = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.dtype() == y.second.dtype() &&
           bits::same_bits(x.second.values(), y.second.values());
  };
  return a.moves == b.moves && a.numbers == b.numbers &&
         std::ranges::equal(a.tensors, b.tensors, equal);
}

/// Checks that all that moves leave is the same to the last bit; of more rows than the 70
/// parameters, in several leaves of a tall matrix, where nothing is said.
void check_threads(const OptimizerOptions& options, int points = 400) {
  const Ending one = ending_of(options, points, 1);
  for (const int threads : {2, 3, 4}) {
    INFO(options.kind << ", " << points << " points, " << threads << " threads");
    const Ending many = ending_of(options, points, threads);
    CHECK(bits::same_bits(one.p, many.p));
    CHECK(same_memory(one.memory, many.memory));
  }
}

}  // namespace

TEST_CASE("every kind of optimizer makes the same moves with 1 to 4 threads, to the last bit",
          "[train][threads]") {
  for (const std::string& kind : optimizer_kinds()) check_threads(stage(kind, 4).optimizer);
}

TEST_CASE("natural gradients of few rows, of a rank and with momentum have one end on any threads",
          "[train][threads]") {
  OptimizerOptions options = stage("natural_gradient", 4).optimizer;
  options.momentum = 0.5;
  check_threads(options);
  check_threads(options, 30);
  options.rank = 10;
  check_threads(options);
}

TEST_CASE("sketches that add up rows have one end on any threads", "[train][threads]") {
  OptimizerOptions options = stage("sketched_gauss_newton", 4).optimizer;
  options.sketch = 20;
  check_threads(options);
}

TEST_CASE("a Newton's method that knows a few curvatures has one end on any threads",
          "[train][threads]") {
  OptimizerOptions options = stage("nystrom_newton_cg", 4).optimizer;
  options.rank = 8, options.refresh = 2;
  check_threads(options);
}

TEST_CASE("ssbroyden with its curvature in float32 has one end on any threads",
          "[train][threads]") {
  OptimizerOptions options = stage("ssbroyden", 4).optimizer;
  options.curvature = "float32";
  check_threads(options);
}
