#include "tests/apps/forged_run.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// All forgeries from `first` on, `stride` apart.
void check_forgeries(const std::string& optimizer, std::size_t first, std::size_t stride,
                     bool in_windows = false) {
  INFO(optimizer);
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

TEST_CASE("an optimizer's forged memory works bit for bit or is refused in words",
          "[apps][errors]") {
  for (const std::string& optimizer : optimizer_kinds()) {
    INFO(optimizer);
    const ForgedRun run(optimizer);
    int lacks = 0;
    for (const Forgery& forgery : run.forgeries()) {
      const bool of_memory = forgery.path.starts_with("/state/optimizer/2/tensors/") ||
                             forgery.path.starts_with("/state/optimizer/2/numbers/");
      if (!of_memory || forgery.kind != "missing") continue;
      CHECK(run.finding(forgery) == "");
      ++lacks;
    }
    CHECK(lacks > 0);
  }
}

TEST_CASE("every forgery of a sealed checkpoint works bit for bit or is refused in words",
          "[apps][errors][slow]") {
  for (const std::string& optimizer : optimizer_kinds())
    for (const bool in_windows : {false, true}) check_forgeries(optimizer, 0, 1, in_windows);
}
