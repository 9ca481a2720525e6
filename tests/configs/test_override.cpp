#include "tests/catch.h"
#include "tests/configs/small.h"

using namespace pinn;
using Catch::Matchers::Contains;

TEST_CASE("an override wins over the file, and a flag over an override", "[configs]") {
  const std::string more = "steps = 5\n[run]\nthreads = 1\n";

  CHECK(read_small(more).options.threads == 1);
  CHECK(read_small(more, {"run.threads=2"}).options.threads == 2);
  CHECK(read_small(more, {"run.threads=2", "run.threads=3"}).options.threads == 3);
  const Run run = read_small(more, {"run.threads=2"}, {{"--threads", "run.threads", "4"}});
  CHECK(run.options.threads == 4);
  CHECK(run.overrides == std::vector<std::string>{"run.threads=2"});
}

TEST_CASE("stages and requirements are overridden by number or by name", "[configs]") {
  const std::string more = "[[stage]]\nname = \"polish\"\n";

  const Run run = read_small(more, {"stage.1.steps=200", "stage.polish.rate=1e-4",
                                    "condition.1.weight=3", "equation.equation_1.points=77"});

  CHECK(run.stages[0].optimizer.steps == 200);
  CHECK(run.stages[1].optimizer.rate == 1e-4);
  CHECK(run.problem.requirements[1].residuals[0].weight == 3);
  CHECK(run.sampling[0].count == 77);
}

TEST_CASE("one of several networks is overridden by number or by name", "[configs]") {
  const std::string text =
      "[problem]\ncoordinates = { x = [0, 1] }\n"
      "[problem.fields.u]\nnetwork = \"a\"\n[problem.fields.v]\nnetwork = \"b\"\n"
      "[[equation]]\nresidual = \"u_x = v\"\n"
      "[[network]]\nname = \"a\"\n[[network]]\nname = \"b\"\n"
      "[[stage]]\noptimizer = \"adam\"\n";
  const Run run = read_run_text(text, "two.toml", {"network.1.layers=[5]", "network.b.layers=[6]"});

  CHECK(run.networks[0].layers == std::vector<int>{5});
  CHECK(run.networks.at(1).layers == std::vector<int>{6});
  CHECK_THAT(refusal(text, {"network.c.layers=[5]"}), Contains("known are: a, b"));
}

TEST_CASE("an override creates a key that is absent, and its table", "[configs]") {
  const Run run = read_small("", {"problem.constants.nu=0.5", "network.layers=[7, 7]",
                                  "stage.1.schedule.kind=cosine", "network.frequency.t=8"});

  CHECK(run.problem.constants.at(0).value == 0.5);
  CHECK(run.networks[0].layers == std::vector<int>{7, 7});
  CHECK(run.stages[0].optimizer.schedule.kind == "cosine");
  CHECK(run.networks[0].frequency == std::vector<double>{1, 8});
}

TEST_CASE("the value of an override is TOML, and a bare word is a string", "[configs]") {
  CHECK(read_small("", {"run.device=cuda:1"}).options.device == "cuda:1");
  CHECK(read_small("", {"run.device=\"cpu\""}).options.device == "cpu");
  CHECK(read_small("", {"run.max_time=2h30m"}).options.max_time == 9000);
  CHECK(read_small("", {"run.max_time=90"}).options.max_time == 90);
  CHECK(read_small("", {"problem.constants.nu=0.01/pi"}).problem.constants.at(0).value ==
        Approx(0.0031830988618379067));
  CHECK(read_small("", {"equation.1.residual='u_t = 2*u_xx'"})
            .problem.requirements[0]
            .residuals[0]
            .text.value == "u_t = 2*u_xx");
}

TEST_CASE("a mistake in an override is placed in the override", "[configs][errors]") {
  CHECK(refusal(small(), {"run.seed=1", "equation.1.residual='u_t = u_yy'"}) ==
        "error: 'u_yy' looks like a derivative, but 'yy' is not made of coordinates\n"
        "  where: --set:2:28\n"
        "         equation.1.residual='u_t = u_yy'\n"
        "                                    ^^^^\n"
        "  fix:   declared are: coordinates x, t; fields u");
}

