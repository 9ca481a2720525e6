// Functions from data, from the file to the end of a run.
#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "autograd/cuda/gpu.h"
#include "configs/read.h"
#include "data/files/h5_writer.h"
#include "solvers/train/plan.h"
#include "solvers/watch/warnings.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"
#include "tests/configs/small_case.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// Tables of cubics: a(x, t) on a grid [t, x], u0(x) and k(u) in columns.
double a(double x, double t) { return 1 + 0.5 * x - 0.3 * x * t * t; }
const std::string a_text = "(1 + 0.5*x - 0.3*x*t^2)";
double u0(double x) { return x * (1 - x) * (1 + x); }
const std::string u0_text = "(x*(1 - x)*(1 + x))";
const std::string k_text = "(1 + u + 0.2*u^2)";

void write_tables(const Folder& folder) {
  H5Writer file;
  const std::vector<double> x = {0, 0.1, 0.35, 0.7, 1}, t = {0, 0.5, 0.75, 1, 2};
  std::vector<double> values;
  for (const double v : t)
    for (const double u : x) values.push_back(a(u, v));
  file.array("/x", x);
  file.array("/t", t);
  file.array("/a", {t.size(), x.size()}, values.data());
  folder.file("a.h5", file.image());
  std::string rows = "pos,start\n";
  for (const double u : {0.0, 0.6, 0.3, 1.0, 0.8}) rows += fmt::format("{},{}\n", u, u0(u));
  folder.file("u0.csv", rows);
  rows = "value,k\n";
  for (int i = -60; i <= 60; ++i) {
    const double u = 0.1 * i;
    rows += fmt::format("{},{}\n", u, 1 + u + 0.2 * u * u);
  }
  folder.file("k.csv", rows);
  folder.file("seen.csv", "x,t,u\n0.5,0.5,0.3\n0.25,1,0.1\n0.75,1.5,0.05\n");
}

const std::string functions = R"toml(
[problem.functions]
a  = { file = "a.h5", axes = ["t", "x"], interpolation = "cubic" }
u0 = { file = "u0.csv", inputs = { x = "pos" }, value = "start", interpolation = "cubic" }
k  = { file = "k.csv", inputs = { u = "value" }, interpolation = "cubic", outside = "clamp" }
)toml";

std::string put(std::string text, const std::string& name, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
    text.replace(at, name.size(), by);
  return text;
}

/// A problem in which {a}, {u0} and {k} stand in everything that formulas are for.
const std::string everywhere = R"toml(
[problem]
coordinates = { x = [0, 1], t = [0, 1] }
fields      = ["u"]
{functions}
[problem.define]
flux = "{k}*u_x"

[[equation]]
residual = "u_t = d(flux, x) + {a}*u"
points   = 60
weight   = "1 + {u0}"

[[condition]]
on       = "x = 0"
residual = "u = t*({a} - 1)"
points   = { count = 20, redraw = 7, density = "1 + t*{a}", adaptive = false }

[[condition]]
on       = "x > {u0} and t = 1"
residual = "u_x = 0"
points   = 20

[[data]]
file     = "seen.csv"
residual = "u = v*{a}"
columns  = { x = "x", t = "t", v = "u" }

[network]
layers = [6]

[network.output]
u = "{u0} + t*{a}*N"

[[stage]]
optimizer = "adam"
steps     = 20
sampling  = { kind = "rad", every = 5, candidates = 200 }

[output]
grid   = { x = 11, t = 5 }
fields = ["u", "{a}*u_x", "flux"]

[output.values]
heat = { value = "integral({a}*u)", on = "t = 1" }
top  = { value = "at({a}*u, x = 0.5, t = 1)" }

[reference]
exact = { u = "{u0} + t*{a}" }
)toml";

std::string with_tables(const std::string& text) {
  return put(put(put(put(text, "{functions}", functions), "{a}", "a"), "{u0}", "u0"), "{k}", "k");
}
std::string with_formulas(const std::string& text) {
  return put(put(put(put(text, "{functions}", ""), "{a}", a_text), "{u0}", u0_text), "{k}", k_text);
}

