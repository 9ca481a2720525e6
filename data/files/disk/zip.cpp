#include "data/files/zip.h"

#include <cstdint>

namespace pinn {
namespace {

/// CRC-32 of ISO 3309, bit by bit: archives are small.
std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

/// Numbers of so many bytes each, lowest first.
std::string low_first(const std::vector<std::pair<std::size_t, int>>& numbers) {
  std::string bytes;
  for (const auto& [number, count] : numbers)
    for (int k = 0; k < count; ++k) bytes += char(number >> 8 * k & 0xFF);
  return bytes;
}

/// The fields that both headers of a file have: version 1.0, no flags, stored, on 1980-01-01 at
/// midnight, the sum, the size twice, the length of the name and of extra fields.
std::string common_fields(const std::string& name, const std::string& content) {
  return low_first({{10, 2},
                    {0, 2},
                    {0, 2},
                    {0, 2},
                    {1 << 5 | 1, 2},
                    {crc32(content), 4},
                    {content.size(), 4},
                    {content.size(), 4},
                    {name.size(), 2},
                    {0, 2}});
}

}  // namespace

std::string zipped(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive, directory;
  for (const auto& [name, content] : files) {
    const std::string fields = common_fields(name, content);
    const std::size_t at = archive.size();
    archive += "PK\x03\x04" + fields + name + content;
    // Made by version 1.0; then a comment, a disk, two sets of attributes, and the place.
    directory += "PK\x01\x02" + low_first({{10, 2}}) + fields +
                 low_first({{0, 2}, {0, 2}, {0, 2}, {0, 4}, {at, 4}}) + name;
  }
  return archive + directory + "PK\x05\x06" +
         low_first({{0, 4},
                    {files.size(), 2},
                    {files.size(), 2},
                    {directory.size(), 4},
                    {archive.size(), 4},
                    {0, 2}});
}

}  // namespace pinn
