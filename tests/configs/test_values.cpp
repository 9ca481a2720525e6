#include <cmath>

#include "solvers/train/plan.h"
#include "tests/catch.h"
#include "tests/configs/small.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

TEST_CASE("numbers that are asked for are read with where they are taken", "[configs][values]") {
  const Run run = read_small(
      "[output.values]\n"
      "mass = { value = \"integral(u)\" }\n"
      "flux = { value = \"2*integral(u_n)\", on = \"boundary\" }\n"
      "last = { value = \"max(u)\", on = [\"t = 2\", \"t = 0\"] }\n"
      "there = { value = \"at(u, x = 1, t = 2)\" }\n");
  const std::vector<OutputValue>& values = run.output.values;
  REQUIRE(values.size() == 4);
  CHECK(values[0].name == "mass");
  CHECK(values[0].region->dimension() == 2);
  CHECK(values[1].region->has_normal());
  CHECK(values[2].on == "t = 2, t = 0");
  CHECK(values[2].region->parts().size() == 2);
  CHECK(values[3].region == nullptr);
  CHECK_THAT(run.effective.at("output.values"), Contains("flux = { value = \"2*integral(u_n)\""));
  CHECK_THAT(plan_text(run), Contains("values\n  mass = integral(u) on the interior, "));
}

TEST_CASE("derivatives of formulas stand where values, weights, densities and solutions do",
          "[configs][values]") {
  const std::string head =
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
      "[problem.define]\ne = \"sin(x)\"\n";
  const auto text = [&](const std::string& equation, const std::string& start,
                        const std::string& more) {
    return head + "[[equation]]\nresidual = \"u_t = u_xx\"\n" + equation +
           "[[condition]]\non = \"t = 0\"\nresidual = \"u = " + start + "\"\n" + more;
  };
  const std::string stage = "[[stage]]\noptimizer = \"adam\"\nsteps = 2\n";
  const std::string texts[] = {
      text("", "e_x", ""),
      text("", "d(sin(x), x)", stage),
      text("", "laplacian(e)", "[network]\nhard = \"auto\"\n" + stage),
      text("weight = \"1 + e_x\"\n", "e", stage),
      text("points = { density = \"2 + d(e*x, x)\" }\n", "e", stage),
      text("", "e_x", stage + "[reference]\nexact = { u = \"d(sin(x), x)*exp(-t)\" }\n")};
  for (const std::string& one : texts) {
    INFO(one);
    const Folder folder;
    const Run run = read_run_text(one, "derivatives.toml", {"run.threads=1"});
    CHECK_FALSE(plan_text(run).empty());
    if (one.find(stage) == std::string::npos) continue;  // the program would choose many steps
    CHECK(std::isfinite(train(run, request(folder / "run")).loss));
  }
}

TEST_CASE("a reference may be of values alone, and promise them", "[configs][values]") {
  const Run run = read_small(
      "[output.values]\n"
      "mass = { value = \"integral(u)\" }\n"
      "[reference]\n"
      "values = { mass = \"1/pi\" }\n"
      "error = { mass = 0.01 }\n");
  REQUIRE(run.reference.values.size() == 1);
  CHECK(run.reference.values[0].value == Approx(1 / 3.14159265358979).epsilon(1e-14));
  CHECK(run.reference.values[0].error == 0.01);
  CHECK(run.reference.quantities.empty());
}

TEST_CASE("promises of fields and of values stand side by side", "[configs][values]") {
  const Run run = read_small(
      "[output.values]\n"
      "mass = { value = \"integral(u)\" }\n"
      "heat = { value = \"mean(u)\" }\n"
      "[reference]\n"
      "exact = { u = \"sin(pi*x)*exp(-pi^2*t)\" }\n"
      "values = { mass = 0.1, heat = 3 }\n"
      "error = { u = 1e-3, mass = 0.01 }\n");
  CHECK(run.reference.quantities[0].error == 1e-3);
  CHECK(run.reference.values[0].error == 0.01);
  CHECK(std::isnan(run.reference.values[1].error));
}

TEST_CASE("an unknown is compared by its own name", "[configs][values]") {
  const Run run = read_run_text(
      "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\nunknowns = { k = 2 }\n"
      "[[equation]]\nresidual = \"u = k*x\"\n[[stage]]\noptimizer = \"adam\"\nsteps = 1\n"
      "[reference]\nvalues = { k = \"3/2\" }\nerror = { k = 0.01 }\n",
      "p.toml");
  REQUIRE(run.output.values.size() == 1);
  CHECK(run.output.values[0].name == "k");
  REQUIRE(run.reference.values.size() == 1);
  CHECK(run.reference.values[0].value == 1.5);
  CHECK(run.reference.values[0].error == 0.01);
}
