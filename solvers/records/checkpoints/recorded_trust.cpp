#include "solvers/records/checkpoints/recorded_trust.h"

#include <fmt/format.h>

#include "solvers/records/logs/json_text.h"

namespace pinn {
namespace {

RecordedEstimate estimate_of(std::string_view name, std::string_view json) {
  RecordedEstimate e{.field = json_text(name)};
  e.relative = json_number(json_entry(json, "relative"));
  e.absolute = json_number(json_entry(json, "absolute"));
  e.explained = json_number(json_entry(json, "explained"));
  const std::string_view at_least = json_entry(json, "at_least");
  e.at_least = at_least == "true" || json_number(at_least) > 0;
  return e;
}

/// Why a status says nothing of the result in a checkpoint; empty: it does.
std::string lack_of_status(std::string_view status, const Checkpoint& checkpoint) {
  if (status.empty()) return "there is no status.json in the folder";
  const std::string state = json_text(json_entry(status, "state"));
  if (state != "done") return "the run is not done, and errors are estimated at its end";
  const double step = json_number(json_entry(status, "step"));
  const std::int64_t saved = checkpoint.state.step;
  return step == double(saved)
             ? ""
             : fmt::format("status.json is of step {}, the checkpoint of step {}", step, saved);
}

/// The same where the status speaks of it and gives no reason.
std::string lack_of_words(const Checkpoint& checkpoint) {
  const auto& values = checkpoint.record.effective;
  const auto wanted = values.find("output.trust");
  return wanted != values.end() && wanted->second == "false"
             ? "[output] trust is false"
             : "the run wrote down none, and no reason";
}

}  // namespace

double RecordedEstimate::rounded() const {
  const double value = is_relative() ? relative : absolute;
  const double near = std::stod(fmt::format("{:.0e}", value));
  if (!at_least || !(value > 0) || near <= value) return near;
  const int power = int(std::floor(std::log10(value)));  // 9.6e-4 became 1e-3
  return std::stod(fmt::format("{:.0f}e{}", std::floor(value / std::pow(10, power)), power));
}

const char* RecordedEstimate::word() const { return at_least ? "at least" : "about"; }

std::string RecordedEstimate::text() const {
  if (!is_relative() && !std::isfinite(absolute)) return "not known";
  return fmt::format("{} {:.0e}{}", word(), rounded(), is_relative() ? "" : ", absolute");
}

std::optional<double> RecordedTrust::standard_error(std::string_view unknown) const {
  for (const auto& [name, value] : standard_errors)
    if (name == unknown) return value;
  return {};
}

RecordedTrust trust_in(std::string_view status) {
  const std::string_view json = json_entry(status, "trust");
  RecordedTrust found;
  each_json_entry(json_entry(json, "estimated_errors"),
                  [&](std::string_view name, std::string_view value) {
                    found.estimates.push_back(estimate_of(name, value));
                    return true;
                  });
  each_json_entry(json_entry(json, "standard_errors"),
                  [&](std::string_view name, std::string_view value) {
                    found.standard_errors.emplace_back(json_text(name), json_number(value));
                    return true;
                  });
  found.no_estimates = json_text(json_entry(json, "no_estimated_errors"));
  found.no_standard_errors = json_text(json_entry(json, "no_standard_errors"));
  return found;
}

RecordedTrust recorded_trust(std::string_view status, const Checkpoint& checkpoint) {
  const std::string lack = lack_of_status(status, checkpoint);
  RecordedTrust found = lack.empty() ? trust_in(status) : RecordedTrust{};
  const std::string why = lack.empty() ? lack_of_words(checkpoint) : lack;
  if (found.estimates.empty() && found.no_estimates.empty()) found.no_estimates = why;
  if (found.standard_errors.empty() && found.no_standard_errors.empty())
    found.no_standard_errors = checkpoint.unknowns.empty() ? "there are no unknowns" : why;
  return found;
}

}  // namespace pinn
