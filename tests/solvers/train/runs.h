#pragma once
#include "solvers/problem/parse.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/train/train.h"
#include "tests/data/files/folder.h"
#include "tests/solvers/residual/problems.h"
#include "tests/solvers/train/identical.h"

/// Small whole runs made by hand for the tests of this folder.
namespace pinn::test {

inline Stage stage(const std::string& kind, long steps, const std::string& precision = "float64") {
  Stage s{.name = kind, .optimizer = {}, .precision = precision};
  s.optimizer.kind = kind;
  s.optimizer.steps = steps;
  s.optimizer.history = 5;
  s.optimizer.rate = kind == "sgd" ? 1e-4 : 1e-2;
  s.optimizer.momentum = kind == "sgd" ? 0.9 : 0;
  return s;
}

/// A quantity with the formula that it is compared with.
inline ReferenceQuantity exact(const std::string& name, const std::string& formula,
                               const Problem& problem) {
  Warnings warnings;
  return {name, parse_expression(text(name), Scope{problem}, warnings),
          parse_expression(text(formula), Scope{problem, Scope::Use::formula}, warnings)};
}

/// A run of a problem, with all else that it needs; one output point per field and coordinate asks
/// little.
inline Run run_of(const Problem& problem, std::vector<Stage> stages) {
  Run run;
  run.name = "small";
  run.path = "small.toml";
  run.problem = problem;
  run.sampling.resize(problem.requirements.size());
  for (SamplingOptions& s : run.sampling) s.count = 24;
  run.networks = {layers({6})};
  run.stages = std::move(stages);
  for (std::size_t i = 0; i < run.stages.size(); ++i)
    run.effective["stage." + std::to_string(i + 1) + ".steps"] =
        std::to_string(run.stages[i].optimizer.steps);
  run.options.threads = 1;
  run.options.checkpoint = {0, 0};
  run.output.grid.assign(problem.coordinates.size(), 41);
  Warnings warnings;
  for (const Field& f : problem.fields) {
    run.output.fields.push_back(text(f.name));
    run.output.expressions.push_back(parse_expression(text(f.name), Scope{problem}, warnings));
  }
  return run;
}

/// u'' = -pi^2 sin(pi x), u = 0 at the ends by its form: u = sin(pi x).
inline Run poisson_run(std::vector<Stage> stages) {
  auto p = problem({"x"}, {"u"}, {"u_xx = -pi^2*sin(pi*x)"});
  Warnings warnings;
  const Scope output{*p, Scope::Use::output};
  p->outputs[0] = parse_expression(text("(1 - x^2)*N"), output, warnings);
  Run run = run_of(*p, std::move(stages));
  run.reference.quantities = {exact("u", "sin(pi*x)", run.problem)};
  return run;
}

/// The same with all that a state can hold: an unknown factor k of the right-hand side, readings of
/// u that tell it, the ends as a condition, and equation and condition redrawn every 7 and 11
/// steps.
inline Run inverse_run(std::vector<Stage> stages) {
  auto p = problem({"x"}, {"u"}, {});
  p->unknowns.push_back({"k", 0.3, 0.01, 20.0, true});
  Warnings warnings;
  p->requirements[0].residuals.push_back(
      {"poisson", parse_residual(text("u_xx = -k*sin(pi*x)"), Scope{*p}, warnings), 1, text("")});
  Requirement ends;
  ends.kind = Requirement::Kind::condition;
  ends.name = "ends";
  ends.on = "boundary";
  ends.region = parse_region({text("boundary")}, *p);
  ends.residuals.push_back(
      {"ends", parse_residual(text("u = 0"), Scope{*p}, warnings), 2, text("u = 0")});
  p->requirements.push_back(ends);
  Requirement readings;
  readings.kind = Requirement::Kind::data;
  readings.name = "readings";
  readings.data.emplace();
  readings.data->columns = {"u_obs"};
  for (double x = -0.9; x < 1; x += 0.2) {
    readings.data->rows.push_back(x);
    readings.data->values.push_back(std::sin(3.14159265358979 * x));
    ++readings.data->count;
  }
  readings.residuals.push_back(
      {"readings",
       parse_residual(text("u = u_obs"), Scope{.problem = *p, .columns = {"u_obs"}}, warnings), 1,
       text("u = u_obs")});
  p->requirements.push_back(readings);
  Run run = run_of(*p, std::move(stages));
  run.sampling[0].redraw = 7;
  run.sampling[1].redraw = 11;
  run.reference.quantities = {exact("u", "sin(pi*x)", run.problem)};
  return run;
}

inline TrainRequest request(const std::string& folder, bool resume = false) {
  TrainRequest r;
  r.folder = {.name = "small", .out = folder, .resume = resume};
  r.style = ProgressStyle::quiet;
  return r;
}

inline TrainState saved_state(const std::string& folder) {
  TrainState state = newest_checkpoint(folder).checkpoint.value().state;
  state.seconds = 0;
  state.history.speed.clear();  // all else must be the same to the last bit
  return state;
}

/// metrics.jsonl without seconds and speed, which stand last and are all that a clock decides.
inline std::string metrics_of(const std::string& folder) {
  std::string text = read_file(folder + "/metrics.jsonl");
  for (std::size_t at; (at = text.find(",\"seconds\"")) != text.npos;)
    text.erase(at, text.find('}', at) - at);
  return text;
}

/// Trains with a pause after every single step; each sitting has another number of threads.
inline int train_step_by_step(Run run, const std::string& folder) {
  run.options.max_time = 1e-9;
  for (int sitting = 1;; ++sitting) {
    run.options.threads = 1 + sitting % 2;
    if (!train(run, request(folder, true)).interrupted) return sitting;
  }
}

/// True if two runs end with the same state, to the last bit, and told the same.
inline bool are_same(const std::string& folder, const std::string& other) {
  return identical(saved_state(folder), saved_state(other)) &&
         metrics_of(folder) == metrics_of(other);
}

/// The state that a run ends with.
inline TrainState state_after(const Run& run, bool eager = false) {
  const Folder folder;
  TrainRequest how = request(folder / "run");
  how.eager = eager;
  train(run, how);
  return saved_state(folder / "run");
}

}  // namespace pinn::test
