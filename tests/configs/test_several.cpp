// Several networks, and pieces, for which the program chooses what the file leaves open.
#include <fmt/format.h>

#include "solvers/problem/checks.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/expression.h"
#include "solvers/problem/parse.h"
#include "solvers/residual/step/formulas.h"
#include "solvers/train/plan.h"
#include "tests/catch.h"
#include "tests/configs/promises.h"
#include "tests/configs/shipped.h"
#include "tests/configs/small.h"
#include "tests/configs/small_case.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// Heat in a rod of two materials; `more` goes into the table of the network on the right.
std::string rod_text(const std::string& more = "", const std::string& conditions = "") {
  return "[problem]\ncoordinates = { x = [-1, 1], t = [0, 1] }\n"
         "constants = { k = { left = 1, right = 3 } }\n"
         "[problem.fields.u]\nnetwork = { left = \"a\", right = \"b\" }\n"
         "[problem.regions]\nleft = { interval = { range = [-1, 0] } }\n"
         "right = { interval = { range = [0, 1] } }\n"
         "[[equation]]\nresidual = \"u_t = d(k*u_x, x)\"\n"
         "[[condition]]\nname = \"start\"\non = \"initial\"\nresidual = \"u = k*sin(pi*x)\"\n"
         "[[condition]]\nname = \"ends\"\non = \"boundary\"\nresidual = \"u = 0\"\n"
         "[[condition]]\nname = \"joint\"\non = \"interface(left, right)\"\n"
         "residual = [\"jump(u) = 0\", \"jump(k*u_x) = 0\"]\n" +
         conditions + "[[network]]\nname = \"a\"\n[[network]]\nname = \"b\"\n" + more;
}

Run read_several(const std::string& text) { return read_run_text(text, "several.toml"); }

std::vector<std::string> soft_names(const Run& run) {
  std::vector<std::string> names;
  for (const Requirement& r : run.problem.requirements)
    if (r.kind == Requirement::Kind::condition) names.push_back(r.name);
  return names;
}

}  // namespace

TEST_CASE("stages, networks and forms are chosen for pieces as for one network",
          "[configs][pieces]") {
  const Run run = read_several(rod_text());
  REQUIRE(run.stages.size() == 2);
  CHECK(run.stages[1].optimizer.kind == "ssbroyden");
  REQUIRE(run.networks.size() == 2);
  for (const NetworkOptions& one : run.networks) CHECK(one.layers == std::vector<int>{20, 20, 20});
  CHECK(soft_names(run) == std::vector<std::string>{"joint"});
  CHECK_THAT(run.chosen, Contains("# ends: exact by the network's form, and out of the loss"));
  CHECK_THAT(run.chosen, Contains("[[network]]\nname = \"b\"\nhard = \"auto\"\n"));
  CHECK(read_run_text(rod_text(), "several.toml", {}, {}, 0, {run.chosen}).effective ==
        run.effective);
}

TEST_CASE("each piece has the values of the faces that it reaches", "[configs][pieces]") {
  const Run run = read_several(rod_text());
  const auto value = [&](int field, double x, double t) {
    return evaluate(*run.problem.outputs[std::size_t(field)],
                    {.coordinates = std::array{x, t}, .raw_output = 1.7});
  };
  for (const double at : {0.2, 0.7}) {
    CHECK(value(0, -1, at) == Approx(0).margin(1e-14));
    CHECK(value(1, 1, at) == Approx(0).margin(1e-14));
    CHECK(value(0, -at, 0) == Approx(-std::sin(M_PI * at)));
    CHECK(value(1, at, 0) == Approx(3 * std::sin(M_PI * at)));
    CHECK(std::fabs(value(0, 1, at)) > 0.1);  // the face of the other piece
    CHECK(std::fabs(value(1, -1, at)) > 0.1);
  }
}

TEST_CASE("hard is about the fields of its own network", "[configs][pieces]") {
  const Run none = read_several(rod_text("hard = []\n"));
  CHECK(none.problem.outputs[0]);
  CHECK_FALSE(none.problem.outputs[1]);
  CHECK(soft_names(none) == std::vector<std::string>{"start", "ends", "joint"});
  CHECK(none.chosen.find("exact by the network's form") == std::string::npos);

  const std::string stage = "[[stage]]\noptimizer = \"adam\"\nsteps = 5\n";
  const Run some = read_several(rod_text("hard = [\"ends\"]\n" + stage));
  CHECK_FALSE(some.problem.outputs[0]);
  REQUIRE(some.problem.outputs[1]);
  CHECK(evaluate(*some.problem.outputs[1], {.coordinates = std::array{1.0, 0.0},
                                            .raw_output = 1.7}) == Approx(0).margin(1e-14));

  CHECK_THAT(refusal(rod_text("hard = [\"joint\"]\n" + stage)),
             Contains("'joint.1' cannot be exact"));
  const std::string only_left =
      "[[condition]]\nname = \"left_end\"\non = \"x = -1\"\nresidual = \"side(u, left) = 0\"\n";
  CHECK_THAT(refusal(rod_text("hard = [\"left_end\"]\n" + stage, only_left)),
             Contains("'left_end' is not a condition of this network"));
}

