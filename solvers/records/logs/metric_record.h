#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pinn {

class JsonObject;

/// A record of a run at work, as a line of metrics.jsonl has it.
struct MetricRecord {
  std::int64_t step = 0;
  std::int64_t window = 0;  ///< of time, from 1; 0 where there is but one
  std::string stage;
  /// By name: what was recorded of the training, then seconds and speed. Those that are finite.
  std::vector<std::pair<std::string, double>> numbers = {};

  /// A number by its name; NaN where there is none.
  double at(std::string_view name) const;
  /// Seconds of training.
  double seconds() const { return at("seconds"); }
};

/// All of it but the step.
JsonObject to_json(const MetricRecord& record);

/// Record in a line of metrics.jsonl; nothing where it is none, or torn. Numbers that are null are
/// left out.
std::optional<MetricRecord> record_in(std::string_view line);

/// The records of a metrics.jsonl; none where there is no such file. Lines that are none are passed
/// over.
///
///   errors   FileError
std::vector<MetricRecord> records_in(const std::string& metrics_file);

}  // namespace pinn
