#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The event files of TensorBoard: a sequence of records (tensorflow/core/lib/io/record_writer.h),
// each an `Event` in the encoding of protocol buffers (tensorflow/core/util/event.proto).
namespace pinn::events {

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
