#include "solvers/records/logs/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "autograd/core/error.h"
#include "solvers/problem/mistakes.h"
#include "solvers/state/signals.h"

namespace pinn {
namespace {

constexpr std::string_view line_start = "{\"step\":";

std::string in_quotes(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      json += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      json += fmt::format("\\u{:04x}", int(c));
    else
      json += c;
  }
  return json + "\"";
}

/// The whole lines whose step is not behind `step`.
std::string kept_lines(std::string_view text, std::int64_t step) {
  std::string kept;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
    const std::string_view line = text.substr(0, end + 1);
    std::int64_t at = 0;
    if (!line.starts_with(line_start) || !line.ends_with("}\n")) continue;
    if (line.find(line_start, 1) != line.npos) continue;  // torn, and the next one behind it
    std::from_chars(line.begin() + line_start.size(), line.end(), at);
    if (at <= step) kept += line;
  }
  return kept;
}

template <class List, class Write> std::string in_brackets(const List& list, const Write& write) {
  std::string text;
  for (const auto& one : list) text += (text.empty() ? "" : ",") + write(one);
  return "[" + text + "]";
}

std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace

JsonObject& JsonObject::raw(std::string_view name, std::string_view value) {
  entries_ += fmt::format("{}{}:{}", entries_.empty() ? "" : ",", in_quotes(name), value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, double value) {
  return raw(name, number_text(value));
}
JsonObject& JsonObject::add(std::string_view name, std::int64_t value) {
  return raw(name, fmt::format("{}", value));
}
JsonObject& JsonObject::add(std::string_view name, std::string_view value) {
  return raw(name, in_quotes(value));
}
JsonObject& JsonObject::add(std::string_view name, const JsonObject& value) {
  return raw(name, value.text());
}
JsonObject& JsonObject::add(std::string_view name, const std::vector<JsonObject>& values) {
  return raw(name, in_brackets(values, [](const JsonObject& value) { return value.text(); }));
}
JsonObject& JsonObject::add(std::string_view name, const std::vector<std::string>& values) {
  return raw(name, in_brackets(values, in_quotes));
}
JsonObject& JsonObject::add(std::string_view name, std::span<const double> values) {
  return raw(name, in_brackets(values, number_text));
}

void add_speed(JsonObject& json, const Speed& speed) {
  for (int i = 0; i < Speed::count; ++i)
    if (std::isfinite(speed[i])) json.add(Speed::names[i], speed[i]);
}

Metrics::Metrics(const std::string& path, std::int64_t step, FileSystem& files) {
  const bool resumed = step >= 0 && is_there(path);
  const std::string kept = resumed ? kept_lines(read_file(path), step) : "";
  write_atomically(path, {kept}, files);
  file_.emplace(path, files);
}

void Metrics::append(std::int64_t step, const JsonObject& values) {
  const std::string entries = values.text().substr(1);
  file_->append(fmt::format("{}{}{}{}\n", line_start, step, entries == "}" ? "" : ",", entries));
}

namespace {

constexpr double status_every = 10;  ///< seconds: each one waits for the disk

}  // namespace

RunLog::RunLog(const std::string& folder, ProgressStyle style, FileSystem& files)
    : folder_(folder),
      metrics_file_(folder + "/metrics.jsonl"),
      csv_file_(folder + "/metrics.csv"),
      status_file_(folder + "/status.json"),
      style_(style),
      files_(&files),
      progress_(style, standard_error()) {}

RunLog::RunLog()
    : style_(ProgressStyle::silent), files_(nullptr), progress_(style_, standard_error()) {}

void RunLog::note(const std::string& text) {
  if (style_ < ProgressStyle::quiet) progress_.message(text);
}

void RunLog::warn(const std::string& text) { progress_.message(text); }

template <class Write> bool RunLog::try_to(Write&& write) {
  try {
    write();
    return true;
  } catch (const FileError& e) {
    if (!warned_)
      warn(warning_text(e.report) +
           "\n  training goes on; records of metrics.jsonl wait for the disk");
    warned_ = true;
    return false;
  }
}

RunLog::~RunLog() try {
  if (metrics_) append_waiting();
  if (metrics_request_ && !is_all_open()) try_again();
} catch (...) {  // no memory: the records are lost, which was said
}

bool RunLog::is_all_open() const {
  return metrics_ && (csv_ || !metrics_request_->files.csv) &&
         (events_ || !metrics_request_->files.events);
}

void RunLog::open_metrics(std::int64_t step, const RecordFiles& wanted,
                          const std::vector<std::string>& columns, double seconds) {
  if (!files_) return;
  columns_ = columns;
  metrics_request_ = {step, wanted, seconds};
  open_records();
}

/// Opens what is not open. All that comes later is made of metrics.jsonl, so that it has what was
/// recorded meanwhile.
void RunLog::open_records() {
  const auto& asked = *metrics_request_;
  if (!metrics_) try_to([&] { metrics_.emplace(metrics_file_, asked.step, *files_); });
  if (!metrics_) return;
  append_waiting();
  if (is_all_open()) return;
  std::vector<MetricRecord> before;
  if (!try_to([&] { before = records_in(metrics_file_); })) return;
  if (asked.files.csv && !csv_)
    try_to([&] { csv_ = std::make_unique<MetricsCsv>(csv_file_, before, columns_, *files_); });
  if (asked.files.events && !events_)
    try_to([&] { events_.emplace(folder_, asked.step, before, asked.seconds, *files_); });
}

/// Appends what waits, in order, as far as the disk takes it.
void RunLog::append_waiting() {
  const auto taken = [&](const MetricRecord& record) {
    return try_to([&] { metrics_->append(record.step, to_json(record)); });
  };
  const auto rest = std::ranges::find_if_not(waiting_, taken);
  waiting_.erase(waiting_.begin(), rest);
}

void RunLog::try_again() {
  open_records();
  if (is_all_open())
    warn(fmt::format("the files of records could be made after all, and have what came before: {}",
                     metrics_file_));
}

/// A table whose columns do not suffice is made anew of metrics.jsonl, which has the record by
/// then.
void RunLog::tabulate(const MetricRecord& record) {
  if (csv_->has_columns_of(record)) return csv_->append(record);
  csv_ = std::make_unique<MetricsCsv>(csv_file_, records_in(metrics_file_), columns_, *files_);
}

void RunLog::metrics(const MetricRecord& record) {
  if (!metrics_request_) return;
  waiting_.push_back(record);
  if (metrics_) append_waiting();
  if (csv_) try_to([&] { tabulate(record); });
  if (events_) try_to([&] { events_->append(record); });
  if (!is_all_open() && std::has_single_bit(++refused_)) try_again();
}

void RunLog::status(const JsonObject& status) {
  if (!files_) return;
  try_to([&] { write_atomically(status_file_, {status.text() + "\n"}, *files_); });
  status_at_ = clock();
}

bool RunLog::status_due() const { return files_ && clock() - status_at_ > status_every; }

}  // namespace pinn
