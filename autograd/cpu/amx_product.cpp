#include "autograd/cpu/amx_tiles.h"

namespace pinn::cpu {

#if defined(__AMX_BF16__) && defined(__AVX512BW__)
namespace {
using namespace amx;

/// Rows first ... first + 32 steps of x, in columns c ... c + 15, as `steps` tiles of right
/// factors; rows and columns beyond the last are 0.
void split_rows(const AmxProduct& p, std::size_t first, std::size_t steps, std::size_t c,
                std::uint16_t* to) {
  const __mmask16 mask = first_lanes(p.columns - c);
  const float* x = p.x + first * p.x_stride + c;
  std::size_t left = p.k - first;
  for (std::size_t s = 0; s < steps; ++s, to += 2 * tile)
    for (std::size_t r = 0; r < depth; r += 2, to += depth) {
      const __m512 a = _mm512_maskz_loadu_ps(left > 0 ? mask : 0, x);
      const __m512 b = _mm512_maskz_loadu_ps(left > 1 ? mask : 0, x + p.x_stride);
      store_split(a, b, to);
      x += left > 1 ? 2 * p.x_stride : 0;
      left = left > 1 ? left - 2 : 0;
    }
}

/// A tile of y: rows from j, columns from c on. One that y holds but in part, or that starts from
/// biases, goes through `own`.
struct Target {
  const AmxProduct& p;
  std::size_t j, c;
  float* own;

  std::size_t rows() const { return p.n - j < edge ? p.n - j : edge; }
  bool whole() const { return rows() == edge && p.columns - c >= edge; }
  float* at(std::size_t row) const { return p.y + (j + row) * p.y_stride + c; }

  Sums sums(bool begin) const {
    const std::size_t stride = whole() ? p.y_stride * sizeof(float) : 64;
    float* to = whole() ? at(0) : own;
    if (!begin) return {to, stride, to, stride};
    if (!p.bias || c >= p.points) return {nullptr, 0, to, stride};
    const __mmask16 biased = first_lanes(p.points - c);
    for (std::size_t r = 0; r < rows(); ++r)
      _mm512_store_ps(own + r * edge, _mm512_maskz_mov_ps(biased, _mm512_set1_ps(p.bias[j + r])));
    return {own, 64, to, stride};
  }
  void fetch() const {
    if (whole()) return;
    const __mmask16 mask = first_lanes(p.columns - c);
    for (std::size_t r = 0; r < rows(); ++r)
      _mm512_store_ps(own + r * edge, _mm512_maskz_loadu_ps(mask, at(r)));
  }
  void put() const {
    if (whole()) return;
    const __mmask16 mask = first_lanes(p.columns - c);
    for (std::size_t r = 0; r < rows(); ++r)
      _mm512_mask_storeu_ps(at(r), mask, _mm512_load_ps(own + r * edge));
  }
};

}  // namespace

AmxTiles::AmxTiles(bool on) : on_(on) {
  if (!on_) return;
  struct alignas(64) {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } const shape;
  __asm__ volatile("ldtilecfg %0" ::"m"(shape));
}

AmxTiles::~AmxTiles() {
  if (on_) __asm__ volatile("tilerelease");
}

void amx_product(const AmxProduct& p) {
  const std::size_t steps = (p.k + depth - 1) / depth, tall = steps * 3 * tile;
  std::uint16_t* const split = reinterpret_cast<std::uint16_t*>(p.scratch);
  float* const own = p.scratch + 2 * steps_max * 3 * tile / 2;
  for (std::size_t c = 0; c < p.columns; c += 2 * edge) {
    const std::size_t cols = p.columns - c > edge ? 2 : 1;
    for (std::size_t step = 0; step < steps; step += steps_max) {
      const std::size_t now = steps - step < steps_max ? steps - step : steps_max;
      for (std::size_t v = 0; v < cols; ++v)
        split_rows(p, step * depth, now, c + v * edge, split + v * steps_max * 3 * tile);
      for (std::size_t j = 0; j < p.n; j += 2 * edge) {
        const std::size_t rows = p.n - j > edge ? 2 : 1;
        Sums sums[4];
        for (std::size_t t = 0; t < rows * cols; ++t) {
          const Target target{p, j + t / cols * edge, c + t % cols * edge, own + t * edge * edge};
          if (step > 0) target.fetch();
          sums[t] = target.sums(step == 0);
        }
        multiply(
            rows, cols,
            {p.packed + j / edge * tall + step * 3 * tile, split, tall, steps_max * 3 * tile, now},
            sums);
        for (std::size_t t = 0; t < rows * cols; ++t)
          Target{p, j + t / cols * edge, c + t % cols * edge, own + t * edge * edge}.put();
      }
    }
  }
}
#else
// Built for a processor without tiles: amx_available() is false there.
AmxTiles::AmxTiles(bool on) : on_(on) {}
AmxTiles::~AmxTiles() {}
void amx_product(const AmxProduct&) {}
#endif

}  // namespace pinn::cpu
