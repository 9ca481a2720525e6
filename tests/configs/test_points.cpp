// Points of a requirement, beside how many they are.
#include <algorithm>
#include <cmath>

#include "configs/read.h"
#include "data/files/disk.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/checkpoints/record.h"
#include "solvers/state/windows.h"
#include "solvers/train/plan.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// The square with a hole and time, and more text.
std::string holed_square(const std::string& more) {
  return "[problem]\n"
         "coordinates = { x = [-1, 1], y = [-1, 1], t = [0, 1] }\n"
         "fields = [\"u\"]\n"
         "domain = \"box - hole\"\n"
         "[problem.regions]\n"
         "hole = { disk = { center = [0, 0], radius = 0.5 } }\n" +
         more + "[[stage]]\noptimizer = \"adam\"\nsteps = 1\n";
}

const std::string equation = "[[equation]]\nresidual = \"u_t = laplacian(u)\"\n";
const std::string start = "[[condition]]\non = \"initial\"\nresidual = \"u = 0\"\n";
const std::string wall = "[[condition]]\non = \"boundary(hole)\"\nresidual = \"u_n = 0\"\n";

Run read(const Folder& folder, const std::string& more) {
  return read_run_text(holed_square(more), folder / "p.toml");
}

}  // namespace

TEST_CASE("points of a file are those of training, with normals of the region",
          "[configs][points]") {
  const Folder folder;
  write_atomically(folder / "rim.csv", {"t,y,x\n0.1,0,0.5\n0.2,-0.5,0\n"});
  const Run run = read(folder, equation + start + wall + "points = { file = \"rim.csv\" }\n");
  const PointSet points = points_of(run, 2, "points", 0);
  CHECK(points.x == std::vector<double>{0.5, 0, 0.1, 0, -0.5, 0.2});
  const std::vector<double> inwards = {-1, 0, 0, 0, 1, 0};
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(points.normals.at(i) == Approx(inwards[i]).margin(1e-12));
  CHECK(points_of(run, 2, "points", 7).x == points.x);
  CHECK(held_out_points(run, 2).count == 200);  // of the region
  CHECK_THAT(plan_text(run), Contains("condition_2: 2 file points on boundary(hole)"));
}

TEST_CASE("a run does not go on with another file of points", "[configs][points][resume]") {
  const Folder folder;
  const std::string text = equation + "points = { file = \"a.csv\" }\n" + start;
  write_atomically(folder / "a.csv", {"x,y,t\n0.9,0,0.1\n"});
  const RunRecord before = record(read(folder, text));
  CHECK(changes(before, record(read(folder, text)), 1).refused.empty());
  write_atomically(folder / "a.csv", {"x,y,t\n0.8,0,0.1\n"});
  const Changes found = changes(before, record(read(folder, text)), 1);
  REQUIRE(found.refused.size() == 1);
  CHECK_THAT(found.refused[0], Contains("SHA-256 of a.csv"));
}

TEST_CASE("a run does not go on with another weight or density", "[configs][points][resume]") {
  const Folder folder;
  const auto recorded = [&](const std::string& weight, const std::string& density) {
    return record(read(folder, equation + "weight = \"" + weight + "\"\npoints = { density = \"" +
                                   density + "\" }\n" + start));
  };
  const RunRecord before = recorded("1 + x", "2 + distance(hole)");
  CHECK(before.effective.at("equation.1.weight") == "\"1 + x\"");
  CHECK(changes(before, recorded("1 + x", "2 + distance(hole)"), 1).refused.empty());
  CHECK(changes(before, recorded("1 + y", "2 + distance(hole)"), 1).refused.size() == 1);
  CHECK(changes(before, recorded("1 + x", "3 + distance(hole)"), 1).refused.size() == 1);
}

