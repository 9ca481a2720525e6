#include <sys/stat.h>

#include <cmath>

#include "data/files/h5_reader.h"
#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// A folder with a finished run.
struct TrainedRun : Folder {
  TrainedRun() {
    file("small.toml", small_problem);
    REQUIRE(pinn_train(*this, {"small.toml", "--quiet"}).code == 0);
  }
};

long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("a run is exported on its grid in all four formats", "[apps][export]") {
  const TrainedRun place;
  for (const char* name : {"all.h5", "all.xdmf", "all.vtu", "all.csv"}) {
    const Outcome run = pinn_export(place, {"runs/small", "--on", "grid", "-o", name});
    CHECK(run.code == 0);
    CHECK_THAT(run.out, Contains(std::string("wrote ") + name));
    CHECK(std::filesystem::file_size(place / name) > 0);
  }
  CHECK(H5Reader(place / "all.h5").read<double>("/u").values ==
        H5Reader(place / "runs/small/fields.h5").read<double>("/u").values);
  CHECK_THAT(read_file(place / "all.vtu"), Contains("<VTKFile"));
  CHECK_THAT(read_file(place / "all.xdmf"), Contains("<Xdmf"));
}

TEST_CASE("a run is exported at given points, with derivatives and residuals", "[apps][export]") {
  const TrainedRun place;
  place.file("probes.csv", "x\n-0.5\n0.25\n1\n");
  const Outcome run = pinn_export(place, {"runs/small", "--on", "probes.csv", "--fields",
                                          "u,u_x,residual", "-o", "probed.csv"});
  CHECK(run.code == 0);
  const std::string text = read_file(place / "probed.csv");
  CHECK_THAT(text, Contains("x,u,u_x,residual_poisson"));
  CHECK_THAT(text, Contains("\n-0.5,") && Contains("\n0.25,"));
  CHECK(text.find("nan") == text.npos);
}

TEST_CASE("points outside of the domain are exported with a warning", "[apps][export]") {
  const TrainedRun place;
  place.file("probes.csv", "x\n-0.5\n1.5\n");
  place.file("inside.csv", "x\n-0.5\n1\n");
  const auto err = [&](const char* points) {
    const Outcome run = pinn_export(place, {"runs/small", "--on", points, "-o", "probed.csv"});
    CHECK(run.code == 0);
    return run.err;
  };
  CHECK_THAT(err("probes.csv"), Contains("warning: 1 of the 2 points of --on lies outside of the "
                                         "domain, the first in row 2: x = 1.5 is not in [-1, 1]"));
  CHECK_THAT(err("inside.csv"), !Contains("warning"));
}

TEST_CASE("a C file says how far off the run takes its fields to be", "[apps][export]") {
  const TrainedRun place;
  REQUIRE(pinn_export(place, {"runs/small", "--fields", "u", "-o", "u.c"}).code == 0);
  const std::string told = pinn_train(place, {"runs/small"}).out;
  REQUIRE_THAT(told, Contains("estimated"));
  CHECK_THAT(read_file(place / "u.c"),
             Contains("Estimated errors, root mean squares") && !Contains("not done"));
}

TEST_CASE("a comma in parentheses does not end a field", "[apps][export]") {
  const TrainedRun place;
  const Outcome run =
      pinn_export(place, {"runs/small", "--fields", "u,d(u*u, x),max(u, 0),u_x", "-o", "some.h5"});
  CHECK(run.code == 0);
  const H5Reader file(place / "some.h5");
  for (const char* name : {"/u", "/d(u*u, x)", "/max(u, 0)", "/u_x"}) CHECK(file.has(name));
}

TEST_CASE("a run is exported on a grid of another size", "[apps][export]") {
  const TrainedRun place;
  CHECK(pinn_export(place, {"runs/small", "--grid", "x=33", "-o", "fine.csv"}).code == 0);
  const std::string text = read_file(place / "fine.csv");
  CHECK(lines(text.substr(text.find("\n-1"))) == 1 + 33);
}

