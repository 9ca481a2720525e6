#include <sstream>

#include "autograd/core/error.h"
#include "data/files/table.h"
#include "solvers/points/point_sets.h"
#include "solvers/records/fields/output.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

TEST_CASE("all points are written with names, normals and weights", "[train][output]") {
  const Folder folder;
  Run run = inverse_run({stage("adam", 1)});
  run.sampling[0].density = [](std::span<const double> x) { return 1.5 + x[0]; };
  write_points(run, folder / "points.csv");
  const std::string text = read_file(folder / "points.csv");
  CHECK(text.starts_with("x,requirement,n_x,weight\n"));
  std::istringstream lines(text);
  std::map<std::string, int> counts;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    ++counts[line.substr(first + 1, second - first - 1)];
  }
  const std::string equation = run.problem.requirements[0].name;
  CHECK(counts == std::map<std::string, int>{{equation, 24}, {"ends", 2}, {"readings", 10}});

  const Table table = read_table(folder / "points.csv", {"x", "n_x", "weight"});
  REQUIRE(table.rows == 36);
  const PointSet first = points_of(run, 0, "points", 0);
  for (std::size_t i = 0; i < 36; ++i) {
    const double x = table.columns[0][i], n = table.columns[1][i], w = table.columns[2][i];
    if (i < 24) CHECK((x == first.x[i] && n == 0 && w == first.weights[i]));
    if (i >= 24 && i < 26) CHECK((n == x && w == 2));
    if (i >= 26) CHECK((n == 0 && w == 1));
  }
}

TEST_CASE("points in a mesh file are numbers with the names beside them", "[train][output]") {
  const Folder folder;
  write_points(inverse_run({stage("adam", 1)}), folder / "points.vtu");
  const std::string text = read_file(folder / "points.vtu");
  CHECK_THAT(text, Contains("NumberOfPoints=\"36\"") &&
                       Contains("Name=\"ends\" NumberOfTuples=\"1\" format=\"ascii\">1<") &&
                       !Contains("String") &&  // which few readers know
                       Contains("type=\"Int64\" Name=\"requirement\"") &&
                       Contains("Name=\"n_x\"") && Contains("Name=\"weight\""));
  CHECK_THROWS_WITH(write_points(inverse_run({stage("adam", 1)}), folder / "points.h5"),
                    Contains("points are written as .vtu or .csv"));
}
