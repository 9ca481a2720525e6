#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pinn {

/// SHA-256 of bytes given piece by piece, so that several parts need not be joined first.
///
///   source   FIPS 180-4, sections 5 and 6.2
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// 64 lower-case hexadecimal digits, as `sha256sum` prints them. Ends the sum.
  std::string hex();

 private:
  void block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_{};  ///< bytes that do not fill a block yet
  std::uint64_t length_ = 0;              ///< bytes added so far
};

/// The SHA-256 of one piece.
std::string sha256(std::string_view bytes);

}  // namespace pinn
