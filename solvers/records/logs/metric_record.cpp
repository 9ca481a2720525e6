#include "solvers/records/logs/metric_record.h"

#include <algorithm>
#include <cmath>

#include "data/files/disk.h"
#include "solvers/records/logs/json_text.h"
#include "solvers/records/logs/run_log.h"

namespace pinn {

double MetricRecord::at(std::string_view name) const {
  const auto found = std::ranges::find(numbers, name, &std::pair<std::string, double>::first);
  return found == numbers.end() ? std::nan("") : found->second;
}

JsonObject to_json(const MetricRecord& record) {
  JsonObject line;
  if (record.window > 0) line.add("window", record.window);
  line.add("stage", record.stage);
  for (const auto& [name, value] : record.numbers) line.add(name, value);
  return line;
}

std::optional<MetricRecord> record_in(std::string_view line) {
  if (!line.starts_with("{\"step\":") || !line.ends_with('}')) return {};
  MetricRecord record;
  each_json_entry(line, [&](std::string_view name, std::string_view value) {
    const double number = json_number(value);
    if (name == "step")
      record.step = std::int64_t(std::clamp(number, -1.0, 9e15));
    else if (name == "window")
      record.window = std::int64_t(std::clamp(number, 0.0, 9e15));
    else if (name == "stage")
      record.stage = json_text(value);
    else if (std::isfinite(number))
      record.numbers.emplace_back(json_text(name), number);
    return true;
  });
  return record;
}

std::vector<MetricRecord> records_in(const std::string& metrics_file) {
  std::vector<MetricRecord> records;
  if (!is_there(metrics_file)) return records;
  const std::string text = read_file(metrics_file);
  std::string_view rest = text;
  for (std::size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1))
    if (std::optional<MetricRecord> record = record_in(rest.substr(0, end)))
      records.push_back(std::move(*record));
  return records;
}

}  // namespace pinn