TEST_CASE("a mistake in a flag is placed in the flag", "[configs][errors]") {
  CHECK(refusal(small(), {}, {{"--threads", "run.threads", "many"}}) ==
        "error: 'run.threads' must be an integer, found a string\n"
        "  where: --threads\n"
        "         --threads many\n"
        "                   ^^^^\n"
        "  fix:   write an integer");
}

TEST_CASE("a flag for a list has its items between commas", "[configs]") {
  const Run run = read_small("", {}, {{"--fields", "output.fields", "u,d(u*u, x),u_x"}});
  REQUIRE(run.output.fields.size() == 3);
  CHECK(run.output.fields[1].value == "d(u*u, x)");
}

TEST_CASE("a flag for a table has its pairs between commas, which go over the file's",
          "[configs]") {
  const std::string more = "[output]\ngrid = { x = 21, t = 31 }\n";
  CHECK(read_small(more, {}, {{"--grid", "output.grid", "x=41"}}).output.grid ==
        std::vector<GridAxis>{41, 31});
  CHECK(read_small("", {}, {{"--grid", "output.grid", "x=41,t=5"}}).output.grid ==
        std::vector<GridAxis>{41, 5});
}

TEST_CASE("of a grid and points the argument holds, whatever the file has", "[configs]") {
  const Run grid = read_small("[output]\npoints = \"no_such.csv\"\n", {"output.grid.x=5"});
  CHECK(grid.output.grid == std::vector<GridAxis>{5, 101});
  CHECK(grid.output.points_file.empty());
  CHECK(grid.effective.count("output.points") == 0);
  CHECK_THAT(refusal(small("[output]\ngrid = { x = 5 }\n"), {"output.points=no_such.csv"}),
             Contains("there is no file 'no_such.csv'") && !Contains("both"));
  CHECK_THAT(refusal(small(), {"output.points=no_such.csv", "output.grid.x=5"}), Contains("both"));
}

TEST_CASE("a mistake in a flag's list or pairs is placed in the flag", "[configs][errors]") {
  CHECK(refusal(small(), {}, {{"--fields", "output.fields", "u,d(w, x)"}}) ==
        "error: 'w' is not declared\n"
        "  where: --fields\n"
        "         --fields u,d(w, x)\n"
        "                      ^\n"
        "  fix:   declared are: coordinates x, t; fields u");
  const auto grid = [](const std::string& value) {
    return refusal(small(), {}, {{"--grid", "output.grid", value}});
  };
  CHECK(grid("x=1,t=3") ==
        "error: 'output.grid.x' must be 2 to 10000000, found 1\n"
        "  where: --grid\n"
        "         --grid x=1,t=3\n"
        "                  ^\n"
        "  fix:   write a table of integers, or of places, 2 to 10000000");
  CHECK(grid("x=3,t") ==
        "error: 't' is not KEY=VALUE\n"
        "  where: --grid\n"
        "         --grid x=3,t\n"
        "                    ^\n"
        "  fix:   write for example --grid x=401,t=11");
  CHECK(grid("x=3,y=4") ==
        "error: 'y' is not a coordinate\n"
        "  where: --grid\n"
        "         --grid x=3,y=4\n"
        "                    ^\n"
        "  fix:   known are: x, t");
}

TEST_CASE("a bare word in an override is shown where it stands", "[configs][errors]") {
  CHECK(refusal(small(), {"equation.1.residual=u_t+u_yy"}) ==
        "error: 'u_yy' looks like a derivative, but 'yy' is not made of coordinates\n"
        "  where: --set:1:25\n"
        "         equation.1.residual=u_t+u_yy\n"
        "                                 ^^^^\n"
        "  fix:   declared are: coordinates x, t; fields u");
}

TEST_CASE("one override is one value", "[configs][errors]") {
  CHECK_THAT(refusal(small(), {"run.seed=1\nrun.threads=2"}), Contains("is not KEY=VALUE"));
  CHECK_THAT(refusal(small(), {"run.seed=1, 2"}), Contains("cannot be read"));
}
