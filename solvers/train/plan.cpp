// Plan of a run, a function for each of its parts in their order: cut in two, neither half would say
// what a plan has.
#include "solvers/train/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/core/parallel.h"
#include "data/sampling/quadrature.h"
#include "solvers/optimize/kinds.h"
#include "solvers/points/adaptive_points.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/checks.h"
#include "solvers/problem/integrals.h"
#include "solvers/problem/point_formula.h"
#include "solvers/records/checkpoints/record.h"
#include "solvers/records/logs/run_log.h"
#include "solvers/residual/step/traced_sweep.h"
#include "solvers/results/reference_error.h"
#include "solvers/results/values.h"
#include "solvers/state/choices.h"
#include "solvers/state/windows.h"
#include "solvers/train/adapt/ramp.h"
#include "solvers/train/train.h"
#include "solvers/train/trained_part.h"
#include "solvers/watch/warnings.h"

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
  const std::vector<Coordinate>& all = problem.coordinates;
  for (std::size_t first = 0, end; first < all.size(); first = end) {
    end = end_of_alike(all, first);
    const Coordinate& c = all[first];
    const std::string names =
        end == first + 1 ? c.name : fmt::format("{} to {}", c.name, all[end - 1].name);
    text += fmt::format("  {} in [{:g}, {:g}] {} ({})\n", names, c.lower, c.upper, c.unit,
                        roles[int(c.role)]);
  }
  return text;
}

std::string functions_text(const Problem& problem) {
  std::string text;
  for (const NamedFunction& f : problem.functions) {
    const TableOptions& options = f.table->options();
    const auto ranges = f.table->ranges();
    std::string inputs, where;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      inputs += (i == 0 ? "" : ", ") + options.inputs[i];
      where += fmt::format("{}{} in [{:g}, {:g}]", i == 0 ? "" : ", ", options.inputs[i],
                           ranges[i][0], ranges[i][1]);
    }
    text += fmt::format("  {}({}) from {}: {}, {}; {}, outside {}\n", f.name, inputs, f.file,
                        f.table->extent(), where, name_of(options.interpolation),
                        name_of(options.outside));
  }
  return text.empty() ? "" : "functions\n" + text;
}

/// How large the region of a requirement is, in its own dimension.
std::string where_text(const Requirement& r) {
  if (!r.region) return "";
  return fmt::format(" {}, measure {:.6g}", r.on.empty() ? "in the interior" : "on " + r.on,
                     r.region->measure());
}

/// How many points of which kind.
std::string points_text(const Run& run, std::size_t r) {
  const Requirement& q = run.problem.requirements[r];
  if (q.data)
    return fmt::format("{} data points{}", q.data->count,
                       q.data->missing == 0 ? "" : fmt::format(", {} missing", q.data->missing));
  if (q.region && q.region->dimension() == 0) {  // whatever was asked for
    const std::size_t count = point_count(run, r);
    return fmt::format("{} point{}", count, count == 1 ? "" : "s");
  }
  if (is_integral(q)) {
    const std::size_t count = point_count(run, r);
    return has_panels(*q.region)
               ? fmt::format("{} nodes, {} along each coordinate", count, q.quadrature)
               : fmt::format("{} nodes", count);
  }
  return fmt::format("{} {} points", run.sampling[r].count, run.sampling[r].method);
}

/// Worth of points by a density.
std::string density_text(const Run& run, std::size_t r) {
  if (!run.sampling[r].density) return "";
  const BoundedDensity density(run.sampling[r].density, *run.problem.requirements[r].region);
  return fmt::format(", by a density (means as certain as over {:.2g} times as many even ones)",
                     density.worth());
}

std::string requirements_text(const Run& run) {
  std::string text = "requirements\n";
  for (std::size_t i = 0; i < run.problem.requirements.size(); ++i) {
    const Requirement& r = run.problem.requirements[i];
    text += fmt::format(
        "  {}: {}{}{}{}\n", r.name, points_text(run, i), where_text(r), density_text(run, i),
        run.sampling[i].redraw > 0 ? fmt::format(", redrawn every {} steps", run.sampling[i].redraw)
                                   : "");
    for (const Residual& residual : r.residuals)
      text += fmt::format(
          "    {}  (weight {})\n", residual.text.value,
          residual.weight_at ? residual.weight_at->text() : fmt::format("{:g}", residual.weight));
  }
  return text;
}

