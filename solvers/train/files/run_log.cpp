#include "solvers/train/files/run_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "autograd/core/error.h"
#include "solvers/problem/mistakes.h"
#include "solvers/train/run/signals.h"

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

}  // namespace

JsonObject& JsonObject::raw(std::string_view name, std::string_view value) {
  entries_ += fmt::format("{}{}:{}", entries_.empty() ? "" : ",", in_quotes(name), value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, double value) {
  return raw(name, std::isfinite(value) ? fmt::format("{}", value) : "null");
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
  std::string list;
  for (const JsonObject& value : values) list += (list.empty() ? "" : ",") + value.text();
  return raw(name, "[" + list + "]");
}

void add_speed(JsonObject& json, const Speed& speed) {
  for (int i = 0; i < Speed::count; ++i)
    if (std::isfinite(speed[i])) json.add(Speed::names[i], speed[i]);
}

Metrics::Metrics(const std::string& path, std::int64_t step, FileSystem& files)
    : path_(path), files_(files) {
  const bool resumed = step >= 0 && is_there(path);
  const std::string kept = resumed ? kept_lines(read_file(path), step) : "";
  write_atomically(path, {kept}, files);
  file_ = open_to_append(path, files_);
}

Metrics::~Metrics() {
  if (file_ >= 0) files_.close(file_);
}

void Metrics::append(std::int64_t step, const JsonObject& values) {
  std::string line = fmt::format("{}{}", line_start, step);
  const std::string entries = values.text().substr(1);
  line += (entries == "}" ? "" : ",") + entries + "\n";
  const off_t before = ::lseek(file_, 0, SEEK_END);
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t count = files_.write(file_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int code = count < 0 ? errno : ENOSPC;
      if (rest.size() < line.size()) files_.truncate(file_, before);  // no part of a line
      throw_file_error("cannot append to the file", path_, code);
    }
    rest.remove_prefix(std::size_t(count));
  }
}

namespace {

constexpr double status_every = 10;  ///< seconds: each one waits for the disk

}  // namespace

RunLog::RunLog(const RunFolder& folder, ProgressStyle style, FileSystem& files)
    : metrics_file_(folder.file("metrics.jsonl")),
      status_file_(folder.file("status.json")),
      style_(style),
      files_(files),
      progress_(style, standard_error()) {}

void RunLog::note(const std::string& text) {
  if (style_ != ProgressStyle::quiet) progress_.message(text);
}

void RunLog::warn(const std::string& text) { progress_.message(text); }

template <class Write> void RunLog::try_to(Write&& write) {
  try {
    write();
  } catch (const FileError& e) {
    if (!warned_) warn(warning_text(e.report) + "\n  training goes on without this record");
    warned_ = true;
  }
}

void RunLog::open_metrics(std::int64_t step) {
  try_to([&] { metrics_.emplace(metrics_file_, step, files_); });
}

void RunLog::metrics(std::int64_t step, const JsonObject& line) {
  if (metrics_) try_to([&] { metrics_->append(step, line); });
}

void RunLog::status(const JsonObject& status) {
  try_to([&] { write_atomically(status_file_, {status.text() + "\n"}, files_); });
  status_at_ = clock();
}

bool RunLog::status_due() const { return clock() - status_at_ > status_every; }

}  // namespace pinn
