#include <fmt/format.h>

#include "tests/catch.h"
#include "tests/configs/shipped.h"
#include "tests/skip.h"
#include "tests/solvers/source/c_export.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> small_net = {"network.layers=[8, 8]"};

/// Holds an export of both dtypes against the library, whose products add up in an order that
/// depends on the processor.
void check_agreement(const TrainedForExport& trained, double least64 = 4e-14,
                     double least32 = 5e-6) {
  for (const auto& [dtype, least] :
       {std::pair("float64", least64), std::pair("float32", least32)}) {
    INFO(trained.problem << ", " << dtype);
    const ExportedC exported(trained, dtype, "-O2");
    const ExportedC::Distance distance = exported.distance();
    CHECK(distance.blocks <= least);
    CHECK(distance.points <= least);
  }
}

}  // namespace

TEST_CASE("an exported C file gives the values and derivatives of the library",
          "[source][export]") {
  if (skips(lack_of_c())) return;
  check_agreement({"burgers.toml", small_net, "u,u_x,d(u*u, x),exp(u)*x - t,residual"});
}

TEST_CASE("an exported C file has pieces", "[source][export]") {
  if (skips(lack_of_c())) return;
  check_agreement({"inclusion.toml", {}, "u,k*u_x"});
  check_agreement({"decomposed_rod.toml", {}, "u,u_x"});  // cut in space and time
}

TEST_CASE("an exported C file has tables, and looks fields up in them", "[source][export]") {
  if (skips(lack_of_c())) return;
  check_agreement({"nonlinear_heat.toml", {}, "u,u_r,k(1000*u),residual"}, 1e-13, 1e-5);
  check_agreement({"darcy.toml", {}, ""});
}

TEST_CASE("an exported C file has windows of time, each with its network", "[source][export]") {
  if (skips(lack_of_c())) return;
  const std::string windows = R"toml([problem]
coordinates = { x = [-1, 1], t = [0, 1] }
fields = ["u", "v"]
unknowns = { speed = { start = 0.5, min = 0, max = 2 } }
[[equation]]
residual = ["u_t = v", "v_t = speed*u_xx"]
points = 50
[[condition]]
on = "initial"
residual = ["u = sin(pi*x)", "v = 0"]
points = 20
[windows]
count = 3
[network]
layers = [6, 6]
kind = "modified_mlp"
activation = "gelu"
periodic = ["x"]
[[stage]]
optimizer = "adam"
)toml";
  check_agreement({windows, {}, "u,v_x,speed*u"});
}

TEST_CASE("an exported C file carries fourth derivatives, and any activation", "[source][export]") {
  if (skips(lack_of_c())) return;
  for (const char* activation : {"tanh", "sin", "gelu", "silu", "softplus", "sigmoid"})
    check_agreement({"beam.toml",
                     {"network.layers=[10, 10]", fmt::format("network.activation={}", activation)},
                     "u,u_xxxx"},
                    1e-13, 1e-4);
}

TEST_CASE("an exported C file is clean under sanitizers, and calls what it names",
          "[source][export]") {
  if (skips(lack_of_c())) return;
  const TrainedForExport trained{
      "inclusion.toml", {"network.inner.activation=sin"}, "u,atan2(u, x)"};
  const ExportedC checked(trained, "float64", "-O1 -g -fsanitize=address,undefined");
  CHECK(checked.distance().blocks <= 4e-14);
  const ExportedC plain(trained, "float64", "-O2");
  const std::string head = plain.text().substr(0, plain.text().find("*/"));
  for (const std::string& called : plain.undefined_symbols()) {
    INFO(called);
    const std::string name = called == "sincos" ? "sin" : called;  // GCC joins sine and cosine
    CHECK((head.find(" " + name) != head.npos || name.starts_with("mem")));
  }
}

TEST_CASE("an export as C that cannot be made says why", "[source][export][errors]") {
  const WorkFolder place;
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  const auto told = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"runs/small"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome run = pinn_export(place, all);
    CHECK(run.code != 0);
    CHECK(run.code != 70);
    return run.err;
  };
  CHECK_THAT(told({"-o", "2u.c"}), Contains("2u.c") && Contains("a letter first"));
  CHECK_THAT(told({"-o", "u.c", "--fields", "w"}), Contains("'w'") && Contains("--fields"));
  CHECK_THAT(told({"-o", "u.c", "--grid", "x=3"}), Contains("--grid"));
  CHECK_THAT(told({"-o", "u.c", "--dtype", "float16"}), Contains("float16"));
  CHECK_FALSE(place.has("u.c"));
}

TEST_CASE("every shipped problem is exported as C and agrees with the library",
          "[source][export][slow]") {
  if (skips(lack_of_c())) return;
  for (const std::string& file : shipped_files()) {
    const std::string name = std::filesystem::path(file).filename().string();
    const ExportedC exported({name}, "float64", "-O2");
    INFO(name);
    CHECK(exported.distance().blocks <= 1e-12);
  }
}
