// Problems of several networks that say nothing but equations and conditions, with known solutions.
#include <fmt/format.h>

#include <algorithm>

#include "configs/read.h"
#include "solvers/train/train.h"
#include "tests/catch.h"
#include "tests/configs/promises.h"
#include "tests/configs/shipped.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// A problem of tests/several, trained until the loss falls below a number.
TrainResult trained_until(const std::string& name, double loss) {
  const Run run = read_run(std::string(PINN_SOURCE_DIR "/tests/several/") + name + ".toml",
                           {fmt::format("run.stop_below={:g}", loss)});
  return pinn::test::trained(run);
}

/// Errors within a bar, and for each a number that is off by less than a factor of 3, or a lower
/// bound.
void check_errors(const TrainResult& result, double bar) {
  REQUIRE(result.trust.estimates.fields.size() == result.errors.size());
  for (const EstimatedError& told : result.trust.estimates.fields) {
    const auto error = std::ranges::find(result.errors, told.field, &Distance::name);
    REQUIRE(error != result.errors.end());
    INFO(told.field << ": true " << error->l2 << ", told " << told.relative << " " << told.why);
    CHECK(error->l2 < bar);
    CHECK(told.relative < 3 * error->l2);
    CHECK((told.at_least || told.relative > error->l2 / 3));
  }
}

}  // namespace

TEST_CASE("every problem of several networks says no more than equations and conditions",
          "[configs][pieces]") {
  for (const std::string& file : problem_files("tests/several")) {
    const Run run = read_run(file);
    INFO(file);
    CHECK(run.source.find("[[stage]]") == std::string::npos);
    CHECK(run.networks.size() > 1);
    CHECK(run.stages.size() == 2);
  }
}

// Each is cut short by the loss. The bars are three times the worst error of seeds 1 to 5 or more.

TEST_CASE("a wave on a string whose speed jumps comes back in part", "[configs][pieces]") {
  check_errors(trained_until("string", 1e-6), 6e-3);
}

TEST_CASE("the border of ice that melts is found with the temperatures", "[configs][pieces]") {
  check_errors(trained_until("stefan", 1e-7), 1.5e-3);
}

TEST_CASE("a fluid and the wall beside it have their heat in common", "[configs][pieces]") {
  check_errors(trained_until("fluid_and_wall", 1e-6), 4.5e-3);
}