TEST_CASE("each window has its points of a file, and the start has all",
          "[configs][points][windows]") {
  const Folder folder;
  write_atomically(folder / "a.csv", {"x,y,t\n0.9,0,0.1\n0.8,0,0.9\n0.7,0,0.2\n"});
  write_atomically(folder / "s.csv", {"x,y,t\n0.9,0,0\n0.6,0.1,0\n"});
  const Run run = read(folder, equation + "points = { file = \"a.csv\" }\n" + start +
                                   "points = { file = \"s.csv\" }\n[windows]\ncount = 2\n");
  ThreadPool pool(1);
  Windows windows(run, pool);
  CHECK(points_of(windows.run(), 0, "points", 0).x ==
        std::vector<double>{0.9, 0, 0.1, 0.7, 0, 0.2});
  windows.finish(windows.model()->initial_parameters(3));
  CHECK(points_of(windows.run(), 0, "points", 0).x == std::vector<double>{0.8, 0, 0.9});
  CHECK(points_of(windows.run(), 1, "points", 0).x ==
        std::vector<double>{0.9, 0, 0.5, 0.6, 0.1, 0.5});
}

TEST_CASE("points by a density near a wall are many there, and weighed back", "[configs][points]") {
  const Folder folder;
  const Run run = read(folder, equation +
                                   "points = { count = 4000, density = \"0.2 + "
                                   "exp(-distance(hole)/0.1)\" }\n" +
                                   start);
  const PointSet points = points_of(run, 0, "points", 0);
  double near = 0, weight = 0;
  for (std::size_t i = 0; i < points.count; ++i)
    if (std::hypot(points.x[3 * i], points.x[3 * i + 1]) < 0.6) {
      ++near;
      weight += points.weights[i];
    }
  const double pi = 3.14159265358979, share = pi * (0.36 - 0.25) / (4 - pi * 0.25);
  CHECK(near / 4000 > 2 * share);
  CHECK(weight / 4000 == Approx(share).epsilon(0.05));
  CHECK(run.warnings.empty());
}

TEST_CASE("a density that leaves much bare is warned of", "[configs][points]") {
  const Folder folder;
  const Run run =
      read(folder, equation + "points = { density = \"exp(-distance(hole)/0.05)\" }\n" + start);
  REQUIRE(run.warnings.size() == 1);
  CHECK_THAT(run.warnings[0].what, Contains("leaves much of 'equation_1' nearly bare"));
}

TEST_CASE("numbers and formulas may be weights of one system", "[configs][points]") {
  const Folder folder;
  const Run run = read(
      folder,
      "[[equation]]\nresidual = [\"u_t = laplacian(u)\", \"u_x = 0\"]\nweight = [3, \"t^2\"]\n" +
          start + "weight = \"exp(-distance(hole)/0.1)\"\n");
  const PointSet points = points_of(run, 0, "points", 0);
  CHECK(run.problem.requirements[0].residuals[0].weight == 3);
  REQUIRE(points.weights.size() == 2 * points.count);
  CHECK(points.weights[6] == 1);
  CHECK(points.weights[7] == Approx(points.x[11] * points.x[11]));
  CHECK(run.effective.at("equation.1.weight") == "[3.0, \"t^2\"]");
  CHECK_THAT(plan_text(run), Contains("(weight t^2)") && Contains("(weight 3)"));
  const PointSet at_start = points_of(run, 1, "points", 0);
  CHECK(at_start.weights[0] ==
        Approx(std::exp(-(std::hypot(at_start.x[0], at_start.x[1]) - 0.5) / 0.1)));
}

TEST_CASE("a place is one point, and the plan says so", "[configs][points][plan]") {
  const Run run = read_run_text(
      holed_square(equation + start +
                   "[[condition]]\non = \"x = 0.7 and y = 0 and t = 1\"\nresidual = \"u = 1\"\n"),
      "p.toml");
  CHECK_THAT(plan_text(run), Contains("condition_2: 1 point on x = 0.7 and y = 0 and t = 1"));
}
