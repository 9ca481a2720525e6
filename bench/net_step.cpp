#include "bench/net_step.h"

#include "autograd/core/stats.h"
#include "bench/tensors.h"
#include "data/geometry/region.h"
#include "solvers/problem/parse.h"

namespace pinn::bench {
namespace {

/// One residual, and nothing else.
std::shared_ptr<const Problem> problem_of(const std::string& residual) {
  auto problem = std::make_shared<Problem>();
  problem->coordinates = {{"x", -1, 1, Role::space, ""}, {"t", -1, 1, Role::time, ""}};
  problem->fields = {{"u", "", 1}};
  problem->outputs.resize(1);
  problem->periodic.resize(2, false);
  Requirement r;
  r.name = "equation";
  r.region = make_box({{-1, 1}, {-1, 1}});
  Warnings warnings;
  const Text text{residual, {"bench", 1, 1, residual}, true};
  r.residuals.push_back({r.name, parse_residual(text, Scope{*problem}, warnings), 1, text});
  problem->requirements.push_back(r);
  return problem;
}

}  // namespace

NetStep::NetStep(const std::string& residual, std::int64_t width, std::int64_t layers,
                 std::int64_t count, const std::string& activation) {
  NetworkOptions network;
  network.activation = {activation};
  network.layers.assign(std::size_t(layers), int(width));
  model = std::make_shared<const Model>(problem_of(residual), network);
  parameters = model->initial_parameters(0);
  for (const ParameterBlock& block : model->blocks()) {  // biases that are not 0
    if (block.shape.rank() != 1) continue;
    const std::vector<double> b = normals(std::size_t(block.shape.numel()), block.name);
    for (std::size_t i = 0; i < b.size(); ++i)
      parameters[std::size_t(block.offset) + i] = 0.1 * b[i];
  }
  for (double& p : parameters) p = float(p);
  points.count = std::size_t(count);
  points.x = uniforms(2 * points.count, "points", -1, 1);
}

std::unique_ptr<Loss> NetStep::loss(DType dtype, const Way& way, ThreadPool& pool,
                                    Device device) const {
  LossOptions options{dtype, {way.derivatives}, way.compiled};
  options.device = device;
  options.products = way.products;
  auto made = std::make_unique<Loss>(model, options, pool);
  made->set_points(0, points);
  return made;
}

double product_flops(const std::function<void()>& act) {
  stats() = {};
  stats().recording = true;
  act();
  double flops = 0;
  for (const ProductSize& p : stats().product_log)
    flops += 2 * double(p.m) * double(p.n) * double(p.k) * double(p.batch);
  stats() = {};
  return flops;
}

Said said(const NetStep& step, DType dtype, const Way& way, Device device, int threads) {
  ThreadPool pool(threads);
  Said s;
  s.gradient.resize(step.parameters.size());
  const std::unique_ptr<Loss> loss = step.loss(dtype, way, pool, device);
  s.flops =
      product_flops([&] { s.total = loss->value_and_gradient(step.parameters, s.gradient).total; });
  return s;
}

double gradient_difference(const Said& s, const Said& exact) {
  return distance(s.gradient, exact.gradient) / largest(exact.gradient);
}

Row row_of(std::shared_ptr<const NetStep> step, const Way& way, DType dtype, double flops,
           ThreadPool& pool, Device device) {
  Row row;
  row.name = way.name;
  row.flops = flops;
  row.facts.add("points", step->points.count).add("parameters", step->parameters.size());
  row.act = [loss = std::shared_ptr(step->loss(dtype, way, pool, device)), step,
             g = std::vector<double>(step->parameters.size())]() mutable {
    loss->value_and_gradient(step->parameters, g);
  };
  return row;
}

}  // namespace pinn::bench