std::string network_text(const Network& network) {
  return fmt::format("{}: {} parameters\n", network.description().text(),
                     network.parameter_count());
}

std::string networks_text(const Run& run, const Model& model) {
  const std::vector<ModelNetwork>& all = model.networks();
  std::vector<std::string> unknowns;
  for (const Unknown& u : run.problem.unknowns) unknowns.push_back(u.name);
  const std::string beside = unknowns.empty() ? "" : "  unknowns: " + joined(unknowns) + "\n";
  if (all.size() == 1) return "network\n  " + network_text(*all[0].network) + beside;
  std::string text = "networks\n";
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::vector<std::string> fields;
    for (const Field& f : run.problem.fields)
      if (f.network == int(k)) fields.push_back(f.name);
    text += fmt::format("  {}: {}", all[k].network->name(), network_text(*all[k].network));
    text += fmt::format("    of {}\n", joined(fields));
  }
  return text + fmt::format("  {} parameters in all\n", model.network_parameters()) + beside;
}

/// Sampling of a stage: the scheme, and the requirements whose points it chooses.
std::string sampling_text(const Run& run, const Stage& stage) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r)
    if (are_adaptive(run, stage, r)) names.push_back(run.problem.requirements[r].name);
  if (names.empty()) return "";
  return fmt::format("    points by {} every {} steps, from {} candidates: {}\n",
                     stage.sampling.kind, stage.sampling.every, stage.sampling.candidates,
                     joined(names));
}

std::string weights_text(const Stage& s) {
  std::string text;
  if (s.average > 0) text += fmt::format("    averages its parameters, {:g} a step\n", s.average);
  if (!s.weighting.kind.empty())
    text += fmt::format("    weights of terms by {} every {} steps\n", s.weighting.kind,
                        s.weighting.every);
  if (!s.pointwise.kind.empty())
    text += fmt::format("    weights of points by {} every {} steps\n", s.pointwise.kind,
                        s.pointwise.every);
  if (s.causal.chunks > 0)
    text += fmt::format("    later times wait, in {} chunks with tolerance {:g}, every {} steps\n",
                        s.causal.chunks, s.causal.tolerance, s.causal.every);
  return text;
}

std::string ramp_text(const Run& run, const Stage& s) {
  std::string text = s.train.empty() ? "" : fmt::format("    trains {} only\n", joined(s.train));
  for (const Ramp& ramp : s.ramp)
    text += fmt::format("    {} from {:g} to {:g} in {} levels\n", ramp.constant, ramp.from,
                        ramped_values(run, s, s.optimizer.steps).at(ramp.constant), ramp.levels);
  return text;
}

/// Needs of a method that may need too much.
std::string needs_text(const Run& run, const Stage& s, const Model& model, Ranks& ranks) {
  const OptimizerKind& kind = optimizer_kind(s.optimizer.kind);
  if (!kind.instead) return "";
  const TrainedSize size = trained_size(run, s, model, ranks);
  const OptimizerNeeds needs = kind.needs(s.optimizer, size);
  return fmt::format(
      "    {:.3g} MiB to remember, {:.3g} MiB to work with, {:.3g} Gflop a step beside the "
      "loss{}\n",
      needs.remembers / (1 << 17), needs.works_with / (1 << 17), needs.flops / 1e9,
      kind.asks_for_rows ? fmt::format(", of {} rows", size.rows) : "");
}

std::string stages_text(const Run& run, const Model& model, Ranks& ranks) {
  std::string text = "stages\n";
  for (const Stage& s : run.stages) {
    text += fmt::format(
        "  {}: {} steps of {}, {}{}\n", s.name, s.optimizer.steps, s.optimizer.kind,
        s.precision.empty() ? "float64" : s.precision,
        s.batch > 0 ? fmt::format(", {} points of a requirement at a time", s.batch) : "");
    text += needs_text(run, s, model, ranks) + ramp_text(run, s) + sampling_text(run, s) +
            weights_text(s);
  }
  return text;
}

/// Each window trains all stages.
std::string windows_text(const Run& run) {
  if (window_count(run) == 1) return "";
  std::string edges;
  for (const double edge : run.windows.edges)
    edges += fmt::format("{}{:g}", edges.empty() ? "" : ", ", edge);
  return fmt::format("windows\n  {} of {}, cut at {}\n", window_count(run),
                     run.problem.coordinates[std::size_t(time_of(run.problem))].name, edges);
}

