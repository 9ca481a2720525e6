#include "autograd/core/error.h"
#include "solvers/points/point_sets.h"
#include "solvers/problem/point_formula.h"
#include "solvers/records/checkpoints/record.h"
#include "solvers/records/logs/run_log.h"
#include "solvers/state/windows.h"

namespace pinn {
namespace {

using Objects = std::vector<JsonObject>;

Objects coordinates(const Problem& problem) {
  constexpr const char* roles[] = {"space", "time", "parameter"};
  Objects all;
  for (const Coordinate& c : problem.coordinates)
    all.emplace_back()
        .add("name", std::string_view(c.name))
        .add("from", c.lower)
        .add("to", c.upper)
        .add("role", std::string_view(roles[int(c.role)]))
        .add("unit", std::string_view(c.unit));
  return all;
}

Objects fields(const Run& run) {
  Objects all;
  for (const Field& f : run.problem.fields)
    all.emplace_back()
        .add("name", std::string_view(f.name))
        .add("unit", std::string_view(f.unit))
        .add("network", std::int64_t(f.network));
  return all;
}

Objects constants(const Problem& problem) {
  Objects all;
  for (const Constant& c : problem.constants)
    all.emplace_back()
        .add("name", std::string_view(c.name))
        .add("value", c.value)
        .add("text", std::string_view(c.text));
  return all;
}

Objects unknowns(const Problem& problem) {
  Objects all;
  for (const Unknown& u : problem.unknowns)
    all.emplace_back().add("name", std::string_view(u.name)).add("start", u.start);
  return all;
}

Objects residuals(const Requirement& requirement) {
  Objects all;
  for (const Residual& r : requirement.residuals) {
    JsonObject& one = all.emplace_back();
    one.add("name", std::string_view(r.name)).add("text", std::string_view(r.text.value));
    if (r.weight_at)
      one.add("weight", std::string_view(r.weight_at->text()));
    else
      one.add("weight", r.weight);
  }
  return all;
}

Objects requirements(const Run& run) {
  constexpr const char* kinds[] = {"equation", "condition", "data"};
  Objects all;
  for (std::size_t i = 0; i < run.problem.requirements.size(); ++i) {
    const Requirement& r = run.problem.requirements[i];
    JsonObject& one = all.emplace_back();
    one.add("name", std::string_view(r.name)).add("kind", std::string_view(kinds[int(r.kind)]));
    if (!r.on.empty()) one.add("on", std::string_view(r.on));
    one.add("points", std::int64_t(point_count(run, i)));
    one.add("line", std::int64_t(r.place.line)).add("residuals", residuals(r));
  }
  return all;
}

Objects networks(const Run& run) {
  Objects all;
  for (const Description& d : descriptions(run)) {
    JsonObject& one = all.emplace_back();
    one.add("name", std::string_view(d.name));
    for (const auto& [fact, value] : d.facts) one.add(fact, std::string_view(value));
  }
  return all;
}

Objects stages(const Run& run) {
  Objects all;
  for (const Stage& s : run.stages)
    all.emplace_back()
        .add("name", std::string_view(s.name))
        .add("optimizer", std::string_view(s.optimizer.kind))
        .add("steps", std::int64_t(s.optimizer.steps))
        .add("precision", std::string_view(s.precision.empty() ? "float64" : s.precision));
  return all;
}

}  // namespace

void add_run(JsonObject& json, const Run& run) {
  JsonObject in_force;
  for (const auto& [key, value] : run.effective) in_force.add(key, std::string_view(value));
  json.add("name", std::string_view(run.name))
      .add("file", std::string_view(run.path))
      .add("coordinates", coordinates(run.problem))
      .add("fields", fields(run))
      .add("constants", constants(run.problem))
      .add("unknowns", unknowns(run.problem))
      .add("requirements", requirements(run))
      .add("networks", networks(run))
      .add("stages", stages(run))
      .add("windows", std::int64_t(window_count(run)))
      .add("keys", in_force)
      .add("chosen", std::string_view(run.chosen));
}

}  // namespace pinn
