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

}  // namespace

TEST_CASE("whatever becomes of saved tensors, every way of training goes with it",
          "[configs][memory]") {
  const Folder folder;
  const std::string layers = GENERATE("[3]", "[3, 3]");
  const bool eager = GENERATE(false, true);
  for (const char* derivatives : {"auto", "taylor", "reverse"})
    for (const char* saved :
         {"keep", "cpu", "disk", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2", "recompute"})
      for (const std::string& optimizer : optimizer_kinds())
        for (const char* precision : {"float64", "float32"}) {
          INFO(layers << " " << derivatives << " " << saved << " " << optimizer << " " << precision
                      << (eager ? " eager" : " compiled"));
          const bool possible =
              precision == std::string("float64") || optimizer_kind(optimizer).in_float32;
          CHECK(trains({"network.layers=" + layers, "run.derivatives=" + std::string(derivatives),
                        "memory.saved=" + std::string(saved), "stage.1.optimizer=" + optimizer,
                        "run.precision=" + std::string(precision)},
                       eager, folder / "run") == possible);
        }
}
