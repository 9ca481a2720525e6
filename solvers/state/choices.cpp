#include "solvers/state/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solvers/problem/integrals.h"

namespace pinn {

ChosenDevice device_of(const Run& run) { return choose_device(run.options.device); }

int directions_of(const Run& run) {
  return run.options.derivatives == "stochastic" ? run.options.directions : 0;
}

namespace {

/// A line for a requirement whose Laplacians are estimated; empty where there are none.
std::string drawn_text(const Run& run, const Requirement& r) {
  const ChannelPlan plan = plan_drawn_channels(r, run.problem, directions_of(run));
  if (is_integral(r) || plan.along.empty()) return "";
  return fmt::format(
      "{}: its Laplacian in training along {} directions a step, {} channels; judged by all of "
      "them\n",
      r.name, plan.along.size(), plan.table->size());
}

std::string products_text(double count) {
  return std::isfinite(count) ? fmt::format("{:.0f}", count) : "too many to count";
}

}  // namespace

std::vector<Derivatives> choose_derivatives(const Run& run, const Model& model,
                                            std::string& report) {
  std::vector<Derivatives> chosen;
  for (const Requirement& r : run.problem.requirements) {
    report += drawn_text(run, r);
    const ProductCount count = count_products(model, r);
    const std::string& asked = run.options.derivatives;
    chosen.push_back(asked == "reverse" ? Derivatives::reverse
                     : asked == "auto"  ? count.cheaper()
                                        : Derivatives::taylor);
    report += fmt::format(
        "{}: {} derivatives, {} channels ({} multiplications a point; taylor {}, reverse {})\n",
        r.name, name_of(chosen.back()), plan_channels(r, run.problem).table->size(),
        products_text(chosen.back() == Derivatives::taylor ? count.taylor : count.reverse),
        products_text(count.taylor), products_text(count.reverse));
  }
  return chosen;
}

namespace {

struct Kind {
  const char* name;
  Products products;
  bool on_gpu;
  const char* says;
};
constexpr Kind product_kinds[] = {
    {"tf32", Products::tf32, true, "of factors rounded to 11 bits (TF32)"},
    {"3xtf32", Products::tf32x3, true, "each as three of halves in TF32"},
    {"bf16x3", Products::bf16x3, false,
     "from three bf16 parts of each number, on the processor's tile unit (AMX)"},
};

}  // namespace

ProductsChoice choose_products(const Run& run, Device device, bool eager, bool tiles) {
  const auto kind = std::find_if(std::begin(product_kinds), std::end(product_kinds),
                                 [&](const Kind& k) { return k.name == run.options.products; });
  if (kind == std::end(product_kinds)) return {};
  const auto refused = [&](const std::string& why, const std::string& fix) {
    const std::string where = "[run] products = \"" + run.options.products + "\"";
    return ProductsChoice{.refusal = Report{"products are exact, since " + why, where, fix}};
  };
  if (kind->on_gpu && device.is_cpu())
    return refused("the run computes on a CPU",
                   "leave products out, or set it to \"bf16x3\", which is for CPUs with AMX");
  if (!kind->on_gpu && !device.is_cpu())
    return refused("the run computes on a GPU",
                   "leave products out, or set it to \"3xtf32\", which is for GPUs");
  if (!kind->on_gpu && !tiles)
    return refused("this processor, or its system, has no tiles of bf16 (amx_bf16)",
                   "leave products out; results are as accurate without");
  const auto float32 = [](const Stage& s) { return s.precision == "float32"; };
  if (std::none_of(run.stages.begin(), run.stages.end(), float32))
    return refused("no stage computes in float32",
                   "set precision = \"float32\" for a stage, or leave products out");
  if (eager)
    return refused("the step runs op by op", "leave products out: it is for compiled steps");
  return {.products = kind->products,
          .says = std::string("products of wide layers in float32 stages: ") + kind->says};
}

}  // namespace pinn
