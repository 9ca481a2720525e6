// Integrals, and fields elsewhere, from the file to what training makes of them.
#include <cmath>

#include "configs/read.h"
#include "data/geometry/region.h"
#include "solvers/optimize/optimizer.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/differentiate.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/parse.h"
#include "solvers/train/plan.h"
#include "solvers/train/train.h"
#include "solvers/watch/warnings.h"
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

Run read_mass(const std::string& more) { return read_run_text(with_mass(more), "mass.toml"); }

double sum(const std::vector<double>& all) {
  double sum = 0;
  for (const double x : all) sum += x;
  return sum;
}

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
  const WholeForm form = whole_form(asked);
  for (std::size_t i = 0; i < integrals.size(); ++i)
    if (form.mean[i]) integrals[i] /= sum(points.weights);
  for (const ExpressionPtr& formula : form.formulas)
    all.push_back(evaluate(*formula, {.unknowns = unknowns, .columns = integrals}));
  return all;
}

}  // namespace

TEST_CASE("an integral of a condition has the nodes of its rule, with the measure as their weights",
          "[configs][integrals]") {
  const Run everywhere = read_mass("residual = \"mean(u) = 1\"\nquadrature = 3\n");
  const PointSet nodes = points_of(everywhere, 1, "points", 0);
  CHECK(nodes.count == 27);
  CHECK(sum(nodes.weights) == Approx(4).epsilon(1e-14));
  CHECK(points_of(everywhere, 1, "points", 5).x == nodes.x);
  CHECK(held_out_points(everywhere, 1).count == 125);
  CHECK(sum(held_out_points(everywhere, 1).weights) == Approx(4).epsilon(1e-14));
  CHECK_THAT(plan_text(everywhere), Contains("27 nodes, 3 along each coordinate"));

  const Run start = read_mass("on = \"t = 0\"\nresidual = \"integral(u) = 1\"\n");
  CHECK(start.problem.requirements[1].quadrature == 32);
  CHECK(points_of(start, 1, "points", 0).count == 32 * 32);
  const Run wall = read_mass("on = \"x = 2 and t = 1\"\nresidual = \"integral(u_n) = 1\"\n");
  CHECK(points_of(wall, 1, "points", 0).normals[0] == 1);
}

TEST_CASE("the integral of a constant is it times the measure of where it is taken",
          "[configs][integrals]") {
  struct Place {
    std::string on;
    double measure, tolerance;
  };
  const std::string shapes =
      "[problem.regions]\n"
      "round = { disk = { center = [1, 0], radius = 0.5 } }\n"
      "small = { disk = { center = [1.7, 0.7], radius = 0.2 } }\n"
      "corners = { polygon = [[0.2, -0.5], [0.8, -0.5], [0.8, 0.3]] }\n";
  const Place places[] = {{"\"interior\"", 4, 1e-14},
                          {"\"x = 0\"", 2, 1e-14},
                          {"\"x = 0.5 and t < 0.5\"", 1, 1e-14},
                          {"\"x = 0 and y = 0.5 and t = 1\"", 1, 1e-14},
                          {"\"x < 0.3 and y > 0\"", 0.3, 1e-14},
                          {"[\"x = 0\", \"y = 1\"]", 4, 1e-14},
                          {"\"boundary\"", 8, 1e-14},
                          {"\"round and t = 0\"", M_PI / 4, 1e-12},
                          {"\"surface(round)\"", M_PI, 1e-12},
                          {"[\"round\", \"small\"]", 0.29 * M_PI, 1e-12},
                          {"\"round and x > 1\"", M_PI / 8, 1e-12},
                          {"\"corners\"", 0.24, 1e-12},
                          {"\"surface(corners)\"", 2.4, 1e-12},
                          {"\"not round\"", 4 - M_PI / 4, 2e-3}};
  for (const Place& place : places) {
    INFO(place.on);
    std::string text =
        with_mass("on = " + place.on + "\nresidual = \"integral(3 + 0*u) = mean(2 + 0*u)\"\n");
    text.insert(text.find("[[equation]]"), shapes);
    const Run run = read_run_text(text, "measure.toml");
    CHECK(residuals_with(run, 1, {"x"}, {})[0] ==
          Approx(3 * place.measure - 2).epsilon(2 * place.tolerance).margin(1e-13));
  }
}

