#include "configs/read.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/configs/small.h"

using namespace pinn;
using Catch::Matchers::Contains;

TEST_CASE("burgers.toml reads as the problem it states", "[configs]") {
  const Run run = read_run(PINN_SOURCE_DIR "/configs/burgers.toml");

  CHECK(run.name == "burgers");
  REQUIRE(run.problem.coordinates.size() == 2);
  CHECK(run.problem.coordinates[0].name == "x");
  CHECK(run.problem.coordinates[0].lower == -1);
  CHECK(run.problem.coordinates[1].role == Role::time);
  REQUIRE(run.problem.constants.size() == 1);
  CHECK(run.problem.constants[0].value == Approx(0.01 / M_PI));
  REQUIRE(run.problem.requirements.size() >= 1);
  CHECK(run.problem.requirements[0].name == "burgers");
  CHECK(run.hashes.count("../data/reference/burgers.h5") == 1);
}

TEST_CASE("what a file leaves out has its default", "[configs]") {
  const Run run = read_small();

  CHECK(run.problem.requirements[0].name == "equation_1");
  CHECK(run.problem.requirements[1].name == "condition_1");
  CHECK(run.sampling[0].count == 1000);  // an equation, in the interior
  CHECK(run.sampling[1].count == 200);   // on a face
  CHECK(run.sampling[0].method == "sobol");
  CHECK(run.problem.requirements[0].residuals[0].weight == 1);
  CHECK(run.networks[0].activation == std::vector<std::string>{"tanh"});
  CHECK(run.stages[0].name == "1");
  CHECK(run.stages[0].precision == "float64");
  CHECK(run.output.grid == std::vector<GridAxis>{101, 101});
  REQUIRE(run.output.fields.size() == 1);
  CHECK(run.output.fields[0].value == "u");
  CHECK_FALSE(run.reference.solution.has_value());
  CHECK(run.reference.quantities.empty());
}

TEST_CASE("coordinates, requirements and stages keep the order of the file", "[configs]") {
  const Run run = read_run_text(
      "[[stage]]\nname = \"z\"\n"
      "[[condition]]\nname = \"second\"\non = \"boundary\"\nresidual = \"u = 0\"\n"
      "[problem]\nfields = [\"u\"]\n"
      "[problem.coordinates]\nz = [0, 1]\nb = { range = [0, 1] }\na = [0, 1]\n"
      "[[equation]]\nname = \"first\"\nresidual = \"laplacian(u) = 0\"\n"
      "[[condition]]\nname = \"after\"\non = \"z = 0\"\nresidual = \"u = 1\"\n"
      "[[stage]]\nname = \"a\"\n",
      "order.toml");

  CHECK(run.problem.coordinates[0].name == "z");
  CHECK(run.problem.coordinates[1].name == "b");
  CHECK(run.problem.coordinates[2].name == "a");
  CHECK(run.problem.requirements[0].name == "second");
  CHECK(run.problem.requirements[1].name == "first");
  CHECK(run.problem.requirements[2].name == "after");
  CHECK(run.stages[0].name == "z");
  CHECK(run.stages[1].name == "a");
}

TEST_CASE("a bound, a constant and a start may be expressions", "[configs]") {
  const Run run = read_run_text(
      "[problem]\ncoordinates = { x = [\"-a\", \"2*pi\"], k = { range = [1, 2], role = "
      "\"parameter\", unit = \"1/m\" } }\n"
      "constants = { a = \"2*b\", b = 1.5 }\n"
      "[problem.fields.u]\nunit = \"K\"\nscale = 10\n"
      "[problem.unknowns]\nnu = { start = \"b/100\", min = 0.001, max = 1, scale = \"log\" }\n"
      "[problem.define]\nflux = \"nu*u_x\"\n"
      "[[equation]]\nresidual = \"d(flux, x) = k*u\"\n[[stage]]\n",
      "bounds.toml");

  const Problem& p = run.problem;
  CHECK(p.coordinates[0].lower == -3);
  CHECK(p.coordinates[0].upper == 2 * M_PI);
  CHECK(p.coordinates[1].role == Role::parameter);
  CHECK(p.coordinates[1].role_written);
  CHECK_FALSE(p.coordinates[0].role_written);
  CHECK(p.coordinates[1].unit == "1/m");
  CHECK(p.fields[0].unit == "K");
  CHECK(p.fields[0].scale == 10);
  CHECK(p.unknowns[0].start == 0.015);
  CHECK(p.unknowns[0].log);
  CHECK(*p.unknowns[0].max == 1);
  CHECK(p.defines[0].name == "flux");
}

