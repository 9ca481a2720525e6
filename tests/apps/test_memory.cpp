// What pinn-train keeps for its backward passes may be more than there is memory.
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
                       "memory.saved=" + saved_as},
                      saved / 3);
  };

  const Outcome on_disk = trained("disk"), kept = trained("keep");

  CHECK(on_disk.code == 0);
  CHECK_THAT(on_disk.out, Contains("wrote run/fields.h5"));
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
