#include "autograd/cpu/tiles/amx.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "autograd/cpu/tiles/amx_tiles.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace pinn::cpu {
namespace {

// clang has no names for tiles before its version 16: what it builds does without.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
/// Tiles are 8 KiB that the system saves for each thread: it wants to be asked.
bool ask_for_tiles() {
  constexpr long request_permission = 0x1023, tile_data = 18;  // arch_prctl(2)
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

bool find_amx() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("amx-bf16") && __builtin_cpu_supports("amx-tile") &&
         __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && ask_for_tiles();
}
#else
bool find_amx() { return false; }
#endif

std::atomic<bool>& tiles() {
  static std::atomic<bool> found = find_amx();
  return found;
}

constexpr std::size_t up_to(std::size_t size, std::size_t step) { return (size + step - 1) / step; }

}  // namespace

bool amx_available() { return tiles(); }
TilesForNow::TilesForNow(bool available) : before_(tiles().exchange(available)) {}
TilesForNow::~TilesForNow() { tiles() = before_; }

// In units of a multiplication and addition by vectors, as measured: one by tiles, and one number
// split.
constexpr double by_tiles = 0.46, split_one = 16;

bool amx_suits_product(std::size_t k, std::size_t n) {
  const std::size_t tiles = up_to(k, amx::depth) * amx::depth * (up_to(n, amx::edge) * amx::edge);
  return by_tiles * double(tiles) + split_one * double(k) < double(k * n);
}

bool amx_suits_contract(std::size_t k, std::size_t n) {
  const std::size_t sums = up_to(k, amx::edge) * up_to(n, amx::edge) * amx::edge * amx::edge;
  return by_tiles * double(sums) + split_one * double(k + n) < double(k * n);
}

/// Splits x in exact steps: what is left after rounding has 16 digits at most, of which 8 are cut
/// off.
Bf16Parts split_bf16(float x) {
  const auto upper = [](std::uint32_t bits) { return bits & 0xffff0000u; };
  const auto bits = [](float f) { return std::bit_cast<std::uint32_t>(f); };
  const std::uint32_t first = upper(bits(x) + 0x8000u);
  x -= std::bit_cast<float>(first);
  const std::uint32_t second = upper(bits(x));
  x -= std::bit_cast<float>(second);
  return {{std::uint16_t(first >> 16), std::uint16_t(second >> 16), std::uint16_t(bits(x) >> 16)}};
}

std::size_t amx_packed_size(std::size_t k, std::size_t n) {
  return up_to(n, amx::edge) * up_to(k, amx::depth) * parts_of_float * amx::tile;
}

void amx_pack(const double* w, std::size_t row, std::size_t column, std::size_t k, std::size_t n,
              std::uint16_t* packed) {
  std::fill_n(packed, amx_packed_size(k, n), std::uint16_t(0));
  const std::size_t steps = up_to(k, amx::depth);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < k; ++i) {
      const Bf16Parts parts = split_bf16(float(w[i * row + j * column]));
      std::uint16_t* to = packed +
                          (j / amx::edge * steps + i / amx::depth) * parts_of_float * amx::tile +
                          j % amx::edge * amx::depth + i % amx::depth;
      for (int p = 0; p < parts_of_float; ++p) to[std::size_t(p) * amx::tile] = parts.part[p];
    }
}

std::size_t amx_partial(std::size_t k, std::size_t n) {
  return up_to(k, 2 * amx::edge) * up_to(n, 2 * amx::edge) * 4 * amx::edge * amx::edge;
}

std::size_t amx_contract_scratch(std::size_t n) {
  return (4 + up_to(n, amx::edge)) * amx::steps_max * parts_of_float * amx::tile / 2;
}

void amx_move(std::size_t k, std::size_t n, float* partial, double* sums) {
  constexpr std::size_t edge = amx::edge;
  const std::size_t squares = up_to(n, 2 * edge);  // of four tiles
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < n; j += edge) {
      const std::size_t square = i / (2 * edge) * squares + j / (2 * edge);
      const std::size_t t = square * 4 + i / edge % 2 * 2 + j / edge % 2;
      const float* from = partial + (t * edge + i % edge) * edge;
      const std::size_t count = std::min(edge, n - j);
      for (std::size_t e = 0; e < count; ++e) sums[i * n + j + e] += double(from[e]);
    }
  std::fill_n(partial, amx_partial(k, n), 0.f);
}

}  // namespace pinn::cpu
