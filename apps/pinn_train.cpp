/// pinn-train: trains a physics-informed neural network from one problem file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <new>

#include "autograd/core/error.h"
#include "autograd/core/version.h"
#include "configs/read.h"
#include "solvers/train/train.h"

using namespace pinn;

int main(int argc, char** argv) {
  CLI::App app{"Trains a physics-informed neural network from one problem file."};
  std::string target;
  std::vector<std::string> sets;
  TrainRequest request;
  bool quiet = false;
  app.add_option("target", target, "problem file")->required();
  app.add_option("--set", sets, "KEY=VALUE")->take_all()->allow_extra_args(false);
  app.add_flag("--resume", request.folder.resume, "go on");
  app.add_option("--out", request.folder.out, "run folder");
  app.add_flag("--overwrite", request.folder.overwrite, "replace");
  app.add_flag("--quiet", quiet, "errors only");
  CLI11_PARSE(app, argc, argv);
  try {
    const Run run = read_run(target, sets);
    request.folder.name = run.name;
    request.style = standard_style(quiet);
    const TrainResult result = train(run, request);
    for (const auto& [name, value] : result.errors) fmt::print("relative L2 error of {}: {:.3e}\n", name, value);
    for (const auto& [name, value] : result.unknowns) fmt::print("{} = {:.8g}\n", name, value);
    return result.interrupted ? 4 : 0;
  } catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
