#include "solvers/train/plan.h"

#include "solvers/optimize/kinds.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/integrals.h"
#include "solvers/residual/step/traced_points.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

TEST_CASE("the plan tells points, residuals, network, stages and memory", "[train][plan]") {
  const std::string plan = plan_text(inverse_run({stage("adam", 70), stage("lbfgs", 50)}));
  CHECK_THAT(plan, Contains("  x in [-1, 1]  (space)\n") &&
                       Contains("  ends: 2 points on boundary, measure 2, redrawn every 11 steps\n"
                                "    u = 0  (weight 2)\n") &&
                       Contains("  readings: 10 data points\n    u = u_obs  (weight 1)\n") &&
                       Contains("  layers 6, activation tanh, glorot_normal: 19 parameters\n"
                                "  unknowns: k\n") &&
                       Contains("  adam: 70 steps of adam, float64\n"
                                "  lbfgs: 50 steps of lbfgs, float64\n") &&
                       Contains("derivatives\n  ") && Contains("memory\n  about "));
}

// 24 points, both ends of x and 10 readings are 36 rows, and an integral one more.
TEST_CASE("the plan tells what each method takes that may need too much", "[train][plan]") {
  Run run = inverse_run({stage("adam", 5)});
  Requirement mean = run.problem.requirements[0];
  mean.kind = Requirement::Kind::condition;
  mean.name = "mean";
  mean.quadrature = 8;
  Warnings warnings;
  Scope scope{run.problem};
  set_integrals(mean, scope);
  mean.residuals = {{"mean", parse_residual(text("integral(u) = 0"), scope, warnings), 1, {}}};
  run.problem.requirements.push_back(mean);
  run.sampling.push_back(run.sampling[0]);
  for (const std::string& kind : optimizer_kinds()) {
    run.stages = {stage(kind, 5)};
    const OptimizerKind& known = optimizer_kind(kind);
    INFO(kind);
    const std::string line = "  " + kind + ": 5 steps of " + kind + ", float64\n    ";
    const std::string rows = known.asks_for_rows ? ", of 37 rows\n" : " beside the loss\n";
    if (known.instead)
      CHECK_THAT(plan_text(run), Contains(line) && Contains(" MiB to remember, ") &&
                                     Contains(" MiB to work with, ") && Contains(rows));
    else
      CHECK_THAT(plan_text(run), !Contains(" MiB to remember, "));
  }
}

TEST_CASE("the plan tells which points follow the residual", "[train][plan]") {
  Run run = inverse_run({stage("adam", 70), stage("lbfgs", 50)});
  run.stages[1].sampling.kind = "rad";
  CHECK_THAT(plan_text(run),
             Contains("  lbfgs: 50 steps of lbfgs, float64\n"
                      "    points by rad every 500 steps, from 50000 candidates: equations\n"));
}

TEST_CASE("the plan tells which weights follow the training", "[train][plan]") {
  Run run = inverse_run({stage("adam", 70)});
  run.stages[0].weighting.kind = "ntk", run.stages[0].weighting.every = 20;
  run.stages[0].pointwise.kind = "rba", run.stages[0].pointwise.every = 1;
  run.stages[0].causal = {.tolerance = 0.5, .chunks = 8, .every = 2};
  CHECK_THAT(plan_text(run),
             Contains("    weights of terms by ntk every 20 steps\n"
                      "    weights of points by rba every 1 steps\n"
                      "    later times wait, in 8 chunks with tolerance 0.5, every 2 steps\n"));
}

TEST_CASE("a plan is made from one point that holds what all of them hold", "[train][plan]") {
  Run run = inverse_run({stage("adam", 5)});
  for (const char* method : {"uniform", "grid", "lhs", "halton", "hammersley", "sobol"}) {
    for (SamplingOptions& s : run.sampling) s.method = method;
    for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
      const PointSet one = sample_points(run, r);
      CHECK(PointWidths(one) == PointWidths(points_of(run, r, "points", 0)));
      CHECK(one.count <= 2);  // the ends of x are two regions
    }
  }
}

TEST_CASE("the plan of a step does not depend on how many points there are", "[train][plan]") {
  Run run = inverse_run({stage("adam", 5)});
  const std::string few = steps_dump(run, false);
  run.sampling[0].count = 4000;
  CHECK(steps_dump(run, false) == few);
}

TEST_CASE("memory grows with the square of SSBroyden's parameters, and not with Adam's",
          "[train][plan]") {
  const auto megabytes = [](const std::string& kind, int width) {
    Run run = poisson_run({stage(kind, 5)});
    run.networks = {layers({width, width})};
    return estimated_bytes(run) / 1e6;
  };
  CHECK(megabytes("ssbroyden", 60) - megabytes("adam", 60) ==
        Approx(1.5 * 8 * 3.841 * 3.841).epsilon(0.01));
  CHECK(megabytes("adam", 60) - megabytes("adam", 30) < 1);
}

TEST_CASE("the plan says what becomes of saved tensors", "[train][plan]") {
  Run run = poisson_run({stage("adam", 5)});
  run.networks = {layers(std::vector<int>(40, 20))};
  const auto plan = [&](const std::string& kind) {
    run.memory.kind = kind;
    return plan_text(run);
  };
  CHECK_THAT(plan("keep"), !Contains("saved tensors"));
  CHECK_THAT(plan("cpu"), Contains("in the host's memory already: nothing is copied"));
  CHECK_THAT(
      plan("disk"),
      Contains("  the compiled step keeps what its small blocks save; only with --eager saved "
               "tensors of 64 KiB or more wait in a file without a name in the run folder\n"));
  CHECK_THAT(plan("fp8_e4m3"), Contains("are rounded to fp8_e4m3"));
  CHECK_THAT(plan("recompute"), Contains("four layers at a time"));
}

TEST_CASE("the plan is that of the step that trains: roundings are in it", "[train][plan]") {
  Run run = poisson_run({stage("adam", 5)});
  run.networks = {layers(std::vector<int>(40, 20))};
  const std::string kept = plan_text(run);
  CHECK_THAT(steps_dump(run, false), !Contains(" pack "));
  // 40 layers save two jets of 3 channels and 20 features: too much for a block of more points.
  const double arena = 40 * 2 * 3 * 20 * 56 * 8;
  CHECK(estimated_bytes(run) > arena);
  CHECK(estimated_bytes(run) < 1.5 * arena + (1 << 20));
  run.memory.kind = "fp8_e5m2";
  CHECK_THAT(steps_dump(run, false), Contains(" pack "));
  CHECK(plan_text(run) != kept);
}