TEST_CASE("a system has one residual per text, named and weighted", "[configs]") {
  const std::string head =
      "[problem]\ncoordinates = { x = [0, 1], y = [0, 1] }\nfields = [\"u\", \"v\"]\n[[stage]]\n"
      "[[equation]]\nname = \"stokes\"\n";

  const Run list = read_run_text(
      head + "residual = [\"u_x + v_y\", \"u_y = v_x\"]\nweight = [1, 4]\n", "list.toml");
  const Run table = read_run_text(
      head + "residual = { mass = \"u_x + v_y\", curl = \"u_y = v_x\" }\nweight = 3\n",
      "table.toml");

  const auto& a = list.problem.requirements[0].residuals;
  CHECK(a[0].name == "stokes.1");
  CHECK(a[1].name == "stokes.2");
  CHECK(a[1].weight == 4);
  const auto& b = table.problem.requirements[0].residuals;
  CHECK(b[0].name == "stokes.mass");
  CHECK(b[1].name == "stokes.curl");
  CHECK(b[0].weight == 3);
}

TEST_CASE("points come from the requirement, then from [sampling], then from the default",
          "[configs]") {
  const Run run = read_small(
      "[sampling]\nmethod = \"lhs\"\nredraw = 50\n"
      "[[condition]]\non = \"boundary\"\nresidual = \"u = 0\"\n"
      "points = { count = 30, method = \"grid\" }\n");

  CHECK(run.sampling[0].method == "lhs");
  CHECK(run.sampling[0].count == 1000);
  CHECK(run.sampling[2].count == 30);
  CHECK(run.sampling[2].method == "grid");
  CHECK(run.sampling[2].redraw == 50);
  CHECK(read_small("[sampling]\ncount = 70\n").sampling[1].count == 70);
}

TEST_CASE("a periodic condition stands on the lower face of its coordinate", "[configs]") {
  const Run run = read_small("[[condition]]\nperiodic = \"x\"\norder = 2\nweight = 5\n");

  const Requirement& r = run.problem.requirements[2];
  REQUIRE(r.periodic);
  CHECK(r.periodic->coordinate == 0);
  CHECK(r.periodic->order == 2);
  CHECK(r.weight == 5);
  CHECK(r.region->dimension() == 1);
  CHECK(run.sampling[2].count == 200);
}

TEST_CASE("data bring coordinates in their order and local columns", "[configs]") {
  const std::string more =
      "[[data]]\nfile = \"bad/good.csv\"\nsigma = 0.1\nresidual = \"u = w\"\n"
      "columns = { w = \"v\", t = \"position\", x = \"t\" }\n";
  const Run run = read_run_text(small(more), PINN_SOURCE_DIR "/tests/configs/small.toml");

  const DataSet& data = *run.problem.requirements[2].data;
  CHECK(data.count == 1);
  CHECK(data.columns == std::vector<std::string>{"w"});
  CHECK(data.rows == std::vector<double>{0.2, 0.1});  // x from the column t, t from position
  CHECK(data.values == std::vector<double>{1.5});
  CHECK(data.sigma == 0.1);
  CHECK(run.hashes.at("bad/good.csv").size() == 64);  // SHA-256
}

TEST_CASE("the network is told about coordinates and fields", "[configs]") {
  const Run run = read_small(
      "[run]\nseed = 3\n[network]\nfrequency = { t = 8 }\nperiodic = [\"x\"]\n"
      "fourier = { features = 16 }\noutput = { u = \"t*N\" }\n");

  CHECK(run.networks[0].frequency == std::vector<double>{1, 8});
  CHECK(run.networks[0].periodic == std::vector<bool>{true, false});
  CHECK(run.problem.periodic == run.networks[0].periodic);
  CHECK(run.networks[0].fourier.scale == std::vector<double>{1});
  CHECK(run.networks[0].fourier.seed == 3);
  CHECK(run.problem.outputs[0] != nullptr);
  CHECK(run.networks[0].fourier.center.empty());
  const Run around =
      read_small("[network]\nfourier = { features = 4, scale = [1, 3], center = [0, 50] }\n");
  CHECK(around.networks[0].fourier.center == std::vector<double>{0, 50});
}

TEST_CASE("results are compared with a formula or a file", "[configs]") {
  const Run run = read_small(
      "[reference]\nexact = { u = \"sin(pi*x)*exp(-pi^2*t)\" }\ngauge = \"mean\"\n"
      "error = { u = 1e-3 }\n[output]\ngrid = { t = 5 }\nfields = [\"u_x\", \"residual\"]\n");

  REQUIRE(run.reference.quantities.size() == 1);
  CHECK(run.reference.quantities[0].name == "u");
  CHECK(run.reference.quantities[0].exact != nullptr);
  CHECK(run.reference.quantities[0].error == 1e-3);
  CHECK(run.reference.gauge == std::vector<bool>{true, true});
  CHECK(run.output.grid == std::vector<GridAxis>{101, 5});
  CHECK(run.output.expressions[0] != nullptr);
  CHECK(run.output.expressions[1] == nullptr);  // all residuals
}

