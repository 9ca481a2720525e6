#include "solvers/train/plan.h"

#include "autograd/compile.h"
#include "solvers/state/choices.h"
#include "solvers/watch/warnings.h"
#include "tests/autograd/cpu/tiles/real_tiles.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

std::string warned(const Run& run) { return warnings_text(warnings_of(run)); }

Run run_with(const std::string& products, const std::string& precision = "float32") {
  Run run = poisson_run({stage("adam", 5), stage("lbfgs", 5, precision)});
  run.options.products = products;
  run.options.device = "cpu";
  return run;
}

std::string refusal(const Run& run, Device device, bool eager, bool tiles) {
  const ProductsChoice choice = choose_products(run, device, eager, tiles);
  CHECK(choice.products == Products::exact);
  CHECK(choice.says == "");
  return choice.refusal ? choice.refusal->what : "";
}

/// The loss of wide layers after ten steps.
double trained(const Folder& folder, const std::string& products) {
  Run run = run_with(products);
  run.networks = {layers({64, 64})};
  return train(run, request(folder / products)).loss;
}

const Device some_gpu{0};

}  // namespace

TEST_CASE("products come from parts on a CPU that has tiles", "[train]") {
  const ProductsChoice choice = choose_products(run_with("bf16x3"), Device::cpu, false, true);
  CHECK(choice.products == Products::bf16x3);
  CHECK_THAT(choice.says, Contains("float32 stages") && Contains("AMX"));
  CHECK(!choice.refusal);
}

TEST_CASE("products are in TF32 on a GPU, whatever the processor beside it", "[train]") {
  for (const bool tiles : {false, true}) {
    const ProductsChoice one = choose_products(run_with("tf32"), some_gpu, false, tiles),
                         three = choose_products(run_with("3xtf32"), some_gpu, false, tiles);
    CHECK(one.products == Products::tf32);
    CHECK(three.products == Products::tf32x3);
    CHECK_THAT(one.says, Contains("rounded to 11 bits"));
    CHECK_THAT(three.says, Contains("three of halves"));
    CHECK(!one.refusal);
    CHECK(!three.refusal);
  }
}

TEST_CASE("products are exact, and why is said, where they cannot be as asked", "[train]") {
  CHECK(refusal(run_with("exact"), Device::cpu, false, true) == "");
  CHECK(refusal(run_with("exact"), some_gpu, false, true) == "");
  CHECK(refusal(run_with("bf16x3"), some_gpu, false, true) ==
        "products are exact, since the run computes on a GPU");
  CHECK(refusal(run_with("bf16x3"), Device::cpu, false, false) ==
        "products are exact, since this processor, or its system, has no tiles of bf16 (amx_bf16)");
  for (const char* products : {"tf32", "3xtf32"})
    CHECK(refusal(run_with(products), Device::cpu, false, true) ==
          "products are exact, since the run computes on a CPU");
  for (const char* products : {"bf16x3", "tf32", "3xtf32"}) {
    const Device device = products[0] == 'b' ? Device::cpu : some_gpu;
    CHECK(refusal(run_with(products, "float64"), device, false, true) ==
          "products are exact, since no stage computes in float32");
    CHECK(refusal(run_with(products), device, true, true) ==
          "products are exact, since the step runs op by op");
  }
}

TEST_CASE("the plan says how float32 products are computed on a processor with tiles",
          "[train][plan]") {
  const cpu::TilesForNow tiles(true);
  CHECK_THAT(plan_text(run_with("bf16x3")),
             Contains("products\n  products of wide layers in float32 stages"));
  CHECK_THAT(warned(run_with("bf16x3", "float64")),
             Contains("warning: products are exact, since no stage computes in float32"));
}

TEST_CASE("a warning says why products are exact on a processor without tiles", "[train][plan]") {
  const cpu::TilesForNow tiles(false);
  for (const char* precision : {"float32", "float64"})
    CHECK_THAT(
        warned(run_with("bf16x3", precision)),
        Contains("warning: products are exact, since this processor, or its system, has no"));
}

TEST_CASE("nothing is said of tiles where they are not asked for", "[train][plan]") {
  const cpu::TilesForNow tiles(GENERATE(false, true));
  CHECK_THAT(warned(run_with("tf32")),
             Contains("warning: products are exact, since the run computes on a CPU"));
  CHECK_THAT(plan_text(run_with("exact")), !Contains("float32 stages"));
  CHECK(warned(run_with("exact")).empty());
}

TEST_CASE("a run on a processor without tiles trains with exact products whatever it asks for",
          "[train]") {
  const cpu::TilesForNow tiles(false);
  const Folder folder;
  const double exact = trained(folder, "exact");
  CHECK(trained(folder, "tf32") == exact);
  CHECK(trained(folder, "bf16x3") == exact);
}

TEST_CASE("a run on a processor with tiles trains with products from parts", "[train]") {
  if (skips(lack_of_tiles())) return;
  const Folder folder;
  const double exact = trained(folder, "exact"), parts = trained(folder, "bf16x3");
  CHECK(parts == Approx(exact).epsilon(1e-2));  // rounded otherwise, then ten steps on
  CHECK(parts != exact);
}
