// Errors that a run estimated, as its page says them.
#include <fmt/format.h>

#include <cmath>

#include "solvers/report/axis.h"
#include "solvers/report/sections.h"
#include "solvers/watch/follow.h"

namespace pinn::pages {

RecordedTrust trust_of(const ReportedRun& r) {
  return recorded_trust(status_json_of(r.folder), r.checkpoint);
}

std::string estimate_text(const RecordedEstimate& estimate) {
  const double value = estimate.rounded();
  if (!std::isfinite(value)) return estimate.text();
  return fmt::format("{} {}{}", estimate.word(), number_text(value, 1),
                     estimate.is_relative() ? "" : ", absolute");
}

std::string estimate_tiles(const RecordedTrust& trust) {
  std::string text;
  for (const RecordedEstimate& e : trust.estimates)
    text += tile_html(
        estimate_text(e),
        fmt::format("estimated {}error of {}", e.is_relative() ? "relative L2 " : "", e.field));
  return text;
}

std::string scatter_text(const RecordedTrust& trust, const std::string& unknown) {
  const std::optional<double> error = trust.standard_error(unknown);
  if (!error) return "";
  return std::isnan(*error) ? ", left open by the loss" : " ± " + number_text(*error, 2);
}

}  // namespace pinn::pages
