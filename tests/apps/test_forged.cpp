#include "tests/apps/forged_run.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// All forgeries from `first` on, `stride` apart.
void check_forgeries(const std::string& optimizer, std::size_t first, std::size_t stride,
                     bool in_windows = false) {
  const ForgedRun run(optimizer, in_windows);
  REQUIRE(run.forgeries().size() > 300);
  for (std::size_t i = first; i < run.forgeries().size(); i += stride)
    CHECK(run.finding(run.forgeries()[i]) == "");
}

}  // namespace

TEST_CASE("a forged and sealed checkpoint works bit for bit or is refused in words",
          "[apps][errors]") {
  check_forgeries("adam", 0, 37);
  check_forgeries("lbfgs", 12, 37);
  check_forgeries("ssbroyden", 24, 37);
  check_forgeries("lbfgs", 5, 37, true);
}

TEST_CASE("every forgery of a sealed checkpoint works bit for bit or is refused in words",
          "[apps][errors][slow]") {
  for (const char* optimizer : {"adam", "adamw", "sgd", "lbfgs", "ssbroyden"})
    for (const bool in_windows : {false, true}) check_forgeries(optimizer, 0, 1, in_windows);
}
