#include "solvers/watch/warnings.h"

#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// poisson_run() with readings at some x.
Run read_at(const std::vector<double>& x) {
  Run run = inverse_run({stage("adam", 5)});
  DataSet& data = *run.problem.requirements[2].data;
  data.file = "readings.csv";
  data.rows = x;
  data.values.assign(x.size(), 0.5);
  data.count = x.size();
  return run;
}

Run with_activations(const std::string& equation, const std::vector<std::string>& activation) {
  Run run = run_of(*problem({"x"}, {"u"}, {equation}), {stage("adam", 5)});
  run.networks = {layers(std::vector<int>(activation.size(), 6))};
  run.networks[0].activation = activation;
  return run;
}

}  // namespace

TEST_CASE("data outside of the domain are warned of", "[train]") {
  const Warnings found = points_outside(read_at({0.2, 1.1, -0.3, -7}));
  REQUIRE(found.size() == 1);
  CHECK(warning_text(found[0]) ==
        "warning: 2 of the 4 points of 'readings' lie outside of the domain, the first in row 2: x "
        "= 1.1 is not in [-1, 1]\n"
        "  where: readings.csv\n"
        "  fix:   leave them out, or widen problem.coordinates.x: nothing is asked of the network "
        "there");
  CHECK(points_outside(read_at({0.2, 1.1})).size() == 1);
}

TEST_CASE("data in a hole of the domain are warned of with their row", "[train]") {
  Run run = run_of(*problem({"x", "y"}, {"u"}, {"u_xx + u_yy = 0"}), {stage("adam", 5)});
  run.problem.domain =
      subtracted(Body(make_shape({"cuboid", {{"lower", {-1, -1}}, {"upper", {1, 1}}}}, 2)),
                 Body(make_shape({"disk", {{"center", {0, 0}}, {"radius", {0.5}}}}, 2)));
  Requirement readings;
  readings.kind = Requirement::Kind::data;
  readings.name = "readings";
  readings.data.emplace();
  readings.data->file = "readings.csv";
  readings.data->rows = {0.9, 0, 0.5, 0, 0.4999, 0, 0.1, 0.2, -0.3, 0};
  readings.data->count = 5;
  run.problem.requirements.push_back(readings);
  const Warnings found = points_outside(run);
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].what ==
      "2 of the 5 points of 'readings' lie in no part of the domain, the first in row 4: x = 0.1, "
      "y = 0.2");
  CHECK(found[0].where == "readings.csv");
}

TEST_CASE("data on the edge, rounded to three digits, or in another period are within the domain",
          "[train]") {
  CHECK(points_outside(read_at({-1, 0.2, 1})).empty());
  CHECK(points_outside(read_at({-1.001, 1.001})).empty());
  Run ring = read_at({0.2, 1.1, -7});
  ring.problem.periodic = {true};
  CHECK(points_outside(ring).empty());
}

TEST_CASE("points of the output outside of the domain are warned of", "[train]") {
  const Folder folder;
  Run run = poisson_run({stage("adam", 5)});
  run.output.points_file = folder.file("probes.csv", "x\n0\n3\n");
  REQUIRE(points_outside(run).size() == 1);
  CHECK(
      points_outside(run)[0].what ==
      "1 of the 2 points of [output] lies outside of the domain, the first in row 2: x = 3 is not "
      "in [-1, 1]");
  run.output.points_file = folder.file("inside.csv", "x\n0\n1\n");
  CHECK(points_outside(run).empty());
}

TEST_CASE("a network of kinks under second derivatives is warned of", "[train]") {
  const Warnings found = rough_activations(with_activations("u_xx = 1", {"tanh", "relu"}));
  REQUIRE(found.size() == 1);
  CHECK(warning_text(found[0]) ==
        "warning: the residuals ask for derivatives of order 2, and the second derivative of relu "
        "is 0 but for a kink that no point sees\n"
        "  where: network.activation\n"
        "  fix:   use a smooth one: tanh, sin, silu, gelu or softplus");
  CHECK(rough_activations(with_activations("d(u*u_x, x) = 1", {"abs"})).size() == 1);
  CHECK(rough_activations(with_activations("u_xxx = 1", {"square"})).size() == 1);
}

TEST_CASE("a network is smooth enough for the derivatives that it is asked for", "[train]") {
  CHECK(rough_activations(with_activations("u_x = 1", {"relu"})).empty());
  for (const char* smooth : {"tanh", "sin", "silu", "gelu", "softplus", "square"})
    CHECK(rough_activations(with_activations("u_xx = 1", {smooth})).empty());
  CHECK(rough_activations(with_activations("u_xxxx = 1", {"square", "square"})).empty());
}