TEST_CASE("an export that cannot be made says why", "[apps][export][errors]") {
  const TrainedRun place;
  const Outcome format = pinn_export(place, {"runs/small", "-o", "fields.docx"});
  CHECK(format.code == 1);
  CHECK_THAT(format.err, Contains("docx"));
  const Outcome field = pinn_export(place, {"runs/small", "--fields", "w", "-o", "a.csv"});
  CHECK(field.code == 1);
  CHECK_THAT(field.err, Contains("'w'"));
  const Outcome points = pinn_export(place, {"runs/small", "--on", "no.csv", "-o", "a.csv"});
  CHECK(points.code == 1);
  CHECK_THAT(points.err, Contains("no.csv"));
  CHECK(pinn_export(place, {"runs/small", "-o", "/proc/nowhere/a.csv"}).code == 5);
  const Outcome none = pinn_export(place, {"runs/smal", "-o", "a.csv"});
  CHECK(none.code == 1);
  CHECK_THAT(none.err, Contains("there is no such folder") && Contains("runs/smal"));
}

TEST_CASE("a mistake in --fields or --grid is shown there", "[apps][export][errors]") {
  const TrainedRun place;
  CHECK(pinn_export(place, {"runs/small", "--fields", "u,w", "-o", "a.csv"}).err ==
        "error: 'w' is not declared\n"
        "  where: --fields\n"
        "         --fields u,w\n"
        "                    ^\n"
        "  fix:   declared are: coordinates x; fields u\n");
  CHECK_THAT(pinn_export(place, {"runs/small", "--grid", "x=1", "-o", "a.csv"}).err,
             Contains("  where: --grid\n         --grid x=1\n                  ^\n"));
}

TEST_CASE("a run whose file names points is exported there, or on a grid that is named",
          "[apps][export]") {
  const Folder place;
  place.file("probes.csv", "x\n-0.5\n0.25\n");
  std::string problem = small_problem;
  const std::string grid = "grid = { x = 11 }";
  problem.replace(problem.find(grid), grid.size(), "points = \"probes.csv\"");
  place.file("small.toml", problem);
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);

  CHECK(pinn_export(place, {"runs/small", "-o", "same.csv"}).code == 0);
  CHECK(lines(read_file(place / "same.csv")) == 1 + 2);
  CHECK(pinn_export(place, {"runs/small", "--grid", "x=33", "-o", "grid.csv"}).code == 0);
  CHECK(lines(read_file(place / "grid.csv")) == 1 + 33);
  const Outcome none = pinn_export(place, {"runs/small", "--on", "grid", "-o", "none.csv"});
  CHECK(none.code == 1);  // it was a crash
  CHECK_THAT(none.err, Contains("names points and no grid") && Contains("--grid x=401"));
}

TEST_CASE("an export takes the place of no checkpoint, device or pipe", "[apps][export][errors]") {
  const TrainedRun place;
  const std::string before = read_file(place / "runs/small/checkpoint.h5");
  std::filesystem::copy(place / "runs/small/checkpoint.h5", place / "kept.h5");
  for (const char* name : {"runs/small/checkpoint.h5", "runs/small/checkpoint.xdmf", "kept.h5",
                           "runs/small/checkpoint.prev.h5"}) {
    const Outcome run = pinn_export(place, {"runs/small", "-o", name});
    INFO(name);
    CHECK(run.code == 1);
    CHECK_THAT(run.err, Contains("a checkpoint ") && Contains("name another file"));
  }
  CHECK(read_file(place / "runs/small/checkpoint.h5") == before);
  CHECK(read_file(place / "kept.h5") == before);
  CHECK_FALSE(std::filesystem::exists(place / "runs/small/checkpoint.prev.h5"));
  CHECK(Program("pinn-reference", {"lorenz", "-o", "kept.h5"}, place.path).wait().code == 1);

  REQUIRE(::mkfifo((place / "pipe.csv").c_str(), 0666) == 0);
  const Outcome pipe = pinn_export(place, {"runs/small", "-o", "pipe.csv"});
  CHECK(pipe.code == 5);
  CHECK_THAT(pipe.err, Contains("a device or a pipe stands there"));
  CHECK(std::filesystem::is_fifo(place / "pipe.csv"));
}

