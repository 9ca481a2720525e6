#pragma once
#include <cstddef>
#include <cstdint>

/// Products of float32 numbers on the tile unit of some processors (AMX), which multiplies bf16.
/// A float32 number is the exact sum of three bf16 parts: x = x0 + x1 + x2, each with 8 of its 24
/// digits. Of the nine products of the parts of two numbers the six largest are added up, in
/// float32; the three others are below 2^-24 of the product. (Henry, Tang, Heinecke: Leveraging
/// the bfloat16 artificial intelligence datatype for higher-precision computations, 2019.)
///
/// Numbers beyond 3.39e38 count as infinite, and parts below 1.2e-38 as 0.
///
/// Arrays are laid out as in block/product.h. The unit multiplies tiles, 16 rows of 64 bytes:
/// 16 x 32 parts by 32 x 16, where two numbers along the 32 stand side by side in both.
namespace pinn::cpu {

inline constexpr int parts_of_float = 3;
struct Bf16Parts {
  std::uint16_t part[parts_of_float];
};
/// The parts of x, rounded to nearest, ties away from zero.
Bf16Parts split_bf16(float x);

/// True if this processor multiplies tiles of bf16 and the system lets this process do so.
bool amx_available();
/// Lets the processor have tiles or not, for tests, while one lives. Tiles that it lacks can be
/// planned with; to run on them is an illegal instruction.
class TilesForNow {
 public:
  explicit TilesForNow(bool available);
  ~TilesForNow();
  TilesForNow(const TilesForNow&) = delete;
  TilesForNow& operator=(const TilesForNow&) = delete;

 private:
  const bool before_;
};
/// True if tiles are faster than vectors for products with a matrix [k, n], and for the sum over
/// points that is one: partly filled tiles take as long as full ones, and splitting takes time.
bool amx_suits_product(std::size_t k, std::size_t n);
bool amx_suits_contract(std::size_t k, std::size_t n);

/// Lets this thread use tiles while one lives; `on` false does nothing.
class AmxTiles {
 public:
  explicit AmxTiles(bool on);
  ~AmxTiles();
  AmxTiles(const AmxTiles&) = delete;

 private:
  const bool on_;
};

/// The weights of y = W^T x, split, in tiles; amx_packed_size numbers. As pack_weights.
void amx_pack(const double* w, std::size_t row, std::size_t column, std::size_t k, std::size_t n,
              std::uint16_t* packed);
std::size_t amx_packed_size(std::size_t k, std::size_t n);

/// y[j][c] = bias[j] (in the first `points` columns, if there is one) + sum_i W[i][j] x[i][c].
struct AmxProduct {
  const std::uint16_t* packed;  ///< by amx_pack, on a cache line
  std::size_t k, n, columns;
  const float* x;  ///< [k][columns]
  std::size_t x_stride;
  float* y;  ///< [n][columns]
  std::size_t y_stride;
  const float* bias;  ///< [n], or null
  std::size_t points;
  float* scratch;  ///< amx_product_scratch numbers, on a cache line
};
void amx_product(const AmxProduct& p);
inline constexpr std::size_t amx_product_scratch = 25600;

/// partial += sum_c x[i][c] g[j][c] for all i and j.
struct AmxContract {
  std::size_t k, n, columns;
  const float* x;  ///< [k][columns]
  std::size_t x_stride;
  const float* g;  ///< [n][columns]
  std::size_t g_stride;
  float* partial;  ///< amx_partial(k, n) numbers, 0 at first
  float* scratch;  ///< amx_contract_scratch(n) numbers, on a cache line
};
void amx_contract(const AmxContract& p);
std::size_t amx_partial(std::size_t k, std::size_t n);
std::size_t amx_contract_scratch(std::size_t n);
/// sums[i][j] += what `partial` holds of it, [k][n] row-major; `partial` is 0 then.
void amx_move(std::size_t k, std::size_t n, float* partial, double* sums);

}  // namespace pinn::cpu
