#include "solvers/points/point_sets.h"
#include "tests/catch.h"
#include "tests/configs/small.h"

using namespace pinn;
using Catch::Matchers::Contains;

TEST_CASE("in a grid an integer counts, a float or a text is a place", "[configs][slices]") {
  const Run run = read_small("[output]\ngrid = { x = 3, t = \"pi/2\" }\n");
  CHECK(run.output.grid[0] == GridAxis(3));
  CHECK(run.output.grid[1].place == Approx(1.5707963267948966).epsilon(1e-15));
  CHECK(run.effective.at("output.grid") == "{ x = 3, t = 1.5707963267948966 }");
  const auto axes = grid_axes(run.problem, run.output.grid);
  CHECK(axes[0] == std::vector<double>{0, 0.5, 1});
  CHECK(axes[1] == std::vector<double>{1.5707963267948966});
  CHECK(read_small("[output]\ngrid = { x = 1.0 }\n").output.grid[0] == GridAxis::at(1));
}

TEST_CASE("a slice may be given on the command line", "[configs][slices]") {
  const auto grid = [](const std::string& value) {
    return read_small("", {}, {{"--grid", "output.grid", value}}).output.grid;
  };
  CHECK(grid("x=401,t=0.5") == std::vector<GridAxis>{401, GridAxis::at(0.5)});
  CHECK(grid("x=401,t=pi/2")[1].place == Approx(1.5707963267948966).epsilon(1e-15));
  CHECK(grid("t=2.0") == std::vector<GridAxis>{101, GridAxis::at(2)});
}

TEST_CASE("of many coordinates a plane in the middle is written, or what the grid names",
          "[configs][slices]") {
  const auto grid = [](const std::string& output) {
    return read_run_text(
               "[problem]\ncoordinates = { \"x[1:20]\" = [0, 1] }\nfields = [\"u\"]\n"
               "[[equation]]\nresidual = \"laplacian(u) = 1\"\n[[stage]]\n" +
                   output,
               "many.toml")
        .output.grid;
  };
  std::vector<GridAxis> plane(20, 1);
  plane[0] = plane[1] = 101;
  CHECK(grid("") == plane);
  plane[1] = 11;
  plane[4] = 7;
  CHECK(grid("[output]\ngrid = { \"x[2]\" = 11, \"x[5]\" = 7 }\n") == plane);
}

TEST_CASE("slices count once among the values of a grid", "[configs][slices]") {
  CHECK(read_small("[output]\ngrid = { x = 5000000, t = 1.0 }\n").output.grid[1].count == 1);
  CHECK_THAT(refusal(small("[output]\ngrid = { x = 5000000, t = 3 }\n")),
             Contains("the output grid has 1.5e+07 points"));
}