TEST_CASE("a condition that disagrees in one piece is exact in the other alone",
          "[configs][pieces]") {
  std::string text = rod_text();
  const std::string zero = "residual = \"u = 0\"\n";
  text.replace(text.find(zero), zero.size(), "residual = \"u = 1 + x\"\n");
  const Run run = read_several(text);
  REQUIRE(run.problem.outputs[0]);
  CHECK_FALSE(run.problem.outputs[1]);  // 2 at the end, and 0 at its start
  CHECK_THAT(run.chosen, Contains("# ends: exact in part; the rest stays in the loss, for it "
                                  "disagrees with start at x = 1, t = 0, by 2"));
}

TEST_CASE("a field of fewer coordinates has a form of these alone", "[configs]") {
  const Run run = read_several(
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\n[problem.fields.u]\n"
      "[problem.fields.s]\nnetwork = \"front\"\ninputs = [\"t\"]\n"
      "[[equation]]\nresidual = [\"u_t = u_xx\", \"s_t = at(u_x, x = 1)\"]\n"
      "[[condition]]\non = \"initial\"\nresidual = [\"u = sin(pi*x)\", \"s = 1\"]\n"
      "[[condition]]\non = \"boundary\"\nresidual = \"u = 0\"\n"
      "[[condition]]\nname = \"no\"\non = \"x = 0\"\nresidual = \"s = 1 + t^2\"\n"
      "[[network]]\nname = \"flow\"\n[[network]]\nname = \"front\"\n");
  CHECK(run.networks[1].layers == std::vector<int>{20, 20});
  REQUIRE(run.problem.outputs[1]);
  CHECK_FALSE(dependence(*run.problem.outputs[1]).on(0));
  CHECK_THAT(run.chosen, Contains("# no: stays in the loss, for the field does not depend on x"));
}

TEST_CASE("a periodic condition of pieces holds each point against the one opposite",
          "[configs][pieces]") {
  const auto text = [](const std::string& along) {
    return "[problem]\ncoordinates = { x = [-1, 1], y = [0, 1] }\n"
           "[problem.fields.u]\nnetwork = { left = \"a\", right = \"b\" }\n"
           "[problem.regions]\nleft = { interval = { range = [-1, 0] }, over = [\"x\"] }\n"
           "right = \"box - left\"\n"
           "[[equation]]\nresidual = \"u_xx + u_yy = 1\"\n"
           "[[condition]]\nname = \"seam\"\nperiodic = \"" +
           along +
           "\"\npoints = 40\n"
           "[[network]]\nname = \"a\"\nlayers = [5]\n[[network]]\nname = \"b\"\nlayers = [6]\n"
           "[[stage]]\noptimizer = \"adam\"\nsteps = 2\n";
  };
  for (const std::string along : {"x", "y"}) {
    const LossCase c = small_case(read_several(text(along)), 40);
    const std::vector<double> p = c.model->initial_parameters(4);
    const PointSet& near = c.points[1];
    PointSet far = near;
    const std::size_t at = along == "x" ? 0 : 1;
    for (std::size_t i = 0; i < near.count; ++i) far.x[2 * i + at] = 1;
    const auto values = [&](const PointSet& points, const std::string& formula) {
      Warnings none;
      return evaluate_eagerly(
          *c.model, p, points,
          {parse_expression(Text{formula, {}, false}, Scope{c.model->problem()}, none)})[0];
    };
    double sum = 0, slopes = 0;
    const auto u = values(near, "u"), there = values(far, "u");
    const auto u_x = values(near, "u_" + along), there_x = values(far, "u_" + along);
    for (std::size_t i = 0; i < near.count; ++i) {
      sum += std::pow(u[i] - there[i], 2) / double(near.count);
      slopes += std::pow(u_x[i] - there_x[i], 2) / double(near.count);
    }
    for (const bool compiled : {true, false}) {
      const std::vector<double> terms = c.at(p, compiled).loss.terms;
      REQUIRE(terms.size() == 3);
      CHECK(terms[1] == Approx(sum).epsilon(1e-12));
      CHECK(terms[2] == Approx(slopes).epsilon(1e-12));
    }
  }
}
