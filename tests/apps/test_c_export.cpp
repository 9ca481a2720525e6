#include <cstdlib>

#include "tests/apps/c_export.h"
#include "tests/catch.h"
#include "tests/skip.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> small_net = {"network.layers=[8, 8]"};

/// Holds an export of both dtypes against the library.
void check_agreement(const TrainedForC& trained, double least64 = 1e-14, double least32 = 1e-6) {
  for (const auto& [dtype, least] : {std::pair("float64", least64), std::pair("float32", least32)}) {
    INFO(trained.problem << ", " << dtype);
    const ExportedC exported(trained, dtype, "-O2");
    const ExportedC::Distance distance = exported.distance();
    CHECK(distance.compared > 0);
    CHECK(distance.blocks <= least);
    CHECK(distance.points <= least);
  }
}

}  // namespace

TEST_CASE("an exported C file gives the values and derivatives of the library", "[apps][export]") {
  if (skips(lack_of_c())) return;
  check_agreement({"burgers.toml", small_net, "u,u_x,d(u*u, x),exp(u)*x - t,residual"});
}

TEST_CASE("an exported C file has pieces, and pieces of time", "[apps][export]") {
  if (skips(lack_of_c())) return;
  check_agreement({"inclusion.toml", {}, "u,k*u_x"});
  check_agreement({"decomposed_rod.toml", {}, "u,u_x"});
}

TEST_CASE("an exported C file has tables, and looks fields up in them", "[apps][export]") {
  if (skips(lack_of_c())) return;
  check_agreement({"nonlinear_heat.toml", {}, "u,u_r,k(1000*u),residual"}, 1e-13, 1e-5);
  check_agreement({"darcy.toml", {"points=50"}, ""});
}
