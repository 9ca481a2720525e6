#include "configs/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/network.h"
#include "solvers/problem/coverage.h"

namespace pinn {
namespace {

std::string role(Role r) {
  return r == Role::time ? " (time)" : r == Role::parameter ? " (parameter)" : "";
}

std::string unit(const std::string& u) { return u.empty() ? "" : " " + u; }

Network network(const Run& run) {
  std::vector<InputRange> inputs;
  for (const Coordinate& c : run.problem.coordinates) inputs.push_back({c.name, c.lower, c.upper});
  return Network(run.network, inputs, int(run.problem.fields.size()));
}

std::string names_text(const Problem& p) {
  std::string text;
  for (const Coordinate& c : p.coordinates)
    text += fmt::format("  coordinate   {} from {} to {}{}{}\n", c.name, c.lower, c.upper,
                        unit(c.unit), role(c.role));
  for (const Field& f : p.fields)
    text += fmt::format("  field        {}{}\n", f.name, unit(f.unit));
  for (const Constant& c : p.constants)
    text += fmt::format("  constant     {} = {}\n", c.name, c.value);
  for (const Unknown& u : p.unknowns)
    text += fmt::format("  unknown      {}, starts at {}{}\n", u.name, u.start,
                        u.log ? ", by its logarithm" : "");
  return text;
}

std::string requirement_text(const Requirement& r, const SamplingOptions& s) {
  const char* kinds[] = {"equation", "condition", "data"};
  const std::size_t count = r.data                                   ? r.data->count
                            : r.region && r.region->dimension() == 0 ? 1
                                                                     : std::size_t(s.count);
  const std::string from = r.data ? "from " + r.data->file : s.method;
  std::string text =
      fmt::format("  {:<12} {}: {} points, {}{}\n", kinds[int(r.kind)], r.name, count, from,
                  s.redraw > 0 && !r.data ? fmt::format(", redrawn every {} steps", s.redraw) : "");
  if (!r.on.empty()) text += fmt::format("  {:<12}   on {}\n", "", r.on);
  for (const Residual& one : r.residuals)
    text += fmt::format("  {:<12}   {}\n", "", one.text.value);
  return text;
}

std::string stage_text(const Stage& s, std::int64_t parameters) {
  const OptimizerOptions& o = s.optimizer;
  std::string text =
      fmt::format("  stage        {}: {}, {} steps, {}", s.name, o.kind, o.steps, s.precision);
  if (o.kind == "ssbroyden") {
    const double p = double(parameters);
    text += fmt::format(", {:.1f} MiB for the inverse Hessian", 8 * p * (p + 1) / 2 / (1 << 20));
  }
  return text + "\n";
}

}  // namespace

std::int64_t parameter_count(const Run& run) {
  return network(run).parameter_count() + std::int64_t(run.problem.unknowns.size());
}

std::string check_report(const Run& run, const Warnings& warnings) {
  const std::int64_t parameters = parameter_count(run);
  std::string text = fmt::format("{}: {}\n", run.path, run.name) + names_text(run.problem);
  std::size_t points = 0;
  for (std::size_t i = 0; i < run.problem.requirements.size(); ++i) {
    text += requirement_text(run.problem.requirements[i], run.sampling[i]);
    points += std::size_t(run.sampling[i].count);
  }
  text += fmt::format("  network      {}, layers {}, {}: {} parameters\n", run.network.kind,
                      fmt::join(run.network.layers, ", "), fmt::join(run.network.activation, ", "),
                      parameters);
  for (const Stage& s : run.stages) text += stage_text(s, parameters);
  const double bytes = 8.0 * double(points) * double(run.problem.coordinates.size());
  text += fmt::format("  memory       {:.1f} MiB of points, {:.1f} MiB of parameters\n",
                      bytes / (1 << 20), 8.0 * double(parameters) / (1 << 20));
  text += fmt::format("  seed         {}\n", run.options.seed);
  Warnings all = warnings;
  for (const Report& r : uncovered_faces(run.problem)) all.push_back(r);
  for (const std::string& name : exact_residuals(run.problem))
    text += fmt::format("  exact        {}, by the hard constraints\n", name);
  for (const Report& r : all) {
    std::string warning = to_string(r);
    if (warning.starts_with("error")) warning.replace(0, 5, "warning");
    text += warning + "\n";
  }
  return text;
}

}  // namespace pinn
