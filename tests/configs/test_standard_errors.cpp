// Standard errors against the scatter of an unknown.
#include <fmt/format.h>

#include <cmath>

#include "configs/read.h"
#include "data/files/disk.h"
#include "data/reference/reference.h"
#include "tests/catch.h"
#include "tests/configs/promises.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("the standard error of the viscosity is how far it scatters with the noise",
          "[configs][slow]") {
  constexpr int experiments = 20;
  const double true_nu = 0.01 / 3.14159265358979;
  const Folder folder;
  const Reference burgers = recipe("burgers").solve(4);
  double off = 0, told = 0;
  for (const std::uint64_t seed : seeds_of(night(), experiments)) {
    const std::string file = folder / "readings.csv";
    write_atomically(file, {observe(burgers, 10000, 0.01, seed)});
    const TrainResult result = trained(
        read_run(PINN_SOURCE_DIR "/configs/inverse_burgers.toml",
                 {fmt::format("run.seed={}", seed), fmt::format("data.1.file=\"{}\"", file)}));
    const double error = result.trust.unknowns.values.at(0);
    const double found = result.unknowns[0].second - true_nu;
    fmt::print("seed {}: nu off by {:+.2e}, standard error {:.2e}\n", seed, found, error);
    for (const Report& warning : result.trust.warnings) fmt::print("{}\n", warning_text(warning));
    off += found * found;
    told += error * error;
  }
  const double ratio = std::sqrt(told / off);
  fmt::print("root mean square of the errors {:.2e}, of the standard errors {:.2e}\n",
             std::sqrt(off / experiments), std::sqrt(told / experiments));
  CHECK(ratio > 1 / 1.5);
  CHECK(ratio < 1.5);
}
