// [memory] saved beside everything it has to agree with.
#include "configs/read.h"
#include "solvers/optimize/kinds.h"
#include "solvers/train/train.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;

namespace {

/// u'' = u by a network so small that derivatives of its first layer are the same at all points.
constexpr const char* problem = R"toml([problem]
coordinates = { x = [0, 1] }
fields = ["u"]
[[equation]]
residual = "u_xx = u"
points = 6
[[condition]]
on = "boundary"
residual = "u = 1"
[network]
layers = [3]
[[stage]]
steps = 2
[run]
threads = 1
[memory]
threshold = 0
[output]
grid = { x = 3 }
)toml";

/// Trains, where the file is not refused when it is read.
bool trains(const std::vector<std::string>& sets, bool eager, const std::string& folder) {
  Run run;
  try {
    run = read_run_text(problem, "small.toml", sets);
  } catch (const ConfigError& refused) {
    CHECK_FALSE(refused.report.fix.empty());
    return false;
  }
  TrainRequest request;
  request.folder = {.name = "small", .out = folder, .overwrite = true};
  request.style = ProgressStyle::quiet;
  request.eager = eager;
  CHECK(std::isfinite(train(run, request).loss));
  return true;
}

/// Every `stride`-th of all ways: where it divides none of their numbers, all pairs of choices are
/// among them.
void train_all_ways(int stride) {
  const Folder folder;
  int number = 0;
  for (const std::string layers : {"[3]", "[3, 3]"})
    for (const bool eager : {false, true})
      for (const std::string derivatives : {"auto", "taylor", "reverse"})
        for (const std::string saved :
             {"keep", "cpu", "disk", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2", "recompute"})
          for (const std::string& optimizer : optimizer_kinds())
            for (const std::string precision : {"float64", "float32"}) {
              if (number++ % stride != 0) continue;
              INFO(layers << " " << derivatives << " " << saved << " " << optimizer << " "
                          << precision << (eager ? " eager" : " compiled"));
              const bool possible = precision == "float64" || optimizer_kind(optimizer).in_float32;
              CHECK(trains({"network.layers=" + layers, "run.derivatives=" + derivatives,
                            "memory.saved=" + saved, "stage.1.optimizer=" + optimizer,
                            "run.precision=" + precision},
                           eager, folder / "run") == possible);
            }
}

}  // namespace

TEST_CASE("whatever becomes of saved tensors, every way of training goes with it",
          "[configs][memory]") {
  train_all_ways(7);
}

TEST_CASE("whatever becomes of saved tensors, all ways of training go with it",
          "[configs][memory][slow]") {
  train_all_ways(1);
}