Run run_of(const Folder& folder, const std::string& text, const std::string& name) {
  return read_run(folder.file(name, text));
}

void check_close(const TrainResult& found, const TrainResult& expected) {
  CHECK(found.loss == Approx(expected.loss).epsilon(1e-6));
  REQUIRE(found.errors.size() == 1);
  // where a formula is compared depends on the ranges that it is thought to have
  CHECK(found.errors[0].l2 == Approx(expected.errors[0].l2).epsilon(1e-3));
  REQUIRE(found.values.size() == expected.values.size());
  for (std::size_t i = 0; i < found.values.size(); ++i)
    CHECK(found.values[i].value == Approx(expected.values[i].value).epsilon(1e-6));
}

}  // namespace

TEST_CASE("a run with tables is the run with the formulas that they are tables of",
          "[configs][tables]") {
  const Folder folder;
  write_tables(folder);
  const std::string text = put(everywhere, "x > {u0} and t = 1", "x > 0.3 and t = 1");
  const Run tables = run_of(folder, with_tables(text), "tables.toml");
  const Run formulas = run_of(folder, with_formulas(text), "formulas.toml");
  const TrainResult expected = train(formulas, request(folder / "formulas"));
  check_close(train(tables, request(folder / "tables")), expected);
  TrainRequest eager = request(folder / "eager");
  eager.eager = true;
  check_close(train(tables, eager), expected);
}

TEST_CASE("a run with tables in windows of time is the run with formulas", "[configs][tables]") {
  const Folder folder;
  write_tables(folder);
  std::string text = put(everywhere, "x > {u0} and t = 1", "x > 0.3 and t = 1");
  text = put(text, "u = \"{u0} + t*{a}*N\"", "u = \"initial(u) + (t - initial(t))*{a}*N\"");
  text = put(text, "[[data]]", "[[condition]]\non = \"t = 0\"\nresidual = \"u = {u0}\"\n[[data]]");
  text += "\n[windows]\ncount = 2\n";
  const TrainResult expected =
      train(run_of(folder, with_formulas(text), "formulas.toml"), request(folder / "formulas"));
  check_close(train(run_of(folder, with_tables(text), "tables.toml"), request(folder / "tables")),
              expected);
}

TEST_CASE("a run with tables that is stopped and resumed ends with the same bits",
          "[configs][tables]") {
  const Folder folder;
  write_tables(folder);
  const std::string text = put(everywhere, "x > {u0} and t = 1", "x > 0.3 and t = 1");
  const std::string sampling = "sampling  = { kind = \"rad\", every = 5, candidates = 200 }";
  for (const std::string& by : {sampling, std::string("batch = 25")}) {
    INFO(by);
    const Run run = run_of(folder, with_tables(put(text, sampling, by)), "tables.toml");
    const std::string name = by.substr(0, 5);
    train(run, request(folder / (name + "whole")));
    CHECK(train_step_by_step(run, folder / (name + "pieces")) > 3);
    CHECK(are_same(folder / (name + "whole"), folder / (name + "pieces")));
  }
}

TEST_CASE("a region may be where a table says", "[configs][tables]") {
  const Folder folder;
  write_tables(folder);
  const std::string more = "[problem.regions]\nlow = { where = \"x > 2*{u0}\" }\n[problem.define]";
  std::string text = put(everywhere, "x > {u0} and t = 1", "low and t = 1");
  text = put(text, "[problem.define]", more);
  const Run tables = run_of(folder, with_tables(text), "tables.toml");
  const Run formulas = run_of(folder, with_formulas(text), "formulas.toml");
  CHECK(tables.problem.requirements[2].region->measure() ==
        Approx(formulas.problem.requirements[2].region->measure()).epsilon(1e-3));
}