TEST_CASE("integrals are read with spaces, indices and numbers that are integrals beside them",
          "[configs][integrals]") {
  const Run spaced = read_mass("residual = \"integral (u) = 1\"\n");
  CHECK(is_integral(spaced.problem.requirements[1]));
  const Run many =
      read_mass("for = { i = \"1:2\" }\nresidual = \"integral(u^i) = 1\"\nweight = \"10^i\"\n");
  CHECK(many.problem.requirements[1].residuals[1].weight == 100);
  CHECK_FALSE(many.problem.requirements[1].residuals[1].weight_at);
  const Run beside =
      read_mass("residual = \"integral(u) = integral(integral(u*s)*s^2, s, 0, 1)\"\n");
  // For u = x, over the box: 4 = 1/4 of 4.
  CHECK(residuals_with(beside, 1, {"x"}, {})[0] == Approx(3).epsilon(1e-13));
}

TEST_CASE("a file with integrals says the same as its values in force", "[configs][integrals]") {
  for (const std::string kind : {"[[equation]]\n", "[[condition]]\n"}) {
    const std::string more = "residual = \"integral(u) = 1\"\n" + kind +
                             "residual = \"integral(u) = t\"\nintegrate = [\"x\", \"y\"]\n";
    const Run run = read_mass(more);
    CHECK(run.effective.count("condition.1.points.count") == 0);
    const std::string second = kind == "[[equation]]\n" ? "equation.2." : "condition.2.";
    CHECK(run.effective.at(second + "points.count") == "200");
  }
  const Run equation = read_run_text(
      with_mass("residual = \"integral(u) = 1\"\n[[equation]]\nresidual = \"mean(u) = 2\"\n"),
      "a.toml");
  CHECK(equation.effective.count("equation.2.points.count") == 0);
}

TEST_CASE("an integral over a name stands in values and in fields that are written",
          "[configs][integrals]") {
  const Folder folder;
  std::string text = with_mass("residual = \"integral(u) = 1\"\n");
  text.insert(text.find("[[equation]]"),
              "[problem.define]\nfar = \"integral(at(u, x = s), s, 0, x)\"\n");
  text +=
      "[output]\ngrid = { x = 3, y = 3, t = 2 }\nfields = [\"u\", \"far\"]\n"
      "[output.values]\n"
      "a = { value = \"integral(far)\", on = \"t = 0\" }\n"
      "b = { value = \"integral(integral(at(u, x = s), s, 0, x))\", on = \"t = 0\" }\n"
      "c = { value = \"at(far, x = 2, y = 0, t = 1) - at(integral(at(u, x = s), s, 0, 2), x = "
      "0, y = 0, t = 1)\" }\n";
  TrainRequest request;
  request.folder.out = folder / "run";
  request.style = ProgressStyle::quiet;
  const TrainResult result = train(read_run_text(text, "far.toml"), request);
  REQUIRE(result.values.size() == 3);
  CHECK(result.values[0].value == Approx(result.values[1].value).epsilon(1e-12));
  CHECK(std::fabs(result.values[0].value) > 1e-3);
  CHECK(std::fabs(result.values[2].value) < 1e-13);
}

TEST_CASE("an integral over some coordinates is asked at points of the others",
          "[configs][integrals]") {
  const Run run = read_mass(
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
    CHECK(compiled.unknowns[0].second != 1.5);
    // Conjugate gradients end elsewhere where a curvature is negative by rounding alone: products
    // with the Hessian are compared in tests/solvers/residual.
    if (kind == "nystrom_newton_cg") continue;
    // A damping of 1e-10 lets rounding grow.
    const double rounding = kind == "natural_gradient" ? 1e-5 : 1e-8;
    CHECK(compiled.loss == Approx(eager.loss).epsilon(rounding));
    CHECK(compiled.unknowns[0].second == Approx(eager.unknowns[0].second).epsilon(rounding));
    for (std::size_t k = 0; k < 4; ++k)
      CHECK(compiled.terms[k].held_out == Approx(eager.terms[k].held_out).epsilon(10 * rounding));
  }
}