TEST_CASE("a stage on a GPU computes in float32 unless told otherwise", "[configs]") {
  CHECK(read_small("", {"run.device=cuda"}).stages[0].precision == "float32");
  CHECK(read_small("", {"run.device=cuda", "run.precision=float64"}).stages[0].precision ==
        "float64");
  CHECK(read_small("", {"stage.1.precision=float32"}).stages[0].precision == "float32");
}

TEST_CASE("a byte order mark and Windows line ends are no mistake", "[configs]") {
  std::string text = "\xEF\xBB\xBF" + small();
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\r');

  CHECK(read_run_text(text, "small.toml").problem.fields[0].name == "u");
}

TEST_CASE("a caret stands under the mistake where letters take several bytes",
          "[configs][errors]") {
  CHECK_THAT(refusal(small("rate = 1 # größer\n[run] # Größe\n\"größe\" = 1\n")),
             Contains("small.toml:12:1\n         \"größe\" = 1\n         ^"));
  CHECK_THAT(
      refusal("[problem]\nfields = [\"ü\", \"v2\", \"sin\"]\ncoordinates = { x = [0, 1] }\n"),
      Contains("small.toml:2:23\n         fields = [\"ü\", \"v2\", \"sin\"]\n"
               "                               ^^^"));
}

TEST_CASE("a message shows no control or direction characters", "[configs][errors]") {
  const std::string message = refusal(small("\"a\\u001b[31m\\u202e\" = 1\n"));

  CHECK(message.find('\x1b') == std::string::npos);
  CHECK(message.find("\u202e") == std::string::npos);
  CHECK_THAT(message, Contains("unknown key"));
}

TEST_CASE("a stage's adaptive sampling is read, or set from the command line", "[configs]") {
  const Run off = read_small("steps = 7\n");
  CHECK(off.stages[0].sampling.kind.empty());
  CHECK(off.sampling[0].adaptive);
  CHECK(off.effective.count("stage.1.sampling.every") == 0);

  const Run file = read_small("sampling = { kind = \"rar\", every = 20, add = 0.1, most = 3 }\n",
                              {"equation.1.points.adaptive=false"});
  CHECK(file.stages[0].sampling.kind == "rar");
  CHECK(file.stages[0].sampling.every == 20);
  CHECK(file.stages[0].sampling.add == 0.1);
  CHECK(file.stages[0].sampling.most == 3);
  CHECK(!file.sampling[0].adaptive);
  CHECK(file.effective.count("stage.1.sampling.power") == 0);

  const Run set = read_small("", {"stage.1.sampling.kind=rad"});
  CHECK(set.effective.at("stage.1.sampling.kind") == "\"rad\"");
  CHECK(set.effective.at("stage.1.sampling.every") == "500");
  CHECK(set.effective.at("stage.1.sampling.candidates") == "50000");
  CHECK(set.effective.at("stage.1.sampling.power") == "1.0");
  CHECK(set.effective.at("stage.1.sampling.floor") == "1.0");
}

TEST_CASE("what changes weights takes its defaults from kind and optimizer", "[configs]") {
  const auto keys = [](const std::string& stage, const std::vector<std::string>& set = {}) {
    return read_small(stage, set).effective;
  };
  auto found = keys("weighting = { kind = \"ntk\" }\ncausal = {}\n", {"condition.1.weight=3"});
  CHECK(found.at("stage.1.weighting.every") == "1000");
  CHECK(found.at("stage.1.weighting.memory") == "0.9");
  CHECK(found.count("stage.1.weighting.power") == 0);
  CHECK(found.at("stage.1.causal.chunks") == "32");
  CHECK(found.at("stage.1.causal.tolerance") == "1.0");
  CHECK(found.at("stage.1.causal.every") == "1");
  CHECK(found.count("stage.1.pointwise.every") == 0);

  found = keys("optimizer = \"ssbroyden\"\nweighting = { kind = \"relobralo\" }\n",
               {"stage.1.pointwise.kind=self_adaptive", "equation.1.adapt=true"});
  CHECK(found.at("stage.1.weighting.every") == "100");
  CHECK(found.at("stage.1.weighting.memory") == "0.999");
  CHECK(found.at("stage.1.pointwise.every") == "100");
  CHECK(found.at("stage.1.pointwise.rate") == "0.005");
  CHECK(found.count("stage.1.causal.chunks") == 0);

  const Run run = read_small("weighting = { kind = \"softadapt\", by_loss = true, every = 3 }\n",
                             {"equation.1.adapt=true"});
  CHECK(run.stages[0].weighting.by_loss);
  CHECK(run.stages[0].weighting.every == 3);
  CHECK(run.stages[0].causal.chunks == 0);
}