TEST_CASE("the check lists functions with file, shape, ranges and interpolation",
          "[configs][tables]") {
  const Folder folder;
  write_tables(folder);
  const std::string text = put(everywhere, "x > {u0} and t = 1", "x > 0.3 and t = 1");
  const Run run = run_of(folder, with_tables(text), "tables.toml");
  CHECK_THAT(plan_text(run),
             Contains("functions\n  a(x, t) from a.h5: 5 x 5 grid, x in [0, 1], t in [0, 2]; "
                      "cubic, outside error\n") &&
                 Contains("  u0(x) from u0.csv: 5 points, x in [0, 1]; cubic, outside error\n") &&
                 Contains("  k(u) from k.csv: 121 points, u in [-6, 6]; cubic, outside clamp\n"));
  CHECK(run.hashes.contains("a.h5"));
  CHECK(run.hashes.at("k.csv").size() == 64);
}

TEST_CASE("tables of coordinates run on a GPU, those of fields are refused before training",
          "[configs][tables][cuda]") {
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>(SimulatedDriver::Options()));
  const Folder folder;
  write_tables(folder);
  const std::string text =
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n" + functions +
      "[[equation]]\nresidual = \"u_t = d(a*u_x, x) + u0(x*t)\"\npoints = 75\n"
      "[network]\nlayers = [6]\n[network.output]\nu = \"u0 + t*N\"\n"
      "[[stage]]\noptimizer = \"adam\"\nsteps = 3\n";
  const LossCase here = small_case(run_of(folder, text, "a.toml"), 75);
  LossCase there = here;
  there.options.device = Device{0};
  const std::vector<double> p = here.model->initial_parameters(3);
  CHECK(distance_of(here, p, there.at(p, true), here.at(p, true)) <= 1e-12);

  Run run = run_of(folder, put(text, "a*u_x", "k*u_x"), "k.toml");
  there = small_case(run, 75);
  there.options.device = Device{0};
  CHECK_THROWS_AS(there.at(p, true), EngineError);  // should it come so far
  run.options.device = "cuda";
  CHECK_THROWS_WITH(train(run, request(folder / "run")),
                    Contains("not yet: a table of fields or unknowns on a GPU"));
  TrainRequest eager = request(folder / "run");
  eager.eager = true;
  run.problem.requirements[0].residuals[0].expression = make_leaf(Expression::Kind::field, 0);
  CHECK_THROWS_WITH(train(run, eager), Contains("not yet: a table on a GPU, op by op"));
}

TEST_CASE("the order of arguments is that of inputs, or of coordinates and then fields",
          "[configs][tables]") {
  const Folder folder;
  write_tables(folder);
  const auto inputs_of = [&](const std::string& line) {
    const Run run = run_of(folder,
                           "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = "
                           "[\"u\"]\n[problem.functions]\n" +
                               line +
                               "\n[[equation]]\nresidual = \"u_t = u_xx\"\n"
                               "[[stage]]\noptimizer = \"adam\"\n",
                           "p.toml");
    return run.problem.functions[0].table->options().inputs;
  };
  using Names = std::vector<std::string>;
  const std::string array = "a = { file = \"a.h5\", axes = [\"t\", \"x\"]";
  CHECK(inputs_of(array + " }") == Names{"x", "t"});
  CHECK(inputs_of(array + ", inputs = { t = \"t\", x = \"x\" } }") == Names{"t", "x"});
  CHECK(inputs_of(array + ", inputs = { time = \"t\", pos = \"x\" } }") == Names{"time", "pos"});
}

