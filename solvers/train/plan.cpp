#include "solvers/train/plan.h"

#include <fmt/format.h>

#include "autograd/core/parallel.h"
#include "solvers/problem/coverage.h"
#include "solvers/train/train.h"

namespace pinn {
namespace {

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& p : parts) text += (text.empty() ? "" : ", ") + p;
  return text;
}

std::string coordinates_text(const Problem& problem) {
  std::string text = "coordinates\n";
  constexpr const char* roles[] = {"space", "time", "parameter"};
  for (const Coordinate& c : problem.coordinates)
    text += fmt::format("  {} in [{:g}, {:g}] {} ({})\n", c.name, c.lower, c.upper, c.unit,
                        roles[int(c.role)]);
  return text;
}

std::string requirements_text(const Run& run) {
  std::string text = "requirements\n";
  for (std::size_t i = 0; i < run.problem.requirements.size(); ++i) {
    const Requirement& r = run.problem.requirements[i];
    const std::size_t points = r.data ? r.data->count : std::size_t(run.sampling[i].count);
    text += fmt::format(
        "  {}: {} {} points{}\n", r.name, points, r.data ? "data" : run.sampling[i].method,
        run.sampling[i].redraw > 0 ? fmt::format(", redrawn every {} steps", run.sampling[i].redraw)
                                   : "");
    for (const Residual& residual : r.residuals)
      text += fmt::format("    {}  (weight {:g})\n", residual.text.value, residual.weight);
  }
  return text;
}

std::string network_text(const Run& run, const Model& model) {
  std::vector<std::string> layers;
  for (const int n : run.network.layers) layers.push_back(std::to_string(n));
  return fmt::format("network\n  layers {}, activation {}, {}: {} parameters\n", joined(layers),
                     joined(run.network.activation), run.network.initialization,
                     model.parameter_count());
}

std::string stages_text(const Run& run) {
  std::string text = "stages\n";
  for (const Stage& s : run.stages)
    text += fmt::format("  {}: {} steps of {}, {}\n", s.name, s.optimizer.steps, s.optimizer.kind,
                        s.precision.empty() ? "float64" : s.precision);
  return text;
}

/// As an error, but for its first word.
std::string warning_text(const Report& report) {
  return "warning" + to_string(report).substr(std::string_view("error").size()) + "\n";
}

}  // namespace

double estimated_bytes(const Run& run) {
  const Model model(std::make_shared<const Problem>(run.problem), run.network);
  const double p = double(model.parameter_count());
  double optimizer = 0, points = 0;
  for (const Stage& s : run.stages) {
    const std::string& kind = s.optimizer.kind;
    optimizer += kind == "ssbroyden" ? p * p
                 : kind == "lbfgs"   ? 2 * s.optimizer.history * p
                                     : 2 * p;
  }
  int channels = 1;
  for (std::size_t i = 0; i < run.problem.requirements.size(); ++i) {
    const Requirement& r = run.problem.requirements[i];
    const int c = plan_channels(r, run.problem).table->size();
    channels = std::max(channels, c);
    const double count = r.data ? double(r.data->count) : double(run.sampling[i].count);
    points += 2 * count * double(run.problem.coordinates.size()) * (1 + c);  // and as many held out
  }
  const int threads = run.options.threads > 0 ? run.options.threads : available_threads();
  // A block's jet is a quarter of a MiB per layer; forward and reverse keep about six of them.
  const double blocks = double(threads) * double(run.network.layers.size() + 1) * 6 * (1 << 18);
  return 8 * (2 * optimizer + 6 * p + points) + blocks;
}

std::string plan_text(const Run& run, const Warnings& warnings) {
  check_device(run);
  const Model model(std::make_shared<const Problem>(run.problem), run.network);
  std::string derivatives;
  choose_derivatives(run, model, derivatives);
  std::string text = run.name + "\n" + coordinates_text(run.problem) + requirements_text(run) +
                     network_text(run, model) + stages_text(run) + "derivatives\n";
  for (std::size_t at = 0, end; at < derivatives.size(); at = end + 1) {
    end = derivatives.find('\n', at);
    text += "  " + derivatives.substr(at, end - at) + "\n";
  }
  text += fmt::format("memory\n  about {:.0f} MiB\n", estimated_bytes(run) / (1 << 20));
  for (const std::string& name : exact_residuals(run.problem))
    text += "exact by the hard constraint: " + name + "\n";
  Warnings all = warnings;
  for (const Report& r : uncovered_faces(run.problem)) all.push_back(r);
  for (const Report& r : all) text += warning_text(r);
  return text;
}

}  // namespace pinn