/// The steps of all requirements, traced as training traces them, but for the number type.
std::vector<TracedSweep> steps_of(const Run& run, const std::shared_ptr<const Model>& model) {
  std::string ignored;
  const std::vector<Derivatives> ways = choose_derivatives(run, *model, ignored);
  const auto saved = std::make_shared<const SavedPolicy>(run.memory.when_compiled());
  std::vector<TracedSweep> steps;
  for (std::size_t r = 0; r < run.problem.requirements.size(); ++r) {
    PartOptions part = traced_part(model, r);
    part.derivatives = ways[r];
    if (!part.integrands) part.directions = directions_of(run);
    part.saved = saved;
    steps.push_back(trace_sweep(part, PointWidths(sample_points(run, r)), Sweep::gradient));
  }
  return steps;
}

/// Reports on the plans of all steps.
std::vector<PlanReport> reports_of(const Run& run, const std::shared_ptr<const Model>& model) {
  std::vector<PlanReport> reports;
  for (const TracedSweep& step : steps_of(run, model)) reports.push_back(report(plan(step.graph)));
  return reports;
}

std::string steps_text(const Run& run, const std::vector<PlanReport>& reports) {
  std::string text = "compiled step\n";
  for (std::size_t r = 0; r < reports.size(); ++r) {
    const PlanReport& plan_of = reports[r];
    text += fmt::format(
        "  {}: {} instructions, {:.3g} kflop per point ({:.0f} % in products), blocks of {} points "
        "in {:.3g} KiB\n",
        run.problem.requirements[r].name, plan_of.instructions, plan_of.flops / 1e3,
        100 * plan_of.product_flops / std::max(1.0, plan_of.flops), plan_of.block,
        double(plan_of.arena_bytes) / 1024);
  }
  return text;
}

std::string saved_text(const Run& run) {
  const SavedOptions& saved = run.memory;
  const bool moves_to_host = saved.kind == "cpu" && !device_of(run).device.is_cpu();
  if (saved.kind == "cpu" && !moves_to_host)
    return "  saved tensors are in the host's memory already: nothing is copied\n";
  if (saved.kind == "keep") return "";
  const std::string sized =
      fmt::format("saved tensors of {:g} KiB or more", saved.threshold / 1024.);
  if (saved.rounds())
    return fmt::format(
        "  {} are rounded to {}; the compiled step does so too, whatever their size\n", sized,
        saved.kind);
  return "  the compiled step keeps what its small blocks save; only with --eager " +
         (moves_to_host ? sized + " wait in pinned memory of the host\n"
          : saved.kind == "disk"
              ? sized + " wait in a file without a name in the run folder\n"
              : "four layers at a time save their input and are computed again\n");
}

/// Parameters, optimizer memory, points, and each thread's block of every requirement.
double bytes_of(const Run& run, const Model& model, const std::vector<PlanReport>& reports,
                Ranks& ranks) {
  const double p = double(model.parameter_count());
  double optimizer = 0, points = 0, blocks = 0, candidates = 0, most = 1;
  for (const Stage& s : run.stages) {
    if (!s.sampling.kind.empty()) candidates = std::max(candidates, double(s.sampling.candidates));
    if (s.sampling.kind == "rar") most = std::max(most, s.sampling.most);
    const OptimizerNeeds needs =
        optimizer_kind(s.optimizer.kind).needs(s.optimizer, trained_size(run, s, model, ranks));
    optimizer += 2 * needs.remembers + needs.works_with;
  }
  for (std::size_t i = 0; i < run.problem.requirements.size(); ++i) {
    const Requirement& r = run.problem.requirements[i];
    const double count = r.data ? double(r.data->count) : double(run.sampling[i].count);
    const double kept = are_adaptive(run, i) ? 2 * most : 1;                // in the state, too
    points += (1 + kept) * count * double(run.problem.coordinates.size());  // and as many held out
    blocks += double(reports[i].arena_bytes);
  }
  const int threads = run.options.threads > 0 ? run.options.threads : available_threads();
  candidates *= double(run.problem.coordinates.size() + 4);
  return 8 * (optimizer + 6 * p + points + candidates) + double(threads) * blocks;
}

std::string indented(const std::string& lines) {
  std::string text;
  for (std::size_t at = 0, end; at < lines.size(); at = end + 1) {
    end = std::min(lines.find('\n', at), lines.size());
    text += (at == end ? "" : "  ") + lines.substr(at, end - at) + "\n";
  }
  return text;
}

