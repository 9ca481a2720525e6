// Integrals, and fields elsewhere, from the file to what training makes of them.
#include <cmath>

#include "configs/read.h"
#include "data/geometry/region.h"
#include "solvers/optimize/optimizer.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/parse.h"
#include "solvers/train/plan.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/train.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

std::string with_mass(const std::string& more = "") {
  return "[problem]\n"
         "coordinates = { x = [0, 2], y = [-1, 1], t = [0, 1] }\n"
         "fields = [\"u\"]\n"
         "[[equation]]\n"
         "residual = \"u_t = laplacian(u)\"\n"
         "points = 50\n"
         "[[condition]]\n" +
         more + "[network]\nlayers = [8]\n[[stage]]\noptimizer = \"adam\"\nsteps = 3\n";
}

Run read(const std::string& more) { return read_run_text(with_mass(more), "mass.toml"); }

double sum(const std::vector<double>& all) {
  double sum = 0;
  for (const double x : all) sum += x;
  return sum;
}

}  // namespace

TEST_CASE("an integral of a condition has the nodes of its rule, with the measure as their weights",
          "[configs][integrals]") {
  const Run everywhere = read("residual = \"mean(u) = 1\"\nquadrature = 3\n");
  const PointSet nodes = points_of(everywhere, 1, "points", 0);
  CHECK(nodes.count == 27);
  CHECK(sum(nodes.weights) == Approx(4).epsilon(1e-14));
  CHECK(points_of(everywhere, 1, "points", 5).x == nodes.x);
  CHECK(held_out_points(everywhere, 1).count == 125);
  CHECK(sum(held_out_points(everywhere, 1).weights) == Approx(4).epsilon(1e-14));
  CHECK_THAT(plan_text(everywhere), Contains("27 nodes, 3 along each coordinate"));

  const Run start = read("on = \"t = 0\"\nresidual = \"integral(u) = 1\"\n");
  CHECK(start.problem.requirements[1].quadrature == 32);
  CHECK(points_of(start, 1, "points", 0).count == 32 * 32);
  const Run wall = read("on = \"x = 2 and t = 1\"\nresidual = \"integral(u_n) = 1\"\n");
  CHECK(points_of(wall, 1, "points", 0).normals[0] == 1);
}

TEST_CASE("an integral over some coordinates is asked at points of the others",
          "[configs][integrals]") {
  const Run run = read(
      "residual = \"integral(u*x) = exp(-t)\"\nintegrate = [\"x\", \"y\"]\nquadrature = 3\n"
      "points = 7\n");
  const Requirement& r = run.problem.requirements[1];
  CHECK_FALSE(is_integral(r));
  CHECK(r.region->dimension() == 1);
  CHECK_FALSE(r.region->has_normal());
  CHECK(points_of(run, 1, "points", 0).count == 7);
  REQUIRE(r.places);
  CHECK(r.places->weights.size() == 9);
  CHECK(sum(r.places->weights) == Approx(4).epsilon(1e-14));

  // With x^2*y^2 + t in the place of u it is the integral of x^3 y^2 + x t, 8/3 + 4 t.
  Warnings none;
  const Scope formulas{run.problem, Scope::Use::formula};
  const ExpressionPtr u = parse_expression(Text{"x^2*y^2 + t", {}, false}, formulas, none);
  const Evaluator at(*substitute_fields(r.residuals[0].expression, {u}));
  for (const double t : {0.0, 0.4, 1.0}) {
    const std::vector<double> x = {1, 0, t};
    CHECK(at({.coordinates = x}) == Approx(8. / 3 + 4 * t - std::exp(-t)).epsilon(1e-13));
  }
}

