#include "solvers/records/logs/event_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>

#include "solvers/state/speed.h"

namespace pinn {
namespace {

constexpr std::string_view name_start = "events.out.tfevents.", name_end = ".pinn";
constexpr std::size_t digits = 10;
constexpr std::size_t name_size = name_start.size() + digits + name_end.size();

double unix_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string name_of(std::int64_t seconds) {
  return fmt::format("{}{:0{}}{}", name_start, seconds, digits, name_end);
}

/// The number in a name of ours; -1 for any other.
std::int64_t seconds_in(const std::string& name) {
  if (name.size() != name_size || !name.starts_with(name_start)) return -1;
  const char* begin = name.data() + name_start.size();
  std::int64_t seconds = -1;
  const bool whole = std::from_chars(begin, begin + digits, seconds).ptr == begin + digits;
  return whole && name.ends_with(name_end) ? seconds : -1;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    names.push_back(entry.path().filename().string());
  return names;
}

/// Cuts a file behind a step, and gives the last step left in it; -1 for none.
std::int64_t cut(const std::string& path, std::int64_t step, FileSystem& files) {
  const std::string bytes = read_file(path);
  std::size_t kept = 0;
  std::int64_t last = -1;
  for (const events::Record& record : events::records_of(bytes)) {
    if (record.has_scalars && record.step > step) break;
    if (record.has_scalars) last = record.step;
    kept += record.whole.size();
  }
  if (kept < bytes.size()) write_atomically(path, {std::string_view(bytes).substr(0, kept)}, files);
  return last;
}

}  // namespace

std::string event_tag(const std::string& name) {
  if (name == "seconds") return "";
  if (name == "loss" || name == "held_out") return name;
  for (const char* figure : Speed::names)
    if (name == figure) return "speed/" + name;
  const std::size_t colon = name.find(':');
  return colon == name.npos ? "loss/" + name : name.substr(0, colon) + "/" + name.substr(colon + 1);
}

std::vector<std::string> event_files(const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string& name : names_in(folder))
    if (seconds_in(name) >= 0) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> unfinished_event_files(const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string& name : names_in(folder))
    if (name.size() > name_size && seconds_in(name.substr(0, name_size)) >= 0)
      names.push_back(name.substr(0, name_size));
  return names;
}

EventFile::EventFile(const std::string& folder, std::int64_t step,
                     const std::vector<MetricRecord>& before, double seconds, FileSystem& files) {
  std::int64_t told = -1, newest = -1;
  for (const std::string& name : event_files(folder)) {
    told = std::max(told, cut(folder + "/" + name, step, files));
    newest = seconds_in(name);
  }
  const double now = unix_clock();
  began_ = now - seconds;
  std::string text = events::framed(events::version_event(now)) +
                     events::framed(events::start_event(now, told + 1));
  for (const MetricRecord& record : before)
    if (record.step > told) text += piece(record);
  const std::string path = folder + "/" + name_of(std::max(std::int64_t(now), newest + 1));
  write_atomically(path, {text}, files);
  file_.emplace(path, files);
}

std::string EventFile::piece(const MetricRecord& record) const {
  std::vector<std::pair<std::string, double>> tagged;
  for (const auto& [name, value] : record.numbers)
    if (std::string tag = event_tag(name); !tag.empty()) tagged.emplace_back(std::move(tag), value);
  return events::framed(events::scalars_event(began_ + record.seconds(), record.step, tagged));
}

void EventFile::append(const MetricRecord& record) { file_->append(piece(record)); }

}  // namespace pinn
