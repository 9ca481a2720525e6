#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "configs/read.h"
#include "solvers/train/train.h"
#include "tests/catch.h"
#include "tests/configs/shipped.h"

using namespace pinn;
using pinn::test::shipped_files;

namespace {

/// Trains quietly into a folder that is gone afterwards.
TrainResult trained(const Run& run) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("pinn-accuracy-" + std::to_string(::getpid()) + run.name);
  TrainRequest request;
  request.folder.name = run.name;
  request.folder.out = folder.string();
  request.folder.overwrite = true;
  request.style = ProgressStyle::quiet;
  const TrainResult result = train(run, request);
  std::filesystem::remove_all(folder);
  return result;
}

double error_of(const TrainResult& result, const std::string& field) {
  for (const auto& [name, value] : result.errors)
    if (name == field) return value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string shipped(const std::string& name) {
  return PINN_SOURCE_DIR "/configs/" + name + ".toml";
}

/// Every promise `[reference] error` of the file, told beside what was reached.
void check_promises(const Run& run, const TrainResult& result) {
  for (std::size_t f = 0; f < run.problem.fields.size(); ++f) {
    if (f >= run.reference.error.size() || std::isnan(run.reference.error[f])) continue;
    const std::string& field = run.problem.fields[f].name;
    const double error = error_of(result, field), promise = run.reference.error[f];
    WARN(
        fmt::format("{}: error of {} is {:.2e}, promised {:.2e}", run.name, field, error, promise));
    CHECK(error <= promise);
  }
}

/// A promise of the header of inverse_burgers.toml: nu within 1 % of what made the readings.
void check_viscosity(const TrainResult& result) {
  REQUIRE(result.unknowns.size() == 1);
  const double off = result.unknowns[0].second / (0.01 / 3.14159265358979) - 1;
  WARN(fmt::format("inverse_burgers: nu is off by {:.2f} %", 100 * off));
  CHECK(std::abs(off) <= 0.01);
}

}  // namespace

// Whole runs take minutes: the nightly target trains every file. These three are cut short; each
// bound is about ten times the error measured with that many steps and the file's seed.
TEST_CASE("a short training of three shipped problems reaches its short bound",
          "[configs][accuracy]") {
  const auto [name, steps, bound] = GENERATE(table<std::string, int, double>(
      {{"poisson_2d", 150, 5e-5}, {"heat", 150, 2e-4}, {"beam", 100, 6e-5}}));
  INFO(name);
  const Run run =
      read_run(shipped(name), {"stage.1.steps=200", "stage.2.steps=" + std::to_string(steps)});

  const TrainResult result = trained(run);

  CHECK(error_of(result, "u") < bound);
}

TEST_CASE("every shipped problem reaches the error that its file promises", "[configs][slow]") {
  const std::string file = GENERATE(from_range(shipped_files()));
  INFO(file);
  const Run run = read_run(file);
  const TrainResult result = trained(run);
  check_promises(run, result);
  if (run.name == "inverse_burgers") check_viscosity(result);
}