TEST_CASE("a run with integrals in windows of time is the same op by op", "[configs][integrals]") {
  const Folder folder;
  const std::string text =
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
      "[[equation]]\nresidual = \"u_t = 0.1*u_xx\"\npoints = 30\n"
      "[[condition]]\non = \"t = 0\"\nresidual = \"u = cos(pi*x)\"\npoints = 20\n"
      "[[condition]]\non = \"t = 0\"\nresidual = \"integral(u^2) = 0.5\"\nquadrature = 8\n"
      "[[condition]]\non = \"t = 0.75\"\nresidual = \"integral(u) = 0\"\nquadrature = 8\n"
      "[[condition]]\nresidual = \"integral(u) = 0\"\nintegrate = \"x\"\npoints = 20\n"
      "[network]\nlayers = [6]\n[[stage]]\noptimizer = \"ssbroyden\"\nsteps = 12\n"
      "[windows]\ncount = 2\n[output]\ngrid = { x = 3, t = 3 }\n"
      "[output.values]\nmass = { value = \"integral(u^2)\", on = \"t = 0.75\" }\n";
  const auto result = [&](bool eager) {
    TrainRequest request;
    request.folder.out = folder / (eager ? "eager" : "compiled");
    request.style = ProgressStyle::quiet;
    request.eager = eager;
    return train(read_run_text(text, "windows.toml"), request);
  };
  const TrainResult compiled = result(false), eager = result(true);
  REQUIRE(compiled.terms.size() == eager.terms.size());
  CHECK(compiled.terms.size() == 5);  // of the second window
  for (std::size_t k = 0; k < compiled.terms.size(); ++k)
    CHECK(compiled.terms[k].held_out == Approx(eager.terms[k].held_out).epsilon(1e-5));
  CHECK(compiled.values[0].value == Approx(eager.values[0].value).epsilon(1e-6));
}

TEST_CASE("a source that hardly a point sees is warned of", "[configs][integrals]") {
  const auto told = [](const std::string& source, const std::string& more = "points = 400\n") {
    const std::string text =
        "[problem]\ncoordinates = { x = [0, 1], y = [0, 1] }\nfields = [\"u\"]\n"
        "unknowns = { w = 0.4 }\n[[equation]]\nname = \"heat\"\nresidual = \"laplacian(u) = " +
        source + "\"\n" + more +
        "[[condition]]\non = \"boundary\"\nresidual = \"u = w\"\n"
        "[[stage]]\noptimizer = \"adam\"\nsteps = 3\n";
    return warnings_text(warnings_of(read_run_text(text, "source.toml")));
  };
  const std::string what = "'heat' hardly sees a source";
  CHECK_THAT(told("-2*delta(x - 0.5, 1e-4)"), Contains(what + ": 0 of its 400 points lie within"));
  CHECK_THAT(told("-2*delta(x - 0.5, 0.01)*delta(y - 0.5, 0.01)"), Contains(what));
  CHECK_THAT(told("delta(x - 3, 0.1)*y"), Contains(what));
  CHECK_THAT(told("delta(x - w, 1e-5) + delta(x - 0.2, 0.1)"), Contains(what));
  CHECK_THAT(told("-2*delta(x - 0.5, 0.01)"), !Contains(what));
  CHECK_THAT(told("delta(x - 0.5, 0.1)*delta(y - 0.5, 0.1) - delta(x - w, 0.1)/3"),
             !Contains(what));
  CHECK_THAT(told("delta(x - 0.5, 0.01)*delta(y - 0.5, 0.01)",
                  "points = { count = 400, density = \"1e-3 + exp(-100*((x - 0.5)^2 + (y - "
                  "0.5)^2))\" }\n"),
             !Contains(what));
}

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