TEST_CASE("a run whose data changed is not exported", "[apps][export][errors]") {
  const Folder place;
  place.file("data.csv", "x,u\n0.5,1\n");
  place.file("small.toml", std::string(small_problem) +
                               "[[data]]\nfile = \"data.csv\"\ncolumns = { x = \"x\", seen = \"u\" "
                               "}\nresidual = \"u = seen\"\n");
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  CHECK(pinn_export(place, {"runs/small", "-o", "a.csv"}).code == 0);
  place.file("data.csv", "x,u\n0.5,2\n");
  const Outcome changed = pinn_export(place, {"runs/small", "-o", "b.csv"});
  CHECK(changed.code == 1);
  CHECK_THAT(changed.err, Contains("SHA-256 of data.csv") && Contains("undo the change"));
  CHECK_FALSE(std::filesystem::exists(place / "b.csv"));
}

TEST_CASE("a region is exported as a mesh, its boundary with the normal", "[apps][export]") {
  const Folder place;
  place.file(
      "ring.toml",
      "[problem]\ncoordinates = { x = [-1, 1], y = [-1, 1], t = [0, 1] }\n"
      "fields = [\"u\"]\ndomain = \"box - hole\"\n"
      "[problem.regions]\nhole = { disk = { center = [0, 0], radius = 0.5 } }\n"
      "[[equation]]\nresidual = \"u = 0\"\npoints = 20\n"
      "[network]\nlayers = [4]\n[network.output]\nu = \"x^2 + 0*N\"\n"
      "[[stage]]\noptimizer = \"adam\"\nsteps = 1\n"
      "[output]\ngrid = { x = 11, y = 11, t = 2 }\ntrust = false\n"
      "[output.values]\nlength = { value = \"integral(1)\", on = \"boundary(hole) and t = 1\" "
      "}\n");
  REQUIRE(pinn_train(place, {"ring.toml", "--quiet"}).code == 0);

  const Outcome domain = pinn_export(place, {"runs/ring", "--on", "domain", "-o", "a.xdmf"});
  CHECK(domain.code == 0);
  CHECK_THAT(domain.out, Contains("length = 3.14159265\n"));
  CHECK_THAT(read_file(place / "a.xdmf"), Contains("TopologyType=\"Triangle\""));
  CHECK(H5Reader(place / "a.h5").has("/xdmf/00001/u"));

  const Outcome hole = pinn_export(place, {"runs/ring", "--on", "boundary(hole)", "--fields",
                                           "u_n,n_x", "--grid", "t=0.5", "-o", "b.csv"});
  CHECK(hole.code == 0);
  CHECK_THAT(read_file(place / "b.csv"), Contains("x,y,t,u_n,n_x\n"));

  const Outcome moments = pinn_export(place, {"runs/ring", "--on", "domain", "-o", "c.vtu"});
  CHECK(moments.code == 1);
  CHECK_THAT(moments.err, Contains("one moment, but this mesh has 2") && Contains("--grid t=0.5"));
  const Outcome normal =
      pinn_export(place, {"runs/ring", "--on", "domain", "--fields", "u_n", "-o", "d.csv"});
  CHECK_THAT(normal.err, Contains("there is no normal here"));
  const Outcome unknown =
      pinn_export(place, {"runs/ring", "--on", "boundary(slot)", "-o", "e.csv"});
  CHECK_THAT(unknown.err, Contains("there is no region 'slot'") && Contains("where: --on"));
}
