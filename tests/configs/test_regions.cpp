#include <cmath>
#include <numbers>

#include "configs/read.h"
#include "data/files/disk.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;

namespace {

constexpr double pi = std::numbers::pi;

Run read(const std::string& coordinates, const std::string& regions, const std::string& conditions,
         const std::string& path = "p.toml") {
  return read_run_text("[problem]\ncoordinates = { " + coordinates +
                           " }\nfields = [\"u\"]\nconstants = { r = 0.25 }\n[problem.regions]\n" +
                           regions + "[[equation]]\nresidual = \"laplacian(u) = 0\"\n" +
                           conditions + "[[stage]]\noptimizer = \"adam\"\nsteps = 1\n",
                       path);
}

std::string condition(const std::string& on) {
  return "[[condition]]\non = \"" + on + "\"\nresidual = \"u = 0\"\n";
}

double measure(const Run& run, std::size_t r) {
  return run.problem.requirements[r].region->measure();
}

const std::string two_by_two = "x = [-1, 1], y = [-1, 1]";

}  // namespace

TEST_CASE("shapes of a file have the numbers of its constants", "[configs][geometry]") {
  const Run run = read(two_by_two, "hole = { disk = { center = [0, \"2*r\"], radius = \"r\" } }\n",
                       condition("surface(hole)") + condition("not hole and x = 0"));
  CHECK(measure(run, 1) == Approx(pi / 2));
  CHECK(measure(run, 2) == Approx(1.5).epsilon(1e-3));
}

TEST_CASE("transforms act first to last", "[configs][geometry]") {
  const Run run =
      read(two_by_two,
           "bar   = { rectangle = { lower = [0, 0], upper = [0.5, 0.1] } }\n"
           "all   = \"bar + bars\"\n"
           "bars  = { region = \"bar\", transform = [{ rotate = \"pi/2\" }, { move = [0, -1] }, "
           "{ repeat = 3, by = [0.2, 0] }] }\n"
           "small = { disk = { center = [1, 0], radius = 1 }, transform = [{ scale = 0.5, about = "
           "[1, 0] }, "
           "{ mirror = \"x\" }] }\n",
           condition("surface(bars)") + condition("surface(small)"));
  CHECK(measure(run, 1) == Approx(3 * 1.2));
  const Body bars = run.problem.regions[2].shape, small = run.problem.regions[3].shape;
  for (const double x : {-0.05, 0.15, 0.35}) CHECK(bars->inside(std::vector{x, -0.75}));
  CHECK_FALSE(bars->inside(std::vector{0.05, -0.75}));
  CHECK_FALSE(bars->inside(std::vector{0.25, 0.05}));
  CHECK(small->inside(std::vector{-0.6, 0.0}));
  CHECK_FALSE(small->inside(std::vector{-0.4, 0.0}));
}

TEST_CASE("a mesh is a region, in the units that its scale says", "[configs][geometry]") {
  const Folder folder;
  write_atomically(folder / "part.obj", {"v 0 0 0\nv 800 0 0\nv 0 800 0\nv 0 0 800\n"
                                         "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"});
  const Run run =
      read("x = [0, 1], y = [0, 1], z = [0, 1]", "part = { mesh = \"part.obj\", scale = 1e-3 }\n",
           condition("boundary(part)") + condition("surface(part)"), folder / "p.toml");
  CHECK(measure(run, 1) ==
        Approx(3 * 0.32).epsilon(1e-2));  // its walls that lie in those of the box
  CHECK(measure(run, 2) == Approx(3 * 0.32 + 0.32 * std::sqrt(3)).epsilon(1e-3));
  CHECK(run.hashes.count("part.obj") == 1);
}
