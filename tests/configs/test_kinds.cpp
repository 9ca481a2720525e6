#include "data/files/h5_writer.h"
#include "solvers/problem/parse.h"
#include "solvers/train/train.h"
#include "tests/catch.h"
#include "tests/configs/same_run.h"
#include "tests/configs/small.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

const std::string ending =
    "[network]\nlayers = [8]\n[[stage]]\noptimizer = \"adam\"\nsteps = 20\n[run]\nthreads = 1\n";

const std::string rates =
    "[problem]\ncoordinates = { t = [0, 2] }\nfields = [\"c[1:3]\"]\n"
    "constants = { k = [[0, 1, 0.5], [0.2, 0, \"0.1\"], [0.3, 0.4, 0]] }\n"
    "[[equation]]\nname = \"rates\"\nfor = { i = \"1:3\" }\npoints = 50\n"
    "residual = \"c[i]_t = sum(j, 1, 3, k[j,i]*c[j] - k[i,j]*c[i])\"\n"
    "[[condition]]\nname = \"start\"\nfor = { i = \"1:3\" }\non = \"t = 0\"\n"
    "residual = \"c[i] = 1/i\"\nweight = \"2*i\"\n" +
    ending;

const std::string written_out =
    "[problem]\ncoordinates = { t = [0, 2] }\nfields = [\"a\", \"b\", \"c\"]\n"
    "[[equation]]\nname = \"rates\"\npoints = 50\nresidual = [\n"
    "\"a_t = (0*a - 0*a) + (0.2*b - 1*a) + (0.3*c - 0.5*a)\",\n"
    "\"b_t = (1*a - 0.2*b) + (0*b - 0*b) + (0.4*c - 0.1*b)\",\n"
    "\"c_t = (0.5*a - 0.3*c) + (0.1*b - 0.4*c) + (0*c - 0*c)\"]\n"
    "[[condition]]\nname = \"start\"\non = \"t = 0\"\n"
    "residual = [\"a = 1\", \"b = 1/2\", \"c = 1/3\"]\nweight = [2, 4, 6]\n" +
    ending;

std::vector<double> trained(const std::string& text) {
  const Folder folder;
  train(read_run_text(text, "rates.toml"), test::request(folder / "run"));
  return test::saved_state(folder / "run").parameters.values();
}

}  // namespace

TEST_CASE("equations for many indices train as those written out, bit for bit",
          "[configs][kinds]") {
  CHECK(trained(rates) == trained(written_out));
}

TEST_CASE("with an index in `on` there are as many requirements", "[configs][kinds]") {
  const Run run = read_run_text(
      "[problem]\ncoordinates = { \"x[1:3]\" = [0, 1] }\nfields = [\"u\"]\n"
      "constants = { q = [5, 6, 7] }\n"
      "[[equation]]\nresidual = \"laplacian(u) = 0\"\n"
      "[[condition]]\nname = \"low\"\nfor = { i = \"1:3\" }\non = \"x[i] = 0\"\n"
      "residual = \"u = q[i]\"\npoints = 7\n"
      "[[condition]]\nname = \"same\"\nfor = { i = \"2:3\" }\nperiodic = \"x[i]\"\n" +
          ending + "[output]\ngrid = { \"x[1]\" = 3, \"x[2]\" = 3, \"x[3]\" = 3 }\n",
      "low.toml");
  const auto& all = run.problem.requirements;
  REQUIRE(all.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(all[1 + i].name == "low[" + std::to_string(i + 1) + "]");
    CHECK(all[1 + i].on == "x[" + std::to_string(i + 1) + "] = 0");
    CHECK(all[1 + i].region->bounds()[i].fixed());
    CHECK(run.sampling[1 + i].count == 7);
    REQUIRE(all[1 + i].residuals.size() == 1);
    CHECK(all[1 + i].residuals[0].text.value == "u = q[" + std::to_string(i + 1) + "]");
  }
  CHECK(all[4].periodic->coordinate == 1);
  CHECK(all[5].periodic->coordinate == 2);
  CHECK(same_run(run, read_run_text(effective_toml(run), "low.toml")));
}

