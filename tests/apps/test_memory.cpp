// Memory that pinn-train keeps for its backward passes may be more than there is.
#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

constexpr int layers = 1000;
/// Each layer keeps two jets of 1024 points, 3 channels and 8 features in float64: 375 MiB.
constexpr rlim_t saved = rlim_t(layers) * 2 * 1024 * 3 * 8 * 8;

/// Burgers' equation with a network as deep as that, whose points are one block of an eager step.
std::string deep_problem() {
  std::string widths;
  for (int i = 0; i < layers; ++i) widths += i == 0 ? "8" : ", 8";
  return R"toml([problem]
coordinates = { x = [-1.0, 1.0], t = [0.0, 1.0] }
fields      = ["u"]

[[equation]]
residual = "u_t + u*u_x = 0.1*u_xx"
points   = 1024

[network]
layers = [)toml" +
         widths + R"toml(]

[[stage]]
optimizer = "adam"
steps     = 2

[run]
threads = 1

[output]
grid = { x = 11, t = 11 }
)toml";
}

}  // namespace

TEST_CASE("a batch that saves three times the memory allowed trains, saving on disk", "[apps]") {
  if (skips(lack_of_limits())) return;
  const Folder place;
  place.file("deep.toml", deep_problem());
  const auto trained = [&](const std::string& saved_as) {
    return pinn_train(place,
                      {"deep.toml", "--eager", "--overwrite", "--out", "run", "--set",
                       "memory.saved=" + saved_as, "--set", "output.trust=false"},
                      saved / 3);
  };

  const Outcome on_disk = trained("disk"), kept = trained("keep");

  CHECK(on_disk.code == 0);
  CHECK_THAT(on_disk.out, Contains("look:  run") && Contains("fields.h5"));
  CHECK(kept.code == 6);
}

TEST_CASE("a check draws no points: that of a hundred million needs no memory for them", "[apps]") {
  if (skips(lack_of_limits())) return;
  const Folder place;
  place.file("small.toml", small_problem);
  const Outcome check =
      pinn_train(place, {"small.toml", "--check", "--set", "equation.1.points=100000000"},
                 rlim_t(1) << 28);  // a third of what they take
  CHECK(check.code == 0);
  CHECK_THAT(check.out, Contains("poisson: 100000000 sobol points"));
}

TEST_CASE("a file that is too long is refused by its length, and none of it read",
          "[apps][errors]") {
  if (skips(lack_of_limits())) return;
  const WorkFolder place;
  const auto refusal = [&](const std::string& file, const std::string& tables) {
    std::filesystem::resize_file(place.file(file, ""), 3'000'000'000u);  // of which none is there
    place.file("other.toml", small_problem + tables);
    const Outcome outcome =
        pinn_train(place, {tables.empty() ? file : "other.toml", "--check"}, rlim_t(1) << 28);
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err, Contains(file) && Contains("fix:"));
    return outcome.err;
  };

  CHECK_THAT(refusal("long.toml", ""),
             Contains("has 3000000000 bytes; it may have 1048576") && Contains("into a data file"));
  CHECK_THAT(refusal("long.csv",
                     "\n[[data]]\nfile = \"long.csv\"\ncolumns = { x = \"x\", seen = \"u\" }\n"
                     "residual = \"u = seen\"\n"),
             Contains("has 3000000000 bytes; it may have 1073741824") &&
                 Contains("leave columns or rows out"));
}

TEST_CASE("a mesh is judged by its beginning, before the rest is read", "[apps][errors]") {
  if (skips(lack_of_limits())) return;
  const Folder place;
  std::filesystem::resize_file(place.file("long.stl", ""), 3'100'000'000u);
  place.file("body.toml",
             "[problem]\ncoordinates = { x = [0, 1], y = [0, 1], z = [0, 1] }\nfields = [\"u\"]\n"
             "domain = \"body\"\n[problem.regions]\nbody = { mesh = \"long.stl\" }\n"
             "[[equation]]\nresidual = \"u_xx = 1\"\npoints = 10\n[network]\nlayers = [4]\n"
             "[[stage]]\noptimizer = \"adam\"\nsteps = 1\n");
  const Outcome outcome = pinn_train(place, {"body.toml", "--check"}, rlim_t(1) << 28);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("the header states 0 triangles") && Contains("long.stl"));
}