TEST_CASE("every optimizer takes the same steps with integrals, compiled and op by op",
          "[configs][integrals]") {
  const Folder folder;
  for (const std::string& kind : optimizer_kinds()) {
    INFO(kind);
    const std::string text =
        "[problem]\n"
        "coordinates = { x = [0, 2] }\n"
        "fields = [\"u\"]\n"
        "unknowns = { l = 1.5 }\n"
        "[[equation]]\n"
        "residual = \"u_xx = -l*u + delta(x - 1, 0.2)\"\n"
        "points = 30\n"
        "[[equation]]\n"
        "residual = \"u = l + integral(exp(s - x)*at(u, x = s), s, 0, x)\"\n"
        "points = 20\n"
        "quadrature = 5\n"
        "[[condition]]\n"
        "residual = [\"integral(u^2) = 1\", \"mean(u*u_x) = l\"]\n"
        "quadrature = 10\n"
        "[network]\nlayers = [6]\n"
        "[[stage]]\noptimizer = \"" +
        kind + "\"\nsteps = 5\n[output]\ngrid = { x = 3 }\n";
    const auto result = [&](bool eager) {
      TrainRequest request;
      request.folder.out = folder / (kind + (eager ? "-eager" : "-compiled"));
      request.style = ProgressStyle::quiet;
      request.eager = eager;
      return train(read_run_text(text, "all.toml"), request);
    };
    const TrainResult compiled = result(false), eager = result(true);
    CHECK(compiled.loss == Approx(eager.loss).epsilon(1e-8));
    CHECK(compiled.unknowns[0].second == Approx(eager.unknowns[0].second).epsilon(1e-8));
    CHECK(compiled.unknowns[0].second != 1.5);
    for (std::size_t k = 0; k < 4; ++k)
      CHECK(compiled.terms[k].held_out == Approx(eager.terms[k].held_out).epsilon(1e-7));
  }
}

namespace {

/// The residuals of requirement r with formulas in the place of the fields: at its points, or one
/// number each where they are made of integrals.
std::vector<double> residuals_with(const Run& run, std::size_t r, const std::vector<std::string>& u,
                                   const std::vector<double>& unknowns) {
  Warnings none;
  std::vector<ExpressionPtr> fields;
  for (const std::string& text : u)
    fields.push_back(
        parse_expression(Text{text, {}, false}, {run.problem, Scope::Use::formula}, none));
  const Requirement& asked = run.problem.requirements[r];
  const PointSet points = points_of(run, r, "points", 0);
  const std::size_t d = run.problem.coordinates.size();
  std::vector<double> all, integrals;
  for (const Residual& residual : integrands_of(asked).residuals) {
    const Evaluator at(*substitute_fields(residual.expression, fields));
    integrals.push_back(0);
    for (std::size_t i = 0; i < points.count; ++i) {
      all.push_back(
          at({.coordinates = std::span(points.x).subspan(i * d, d), .unknowns = unknowns}));
      if (is_integral(asked)) integrals.back() += points.weights[i] * all.back();
    }
  }
  if (!is_integral(asked)) return all;
  all.clear();
  for (const ExpressionPtr& formula : whole_form(asked).formulas)
    all.push_back(evaluate(*formula, {.unknowns = unknowns, .columns = integrals}));
  return all;
}

}  // namespace

TEST_CASE("the oscillator's states make every residual of its file vanish",
          "[configs][integrals]") {
  const Run run = read_run(PINN_SOURCE_DIR "/configs/oscillator.toml");
  const std::string ground = "exp(-x^2/2)/pi^0.25";
  const std::vector<std::string> states = {ground, "sqrt(2)*x*" + ground,
                                           "(2*x^2 - 1)/sqrt(2)*" + ground};
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    INFO(run.problem.requirements[r].name);
    for (const double residual : residuals_with(run, r, states, {0.5, 1.5, 2.5}))
      CHECK(std::fabs(residual) < 1e-10);
  }
}

TEST_CASE("the third mode of the membrane makes its residuals vanish", "[configs][integrals]") {
  const Run run = read_run(PINN_SOURCE_DIR "/configs/l_membrane.toml");
  const std::string mode = "2/sqrt(3)*sin(pi*x)*sin(pi*y)";
  const std::vector<double> unknowns = {9.6, 15.2, 2 * M_PI * M_PI, 1};
  const auto third = [&](std::size_t r) {
    return residuals_with(run, r, {"0*x", "0*x", mode}, unknowns);
  };
  for (const std::size_t r : {0, 1})
    for (const double residual : third(r)) CHECK(std::fabs(residual) < 1e-10);
  CHECK(std::fabs(third(2)[2]) < 2e-3);  // by a sequence
}
