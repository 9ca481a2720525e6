#include "solvers/records/logs/metric_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "solvers/state/speed.h"

namespace pinn {
namespace {

/// As RFC 4180 has it: in quotes where it holds what would end it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// The names of what stands last.
std::vector<std::string> last_names() {
  std::vector<std::string> names = {"seconds"};
  names.insert(names.end(), std::begin(Speed::names), std::end(Speed::names));
  return names;
}

}  // namespace

MetricsCsv::MetricsCsv(const std::string& path, const std::vector<MetricRecord>& before,
                       const std::vector<std::string>& columns, FileSystem& files) {
  const std::vector<std::string> last = last_names();
  std::unordered_set<std::string> known(last.begin(), last.end());
  const auto take = [&](const std::string& name) {
    if (known.insert(name).second) names_.push_back(name);
  };
  for (const std::string& name : columns) take(name);
  for (const MetricRecord& record : before) {
    windows_ |= record.window > 0;
    for (const auto& [name, value] : record.numbers) take(name);
  }
  names_.insert(names_.end(), last.begin(), last.end());
  std::string text = header();
  for (const MetricRecord& record : before) text += line(record);
  write_atomically(path, {text}, files);
  file_.emplace(path, files);
}

std::string MetricsCsv::header() const {
  std::string text = windows_ ? "step,window,stage" : "step,stage";
  for (const std::string& name : names_) text += "," + cell(name);
  return text + "\n";
}

/// Records have their numbers in the order of the columns, but for some that they lack: so each is
/// looked for behind the one before first.
std::string MetricsCsv::line(const MetricRecord& record) const {
  std::vector<double> values(names_.size(), std::nan(""));
  std::size_t at = 0;
  for (const auto& [name, value] : record.numbers) {
    auto found = std::find(names_.begin() + std::ptrdiff_t(at), names_.end(), name);
    if (found == names_.end()) found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) continue;
    values[std::size_t(found - names_.begin())] = value;
    at = std::size_t(found - names_.begin());
  }
  std::string text = std::to_string(record.step);
  if (windows_) text += "," + std::to_string(record.window);
  text += "," + cell(record.stage);
  for (const double value : values)
    text += std::isnan(value) ? std::string(",") : fmt::format(",{}", value);
  return text + "\n";
}

bool MetricsCsv::has_columns_of(const MetricRecord& record) const {
  if (record.window > 0 && !windows_) return false;
  return std::ranges::all_of(record.numbers, [&](const auto& number) {
    return std::ranges::find(names_, number.first) != names_.end();
  });
}

void MetricsCsv::append(const MetricRecord& record) { file_->append(line(record)); }

}  // namespace pinn
