#include "solvers/records/logs/event_file.h"

#include <array>
#include <cstring>

namespace pinn::events {
namespace {

std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
    table[i] = crc;
  }
  return table;
}

/// A sum as it stands in a file: sums of data that hold sums are weak.
std::uint32_t masked(std::uint32_t crc) { return (crc >> 15 | crc << 17) + 0xA282EAD8u; }

/// The bytes of a number, lowest first.
template <class Number> std::string fixed(Number value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class Number> Number number_at(std::string_view bytes) {
  Number value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Protocol buffers: each field is its number and a wire type, then a varint (0), eight bytes (1), a
// length and so many bytes (2), or four bytes (5).
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += char(value | 0x80);
  return bytes + char(value);
}
std::string key(int field, int wire) { return varint(std::uint64_t(field) << 3 | unsigned(wire)); }
std::string whole_number(int field, std::int64_t value) {
  return key(field, 0) + varint(std::uint64_t(value));
}
std::string bytes_of(int field, std::string_view bytes) {
  return key(field, 2) + varint(bytes.size()) + std::string(bytes);
}

constexpr int wall_time = 1, step_field = 2, file_version = 3, summary = 5, session_log = 7;

std::string event(double unix_seconds, std::int64_t step) {
  return key(wall_time, 1) + fixed(unix_seconds) + whole_number(step_field, step);
}

/// Takes a varint off the front; false where there is none.
bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// Reads what there is to know of an event; false where it is none.
bool read_event(std::string_view bytes, Record& record) {
  while (!bytes.empty()) {
    std::uint64_t tag = 0, length = 0;
    if (!take_varint(bytes, tag)) return false;
    const int wire = int(tag & 7);
    if (wire == 0 && !take_varint(bytes, length)) return false;
    if (wire == 0 && tag >> 3 == step_field) record.step = std::int64_t(length);
    if (wire == 0) continue;
    if (wire == 2 && !take_varint(bytes, length)) return false;
    if (wire == 2 && tag >> 3 == summary) record.has_scalars = true;
    const std::uint64_t skip = wire == 1 ? 8 : wire == 5 ? 4 : wire == 2 ? length : ~0ull;
    if (skip > bytes.size()) return false;
    bytes.remove_prefix(std::size_t(skip));
  }
  return true;
}

constexpr std::size_t before_event = 12, behind_event = 4;  ///< bytes of a frame

/// Takes a record off the front; false where none is whole.
bool take_record(std::string_view& file, Record& record) {
  if (file.size() < before_event + behind_event) return false;
  const auto length = number_at<std::uint64_t>(file);
  if (masked(crc32c(file.substr(0, 8))) != number_at<std::uint32_t>(file.substr(8))) return false;
  if (length > file.size() - before_event - behind_event) return false;
  record.whole = file.substr(0, before_event + std::size_t(length) + behind_event);
  record.event = file.substr(before_event, std::size_t(length));
  const std::string_view sum = record.whole.substr(record.whole.size() - behind_event);
  if (masked(crc32c(record.event)) != number_at<std::uint32_t>(sum)) return false;
  file.remove_prefix(record.whole.size());
  return read_event(record.event, record);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = crc_table();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

std::string framed(std::string_view event) {
  const std::string length = fixed(std::uint64_t(event.size()));
  return length + fixed(masked(crc32c(length))) + std::string(event) + fixed(masked(crc32c(event)));
}

std::string version_event(double unix_seconds) {
  return event(unix_seconds, 0) + bytes_of(file_version, "brain.Event:2");
}

std::string start_event(double unix_seconds, std::int64_t step) {
  constexpr int status = 1, start = 1;  // of a SessionLog
  return event(unix_seconds, step) + bytes_of(session_log, whole_number(status, start));
}

std::string scalars_event(double unix_seconds, std::int64_t step,
                          const std::vector<std::pair<std::string, double>>& numbers) {
  constexpr int value = 1, tag = 1, simple_value = 2;  // of a Summary, and of its values
  std::string values;
  for (const auto& [name, number] : numbers)
    values += bytes_of(value, bytes_of(tag, name) + key(simple_value, 5) + fixed(float(number)));
  return event(unix_seconds, step) + bytes_of(summary, values);
}

std::vector<Record> records_of(std::string_view file) {
  std::vector<Record> records;
  for (Record record; take_record(file, record); record = {}) records.push_back(record);
  return records;
}

}  // namespace pinn::events
