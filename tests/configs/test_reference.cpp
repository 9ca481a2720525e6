#include <cmath>

#include "data/files/disk.h"
#include "data/files/h5_writer.h"
#include "solvers/train/plan.h"
#include "tests/catch.h"
#include "tests/configs/small.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// The small problem, x in [0, 1] and t in [0, 2], with this reference; in a folder of its own.
Run read_with(const Folder& folder, const std::string& reference, const std::string& defines = "") {
  std::string text = small("[reference]\n" + reference);
  text.insert(text.find("[[equation]]"), defines);
  return read_run_text(text, folder / "small.toml");
}

std::string refused(const Folder& folder, const std::string& reference) {
  try {
    read_with(folder, reference);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::string> names(const Run& run) {
  std::vector<std::string> all;
  for (const ReferenceQuantity& q : run.reference.quantities) all.push_back(q.name);
  return all;
}

}  // namespace

TEST_CASE("a reference may be columns with any names, and others beside", "[configs]") {
  const Folder folder;
  folder.file("u.csv", "pos,time,velocity,note\n0.5,0,1,a\n1,2,3,b\n");
  const Run run = read_with(folder,
                            "file = \"u.csv\"\n"
                            "columns = { x = \"pos\", t = \"time\", u = \"velocity\" }\n"
                            "error = { u = 1e-3 }\n");
  REQUIRE(run.reference.solution.has_value());
  CHECK(run.reference.solution->x == std::vector<double>{0.5, 0, 1, 2});
  CHECK(run.reference.solution->values == std::vector<std::vector<double>>{{1, 3}});
  CHECK(names(run) == std::vector<std::string>{"u"});
  CHECK(run.reference.quantities[0].error == 1e-3);
  CHECK(run.hashes.count("u.csv") == 1);
}

TEST_CASE("columns that are called like a derivative or a define are compared, too", "[configs]") {
  const Folder folder;
  folder.file("u.csv", "flux,u_x,u_y,t,x,u,pi\n7,6,5,1,0.5,3,2\n8,7,6,2,0.5,4,3\n");
  const Run run = read_with(folder,
                            "file = \"u.csv\"\n"
                            "error = { u = 1e-3, u_x = 1e-2, flux = 1e-1 }\n",
                            "define = { flux = \"-2*u_x\" }\n");
  CHECK(names(run) == std::vector<std::string>{"u", "flux", "u_x"});
  CHECK(run.reference.solution->values == std::vector<std::vector<double>>{{3, 4}, {7, 8}, {6, 7}});
  CHECK(run.reference.quantities[1].error == 1e-1);
  CHECK_THAT(plan_text(run), Contains("reference\n  u, flux, u_x at 2 nodes of a file\n"));
}

TEST_CASE("formulas may be given for derivatives and defines, and their points are planned",
          "[configs]") {
  const Folder folder;
  const Run run = read_with(folder,
                            "exact = { u_x = \"cos(x)\", flux = \"-2*cos(x)\", u = \"sin(x)\" }\n"
                            "gauge = { mean = [\"x\"] }\nerror = { u_x = 1e-2 }\n",
                            "define = { flux = \"-2*u_x\" }\n");
  CHECK(names(run) == std::vector<std::string>{"u", "u_x", "flux"});
  CHECK(run.reference.gauge == std::vector<bool>{true, false});
  CHECK(run.reference.quantities[1].error == 1e-2);
  CHECK_THAT(plan_text(run),
             Contains("reference\n  u, u_x, flux at 8") && Contains(" points for formulas\n"));
}

TEST_CASE("a formula that is not finite is found before training", "[configs][errors]") {
  const Folder folder;
  const Run run = read_with(folder, "exact = { u = \"sqrt(x - 0.5)\" }\n");
  CHECK_THROWS_AS(plan_text(run), ConfigError);
  CHECK_THROWS_WITH(plan_text(run), Contains("the exact u is ") && Contains("nan at x = 0."));
}

TEST_CASE("a reference with a value that is not finite is found before training",
          "[configs][errors]") {
  const Folder folder;
  for (const std::string bad : {"nan", "inf", "-inf", "1e999"}) {
    folder.file("u.csv", "x,t,u\n0,0,1\n1,1," + bad + "\n");
    CHECK_THAT(refused(folder, "file = \"u.csv\"\n"),
               Contains("is not a finite number") && Contains("u.csv:3:5") && Contains("fix:"));
  }
  H5Writer file;
  file.array("/x", std::vector<double>{0, 1});
  file.array("/t", std::vector<double>{0, 1, 2});
  const std::vector<double> u = {0, 1, 2, 3, HUGE_VAL, 5};
  file.array("/u", std::vector<std::size_t>{2, 3}, u.data(), Packing::plain);
  write_atomically(folder / "u.h5", {file.image()});
  CHECK_THAT(refused(folder, "file = \"u.h5\"\n"),
             Contains("the value at [1, 1] of the array is inf") && Contains("u.h5:u") &&
                 Contains("fix:"));
}

TEST_CASE("points of a reference outside of the domain are warned of, all of them refused",
          "[configs][errors]") {
  const Folder folder;
  folder.file("u.csv", "x,t,u\n0,1,1\n1,1,1\n1.5,1,1\n");
  const Run run = read_with(folder, "file = \"u.csv\"\n");
  CHECK(run.reference.solution->count == 2);
  REQUIRE(run.warnings.size() == 1);
  CHECK(run.warnings[0].what ==
        "1 of 3 points of the reference lie outside of the domain and are left out");
  CHECK_THAT(run.warnings[0].where, Contains("small.toml:11:8"));
  folder.file("u.csv", "x,t,u\n0,-1,1\n1,3,1\n");
  CHECK_THAT(refused(folder, "file = \"u.csv\"\n"),
             Contains("all 2 points of the reference lie outside of the domain") &&
                 Contains("small.toml:11:8"));
}

TEST_CASE("a square grid that does not say which axis is which is warned of", "[configs]") {
  const Folder folder;
  H5Writer file;
  file.array("/x", std::vector<double>{0, 1});
  file.array("/t", std::vector<double>{0, 2});
  const std::vector<double> u = {0, 1, 2, 3};
  file.array("/u", std::vector<std::size_t>{2, 2}, u.data(), Packing::plain);
  write_atomically(folder / "u.h5", {file.image()});
  const Run run = read_with(folder, "file = \"u.h5\"\n");
  REQUIRE(run.warnings.size() == 1);
  CHECK_THAT(run.warnings[0].what, Contains("which dimension of 'u' is which coordinate"));
  CHECK_THAT(run.warnings[0].fix, Contains("the attribute order = \"x t\""));
}