std::string values_text(const Run& run) {
  const ValueMeter meter(run, result_nodes);
  std::string text;
  for (std::size_t k = 0; k < run.output.values.size(); ++k) {
    const OutputValue& value = run.output.values[k];
    text += fmt::format("  {} = {}", value.name, value.text);
    if (value.region)
      text += fmt::format(" on {}, {} nodes", value.on.empty() ? "the interior" : value.on,
                          meter.nodes(k));
    text += "\n";
  }
  return text.empty() ? "" : "values\n" + text;
}

std::string each_text(const Ranks& ranks) {
  return ranks.count() > 1 ? fmt::format(" on each of {} ranks", ranks.count()) : "";
}

std::string seams_lines(const Problem& problem) {
  const std::string text = seams_text(problem);
  return text.empty() ? "" : "periodic\n" + indented(text + "\n");
}

/// Also finds out whether the formulas can be compared with.
std::string reference_text(const Run& run) {
  const Known known = known_of(run);
  if (known.names.empty()) return "";
  return fmt::format("reference\n  {} at {} {}\n", joined(known.names), known.points.count,
                     run.reference.solution ? "nodes of a file" : "points for formulas");
}

}  // namespace

std::size_t end_of_alike(const std::vector<Coordinate>& all, std::size_t first) {
  constexpr std::size_t many = 7;  // few stand alone
  std::size_t end = first + 1;
  const auto alike = [&](const Coordinate& a, const Coordinate& b) {
    return a.lower == b.lower && a.upper == b.upper && a.unit == b.unit && a.role == b.role;
  };
  while (end < all.size() && alike(all[first], all[end])) ++end;
  return end - first >= many ? end : first + 1;
}

double estimated_bytes(const Run& run, Ranks& ranks) {
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  return bytes_of(run, *model, reports_of(run, model), ranks);
}

std::string plan_text(const Run& run, Ranks& ranks) {
  const ChosenDevice device = device_of(run);
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  std::string derivatives;
  choose_derivatives(run, *model, derivatives);
  const std::vector<PlanReport> reports = reports_of(run, model);
  std::string text = run.name + "\n" + coordinates_text(run.problem) + functions_text(run.problem) +
                     requirements_text(run) + seams_lines(run.problem) +
                     overlaps_text(run.problem) + networks_text(run, *model) +
                     stages_text(run, *model, ranks) + windows_text(run) + "device\n  " +
                     device.text + "\nderivatives\n" + indented(derivatives) +
                     steps_text(run, reports);
  const ProductsChoice products = choose_products(run, device.device, false, multiplies_tiles());
  if (!products.says.empty()) text += "products\n  " + products.says + "\n";
  text += fmt::format("memory\n  about {:.0f} MiB{}\n",
                      bytes_of(run, *model, reports, ranks) / (1 << 20), each_text(ranks));
  text += saved_text(run) + reference_text(run) + values_text(run);
  for (const std::string& name : exact_residuals(run.problem))
    text += "exact by the hard constraint: " + name + "\n";
  if (!run.chosen.empty()) text += "chosen, where the file does not say\n" + indented(run.chosen);
  return text;
}

std::string plan_json(const Run& run, Ranks& ranks) {
  JsonObject json;
  add_reports(json, "errors", {});
  add_reports(json, "warnings", warnings_of(run));
  add_run(json, run);
  const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  return json.add("parameters", std::int64_t(model.parameter_count()))
             .add("bytes", estimated_bytes(run, ranks))
             .add("plan", std::string_view(plan_text(run, ranks)))
             .text() +
         "\n";
}

std::string mistakes_json(const ConfigError& mistakes) {
  JsonObject json;
  add_reports(json, "errors", mistakes.reports);
  return json.text() + "\n";
}

std::string steps_dump(const Run& run, bool drawing) {
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  const std::vector<TracedSweep> steps = steps_of(run, model);
  std::string text;
  for (std::size_t r = 0; r < steps.size(); ++r)
    text += drawing ? to_dot(steps[r].graph)
                    : fmt::format("{}\n\n{}\n{}\n", run.problem.requirements[r].name,
                                  to_text(steps[r].graph), to_text(plan(steps[r].graph)));
  return text;
}

}  // namespace pinn