TEST_CASE("constants of many may come from a file", "[configs][kinds]") {
  const Folder folder;
  folder.file("k.csv", "a,b\n1,2\n3,4\n");
  folder.file("q.csv", "q\n5\n6\n7\n");
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  H5Writer file;
  file.array("/r", {2, 3}, values.data());
  file.array("/s", values);
  folder.file("r.h5", file.image());
  const Run run = read_run_text(
      "[problem]\ncoordinates = { t = [0, 2] }\nfields = [\"u\"]\n[problem.constants]\n"
      "k = { file = \"k.csv\" }\nq = { file = \"q.csv\" }\nr = { file = \"r.h5\" }\n"
      "v = { file = \"r.h5\", value = \"s\" }\n"
      "[[equation]]\nresidual = \"u_t = k[2,1]*u\"\n" +
          ending,
      folder / "p.toml");
  const auto value = [&](const std::string& name) {
    for (const Constant& c : run.problem.constants)
      if (c.name == name) return c.value;
    return -1.0;
  };
  CHECK(value("k[1,2]") == 2);
  CHECK(value("k[2,1]") == 3);
  CHECK(value("q[3]") == 7);
  CHECK(value("r[2,1]") == 4);
  CHECK(value("r[1,3]") == 3);
  CHECK(value("v[6]") == 6);
  CHECK(run.hashes.size() == 3);
}

TEST_CASE("unknowns of many have their starts", "[configs][kinds]") {
  const Run run = read_run_text(
      "[problem]\ncoordinates = { t = [0, 2] }\nfields = [\"u\"]\n"
      "unknowns = { r = [0.1, \"1/4\"], \"s[0:1]\" = { start = 2, min = 1 } }\n"
      "[[equation]]\nresidual = \"u_t = sum(i, 1, 2, r[i]*s[i - 1])*u\"\n" +
          ending,
      "p.toml");
  const auto& all = run.problem.unknowns;
  REQUIRE(all.size() == 4);
  CHECK(all[0].name == "r[1]");
  CHECK(all[1].start == 0.25);
  CHECK(all[2].name == "s[0]");
  CHECK(all[3].min == 1);
}

TEST_CASE("a formula may be given for each index of a kind", "[configs][kinds]") {
  const Run run = read_run_text(
      "[problem]\ncoordinates = { \"x[1:2]\" = [0, 1] }\nfields = [\"c[1:3]\"]\n"
      "constants = { \"k[i=1:3, j=0:1]\" = \"i + 10*j\" }\n"
      "define = { \"r[i=1:2]\" = \"k[i,1]*c[i + 1]\" }\n"
      "[[equation]]\nfor = { i = \"1:2\" }\nresidual = \"laplacian(c[i]) = r[i]_x[i]\"\n"
      "[[condition]]\non = \"x[1] = 0\"\nresidual = \"c[3] = 0\"\n"
      "[[stage]]\noptimizer = \"adam\"\n"
      "[network]\nlayers = [4]\noutput = { \"c[i=1:2]\" = \"x[i]*N\" }\n"
      "frequency = { \"x[1:2]\" = 3 }\n"
      "[output]\ngrid = { \"x[1:2]\" = 5 }\n"
      "[reference]\nexact = { \"c[i=1:3]\" = \"i*x[1]\" }\nerror = { \"c[1:2]\" = 0.1 }\n",
      "p.toml");
  const Problem& p = run.problem;
  CHECK(p.constants[3].name == "k[2,1]");
  CHECK(p.constants[3].value == 12);
  CHECK(p.defines[1].name == "r[2]");
  CHECK(print(*p.defines[1].parts[0], {p}) == "k[2,1]*c[3]");
  CHECK(print(*p.outputs[1], {p, Scope::Use::output}) == "x[2]*N");
  CHECK(!p.outputs[2]);
  CHECK(run.networks[0].frequency == std::vector<double>{3, 3});
  CHECK(run.output.grid == std::vector<GridAxis>{5, 5});
  REQUIRE(run.reference.quantities.size() == 3);
  CHECK(print(*run.reference.quantities[2].exact, {p}) == "3*x[1]");
  CHECK(run.reference.quantities[1].error == 0.1);
  CHECK(same_run(run, read_run_text(effective_toml(run), "p.toml")));
}

TEST_CASE("a mistake in many equations is told once", "[configs][kinds][errors]") {
  const std::string told = refusal(
      "[problem]\ncoordinates = { t = [0, 2] }\nfields = [\"c[1:20]\"]\n"
      "[[equation]]\nfor = { i = \"1:20\" }\nresidual = \"c[i]_t = kk\"\n" +
      ending);
  CHECK(told.find("'kk'") == told.rfind("'kk'"));
  CHECK_THAT(told, Contains("c[1]_t = kk"));
}
