#include "solvers/records/checkpoints/record.h"
#include "solvers/records/logs/run_log.h"
#include "solvers/report/sections.h"
#include "solvers/results/results.h"
#include "solvers/watch/follow.h"
#include "solvers/watch/warnings.h"

namespace pinn {
namespace {

JsonObject numbers(const std::map<std::string, double>& all) {
  JsonObject json;
  for (const auto& [name, value] : all) json.add(name, value);
  return json;
}

/// The errors that the run estimated of its fields, or why it did not.
void add_estimates(JsonObject& json, const RecordedTrust& trust) {
  std::vector<JsonObject> all;
  for (const RecordedEstimate& e : trust.estimates)
    all.emplace_back()
        .add("field", std::string_view(e.field))
        .add("says", std::string_view(e.word()))
        .add("relative", e.relative)
        .add("absolute", e.absolute)
        .add("explained", e.explained);
  json.add("estimated_errors", all);
  if (all.empty()) json.add("no_estimated_errors", std::string_view(trust.no_estimates));
  JsonObject scatter;
  for (const auto& [name, error] : trust.standard_errors) scatter.add(name, error);
  json.add("standard_errors", scatter);
  if (trust.standard_errors.empty())
    json.add("no_standard_errors", std::string_view(trust.no_standard_errors));
}

/// Distances from the reference: relative L2 errors, with what the file promises of each.
std::vector<JsonObject> reference_errors(const ReportedRun& r) {
  std::vector<JsonObject> all;
  for (const auto& [name, error] : r.checkpoint.state.best.errors) {
    JsonObject& one = all.emplace_back();
    one.add("name", std::string_view(name)).add("relative", error);
    if (const double most = pages::promised(r.run, name); !std::isnan(most))
      one.add("promised", most);
  }
  return all;
}

JsonObject history(const LossHistory& h) {
  std::vector<double> steps(h.steps.begin(), h.steps.end());
  JsonObject columns;
  for (std::size_t k = 0; k < h.columns.size(); ++k) {
    std::vector<double> values;
    for (std::size_t i = 0; i < h.steps.size(); ++i)
      values.push_back(h.values[i * h.columns.size() + k]);
    columns.add(h.columns[k], values);
  }
  return JsonObject().add("steps", steps).add("columns", columns);
}

JsonObject made_by(const RunRecord& record) {
  JsonObject hashes;
  for (const auto& [file, hash] : record.hashes) hashes.add(file, std::string_view(hash));
  return JsonObject()
      .add("program", std::string_view(record.program))
      .add("device", std::string_view(record.device))
      .add("processor", std::string_view(record.processor))
      .add("instructions", std::string_view(record.instruction_set))
      .add("overrides", record.overrides)
      .add("hashes", hashes);
}

JsonObject run_json(const ReportedRun& r) {
  const TrainState& state = r.checkpoint.state;
  JsonObject json;
  json.add("folder", std::string_view(r.folder));
  add_run(json, r.run);
  json.add("step", state.step)
      .add("seconds", state.seconds)
      .add("done", std::int64_t(state.stage >= std::ssize(r.run.stages) ? 1 : 0))
      .add("network_of", std::string_view(which_network(state)))
      .add("held_out_residual", state.best.parameters.empty() ? NAN : state.best.residual)
      .add("found", numbers(pages::found_numbers(r)))
      .add("reference_errors", reference_errors(r));
  add_estimates(json, pages::trust_of(r));
  add_reports(json, "warnings", warnings_in(status_json_of(r.folder)));
  return json.add("history", history(state.history)).add("made_by", made_by(r.checkpoint.record));
}

}  // namespace

std::string report_json(const std::vector<ReportedRun>& runs) {
  std::vector<JsonObject> all;
  for (const ReportedRun& r : runs) all.push_back(run_json(r));
  return JsonObject().add("runs", all).text() + "\n";
}

}  // namespace pinn
