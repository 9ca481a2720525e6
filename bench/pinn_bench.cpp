/// pinn-bench: measures what the engine does, one JSON object per line (bench/README.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>

#include "autograd/choose_device.h"
#include "autograd/core/error.h"
#include "bench/workloads.h"

namespace {

using namespace pinn;
using namespace pinn::bench;

struct Workload {
  std::string name, about;
  void (*run)(const Options&, Journal&);
};

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all{
      {"w-hess", "Hessian of a network: pruned, unpruned, by jets; relu, tanh, silu", hessian},
      {"step", "loss and gradient of Burgers' residual: taylor, reverse", training_step},
      {"burgers-run", "whole training steps of a problem file, optimizer and all", burgers_run},
      {"evaluate", "u, u_x, u_xx by libpinn beside the step's forward pass", evaluation},
      {"order-4", "the step with fourth derivatives beside second ones", fourth_order},
      {"least-squares", "J v, J^T w, rows of J and K = J J^T of the step", least_squares},
      {"second-order", "whole steps of levenberg_marquardt and natural_gradient", second_order},
      {"curvature", "the inverse Hessian of ssbroyden in a move, beside memory", curvature},
      {"step-memory", "resident memory of the step at 1e4 to 1e7 points", step_memory},
      {"mesh", "a surface of a million triangles: read, checked, and asked", mesh_queries},
      {"d-a", "discovery: fast weights, bounded and not", fast_weights},
      {"d-b", "discovery: a linear model that learns to learn", learned_step},
      {"d-c", "discovery: the gradient of a 2 x 2 product", small_graph},
      {"d-d", "a chain of a million nodes: build, differentiate, destroy", deep_chain},
      {"d-e", "discovery: an old leaf among the targets", old_leaf},
      {"ops", "what a small op costs beyond its kernel", small_ops},
      {"s-a", "saved tensors of thirty tanh of ten million numbers", saved_chain},
      {"s-b", "saved tensors of w-hess with tanh", saved_hessian},
      {"gpu-limits", "what a GPU reaches in products and copies", gpu_limits},
      {"gpu-offload", "a batch that saves four times the memory of a GPU", gpu_offload},
      {"gpu-descent", "ten moves of Adam on a GPU: asked for each, and at once", gpu_descent},
      {"estimates", "estimated errors of a run's folder beside the true ones", estimates}};
  return all;
}

int run(const Options& options) {
  for (const Workload& w : workloads())
    if (w.name == options.workload) {
      Journal journal(options);
      w.run(options, journal);
      return journal.valid() ? 0 : 1;
    }
  throw ConfigError({"there is no workload '" + options.workload + "'", "the first argument",
                     "pinn-bench --help lists them"});
}

void add_options(CLI::App& app, Options& options, std::string& dtype, std::string& device) {
  std::string list = "Workloads:\n";
  for (const Workload& w : workloads()) list += fmt::format("  {:<13}{}\n", w.name, w.about);
  app.footer(list);
  app.add_option("workload", options.workload, "what to measure")->required();
  app.add_option("--points", options.points, "points, or elements of s-a");
  app.add_option("--width", options.width, "width of the network");
  app.add_option("--layers", options.layers, "hidden layers of the step");
  app.add_option("--count", options.count, "calls, iterations, or depth");
  app.add_option("--dtype", dtype, "f32 or f64")->check(CLI::IsMember({"f32", "f64"}));
  app.add_option("--device", device, "cpu, cuda or cuda:N, of step, w-hess and gpu-...");
  app.add_option("--threads", options.threads, "threads of the step")->check(CLI::Range(1, 1024));
  app.add_option("--samples", options.samples, "samples per row; 0 only validates");
  app.add_option("--activation", options.activation, "of step, or relu, tanh or silu, of w-hess");
  app.add_option("--products", options.products,
                 "bf16x3: a row with these products, of step; 3xtf32: of gpu-descent")
      ->check(CLI::IsMember({"exact", "bf16x3", "3xtf32"}));
  app.add_flag("--paths", options.paths,
               "on a GPU: a row for each way through the step, and size of a tile, too");
  app.add_option("--row", options.row, "only rows whose names contain this");
  app.add_option("--problem", options.problem, "problem file of burgers-run");
  app.add_option("--stage", options.stage, "stage of it, from 1")->check(CLI::Range(1, 99));
  app.add_option("--folder", options.folder, "where inputs and results are left");
  app.add_flag("--write", options.only_write, "write inputs and the reference, measure nothing");
  app.add_flag("--serve", options.serve, "take numbers of samples from stdin");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures what the engine does, one JSON object per line."};
  Options options;
  std::string dtype = "f32", device = "cpu";
  add_options(app, options, dtype, device);
  CLI11_PARSE(app, argc, argv);
  options.dtype = dtype == "f64" ? DType::float64 : DType::float32;
  try {
    options.device = choose_device(device).device;
    return run(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