TEST_CASE("a run with a cubic table of scattered points is the run with the polynomial it is of",
          "[configs][tables]") {
  const Folder folder;
  std::string rows = "value,time,k\n";
  for (int i = 0; i < 200; ++i) {
    const double u = std::fmod(0.754877666 * i, 1.0) * 8 - 4;
    const double t = std::fmod(0.569840291 * i, 1.0) * 1.1 - 0.05;
    rows += fmt::format("{},{},{}\n", u, t, 1 + u * t + 0.2 * u * u - 0.01 * u * u * u);
  }
  folder.file("k.csv", rows);
  const std::string text =
      "[problem]\ncoordinates = { x = [0, 1], t = [0, 1] }\nfields = [\"u\"]\n"
      "unknowns = { c = 0.9 }\n{functions}"
      "[[equation]]\nresidual = \"u_t = d({k}*u_x, x) + {c}\"\npoints = 40\n"
      "[[condition]]\non = \"boundary\"\nresidual = \"u = 0.3\"\npoints = 20\n"
      "[network]\nlayers = [6]\n[[stage]]\noptimizer = \"ssbroyden\"\nsteps = 15\n"
      "[output]\ngrid = { x = 5, t = 5 }\nfields = [\"u\", \"{k}\"]\n";
  const std::string table =
      "[problem.functions]\nk = { file = \"k.csv\", inputs = { u = \"value\", t = \"time\" }, "
      "interpolation = \"INTERPOLATION\", outside = \"clamp\" }\n";
  const auto with = [&](const std::string& interpolation) {
    return put(
        put(put(text, "{functions}", put(table, "INTERPOLATION", interpolation)), "{k}", "k"),
        "{c}", "k(c, t)");
  };
  const auto formula = [](const std::string& u) {
    return put("(1 + U*t + 0.2*U^2 - 0.01*U^3)", "U", u);
  };
  const auto result = [&](const std::string& written, const std::string& name, bool eager) {
    TrainRequest to = request(folder / name);
    to.eager = eager;
    return train(run_of(folder, written, name + ".toml"), to);
  };
  const TrainResult expected = result(
      put(put(put(text, "{functions}", ""), "{k}", formula("u")), "{c}", formula("c")), "f", false);
  for (const std::string kind : {"cubic", "linear"}) {
    INFO(kind);
    const TrainResult compiled = result(with(kind), kind, false);
    const TrainResult eager = result(with(kind), kind + "-eager", true);
    CHECK(compiled.loss == Approx(eager.loss).epsilon(1e-7));
    CHECK(compiled.unknowns[0].second == Approx(eager.unknowns[0].second).epsilon(1e-7));
    if (kind == "cubic") CHECK(compiled.loss == Approx(expected.loss).epsilon(1e-6));
  }
}

TEST_CASE("what training asked of scattered points beyond their range is warned of",
          "[configs][tables]") {
  const Folder folder;
  std::string rows = "u,x,k\n";
  for (int i = 0; i < 60; ++i)
    rows += fmt::format("{},{},{}\n", std::fmod(0.754877666 * i, 1.0),
                        std::fmod(0.569840291 * i, 1.0) * 1.2 - 0.1, i % 7);
  folder.file("k.csv", rows);
  const std::string text =
      "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\n[problem.functions]\n"
      "k = { file = \"k.csv\", inputs = { u = \"u\", x = \"x\" }, interpolation = \"cubic\" }\n"
      "[[equation]]\nresidual = \"u_xx = k(u + 1, x)\"\npoints = 50\n"
      "[[condition]]\non = \"boundary\"\nresidual = \"u = 1\"\n"
      "[network]\nlayers = [4]\n[network.output]\nu = \"5 + 0.1*N\"\n"
      "[[stage]]\noptimizer = \"adam\"\nsteps = 3\n";
  const TrainResult result = train(run_of(folder, text, "k.toml"), request(folder / "run"));
  CHECK_THAT(warnings_text(result.warnings),
             Contains("'k' was asked for beyond its range at 50 of 50 points: u is "));
}

TEST_CASE("a field that left the range of its table is warned of at the end", "[configs][tables]") {
  const Folder folder;
  write_tables(folder);
  const std::string text =
      "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\n[problem.functions]\n"
      "k = { file = \"k.csv\", inputs = { u = \"value\" } }\n"
      "[[equation]]\nresidual = \"u_xx = k(u + 6)\"\npoints = 50\n"
      "[[condition]]\non = \"boundary\"\nresidual = \"u = 1\"\n"
      "[network]\nlayers = [4]\n[network.output]\nu = \"5 + 0.1*N\"\n"
      "[[stage]]\noptimizer = \"adam\"\nsteps = 3\n";
  const TrainResult result = train(run_of(folder, text, "k.toml"), request(folder / "run"));
  CHECK_THAT(warnings_text(result.warnings),
             Contains("'k' was asked for beyond its range at 50 of 50 points: u is 1") &&
                 Contains("the table knows it from -6 to 6"));
}
