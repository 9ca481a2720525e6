#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solvers/records/logs/metric_record.h"

namespace pinn {

/// A curve that grows; of many points every second, every fourth and so on are kept, evenly, and
/// the latest.
class LiveCurve {
 public:
  explicit LiveCurve(std::string name) : name_(std::move(name)) {}

  void add(double step, double seconds, double value);
  const std::string& name() const { return name_; }

  struct Point {
    double step = 0, seconds = 0, value = 0;
  };
  /// In the order of steps.
  std::vector<Point> points() const;
  double latest() const { return latest_.value; }

  static constexpr std::size_t most = 1000;  ///< points that are kept at most

 private:
  std::string name_;
  std::vector<Point> kept_;
  Point latest_;
  std::size_t count_ = 0, stride_ = 1;  ///< points so far, and from one that is kept to the next
};

/// Records of metrics.jsonl so far, of a run that may be writing it: read from where it was read
/// last, and anew from the beginning when the run has cut it back and goes on.
class LiveRecords {
 public:
  /// `read_whole`: of a file with more bytes when it is first read, lines are left out evenly up to
  /// there: a gigabyte would take too long.
  explicit LiveRecords(std::string metrics_file, std::int64_t read_whole = 64 << 20)
      : path_(std::move(metrics_file)), read_whole_(read_whole) {}

  /// Takes in the lines that were finished since. True where there were any, or where all begins
  /// anew. What is no plain file is not read, and a missing one has no records.
  bool read();

  const std::vector<LiveCurve>& curves() const { return curves_; }
  const LiveCurve* curve(std::string_view name) const;
  const std::optional<MetricRecord>& latest() const { return latest_; }

  /// Beginning of a stage, or of a window of time, after the first.
  struct Beginning {
    double step = 0, seconds = 0;
    std::string stage;
  };
  const std::vector<Beginning>& beginnings() const { return beginnings_; }

 private:
  void begin_anew();
  void take(std::string_view line);

  const std::string path_;
  const std::int64_t read_whole_;
  std::uint64_t device_ = 0, inode_ = 0;  ///< of the file that was read last
  std::int64_t read_to_ = 0, size_ = 0;
  std::int64_t sparse_to_ = 0, stride_ = 1, lines_ = 0;
  std::vector<LiveCurve> curves_;
  std::vector<Beginning> beginnings_;
  std::optional<MetricRecord> latest_;
};

}  // namespace pinn
