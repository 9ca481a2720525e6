#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solvers/records/logs/metric_record.h"

namespace pinn::events {

// The event files of TensorBoard: a sequence of records (tensorflow/core/lib/io/record_writer.h),
// each an `Event` in the encoding of protocol buffers (tensorflow/core/util/event.proto).

/// CRC-32C (Castagnoli), as RFC 3720 has it.
std::uint32_t crc32c(std::string_view bytes);

/// An event framed as a record: length, its masked sum, the event, its masked sum.
std::string framed(std::string_view event);

/// First event of a file.
std::string version_event(double unix_seconds);
/// "A sitting begins at this step": readers drop what they have of it and of steps behind.
std::string start_event(double unix_seconds, std::int64_t step);
/// Numbers by their tags, at a step; floats.
std::string scalars_event(double unix_seconds, std::int64_t step,
                          const std::vector<std::pair<std::string, double>>& numbers);

/// A record of a file.
struct Record {
  std::string_view whole, event;
  std::int64_t step = 0;
  bool has_scalars = false;
};

/// The records that a file begins with, up to the first that is torn or damaged.
std::vector<Record> records_of(std::string_view file);

}  // namespace pinn::events

namespace pinn {

/// Event files of a run for TensorBoard: a file per sitting, events.out.tfevents.SECONDS.pinn, its
/// number that of the seconds since 1970 and larger than those before. Files of earlier sittings
/// are cut behind the step that the run goes on from, and the new one begins by saying so, for a
/// TensorBoard that is open meanwhile: no step is there twice.
class EventFile {
 public:
  /// Begins the file of a sitting.
  ///
  ///   step     that the run goes on from; -1: from the beginning
  ///   before   all records up to it; those that no earlier file holds come first
  ///   seconds  trained so far
  ///   errors   FileError
  EventFile(const std::string& folder, std::int64_t step, const std::vector<MetricRecord>& before,
            double seconds, FileSystem& files);

  /// Errors: FileError.
  void append(const MetricRecord& record);

 private:
  std::string piece(const MetricRecord& record) const;

  double began_;  ///< when training would have begun without a pause, in seconds since 1970
  std::optional<AppendedFile> file_;
};

/// The name under which TensorBoard shows a number: its part before ":" or a group of ours, then
/// "/": error/u, held_out/burgers, loss/burgers, speed/gflops. Empty for what is no curve.
std::string event_tag(const std::string& name);

/// The names of event files of ours in a folder, in order.
std::vector<std::string> event_files(const std::string& folder);
/// The same of those that an interrupted write was to become (write_atomically).
std::vector<std::string> unfinished_event_files(const std::string& folder);

}  // namespace pinn
