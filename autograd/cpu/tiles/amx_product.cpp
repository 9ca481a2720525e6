#include "autograd/cpu/tiles/amx_tiles.h"

namespace pinn::cpu {

#if defined(__AMX_BF16__) && defined(__AVX512BW__)
namespace {
using namespace amx;

/// Splits rows of x, as right factors: two columns of tiles from column c on, `steps` tiles from
/// row `first` on; rows and columns beyond the last are 0.
class Splitting {
 public:
  Splitting(const AmxProduct& p, std::size_t first, std::size_t steps, std::size_t c,
            std::uint16_t* to, std::size_t calls)
      : x_(p.x + first * p.x_stride + c),
        stride_(p.x_stride),
        rows_(first < p.k ? p.k - first : 0),
        pairs_(steps * depth / 2),
        each_((pairs_ + calls - 1) / calls),
        to_(to) {
    for (std::size_t v = 0; v < 2; ++v)
      masks_[v] = p.columns > c + v * edge ? first_lanes(p.columns - c - v * edge) : __mmask16(0);
  }
  /// A part of it, of as many as there are calls.
  [[gnu::always_inline]] void operator()() {
    for (std::size_t n = 0; n < each_ && pair_ < pairs_; ++n, ++pair_) {
      const bool one = rows_ > 2 * pair_, two = rows_ > 2 * pair_ + 1;
      const float *a = x_ + (one ? 2 * pair_ * stride_ : 0), *b = a + (two ? stride_ : 0);
      std::uint16_t* to = to_ + pair_ / edge * 3 * tile + pair_ % edge * depth;
#pragma GCC unroll 2
      for (std::size_t v = 0; v < 2; ++v)
        store_split(_mm512_maskz_loadu_ps(one ? masks_[v] : 0, a + v * edge),
                    _mm512_maskz_loadu_ps(two ? masks_[v] : 0, b + v * edge),
                    to + v * steps_max * 3 * tile);
    }
  }

 private:
  const float* x_;
  std::size_t stride_, rows_, pairs_, each_, pair_ = 0;
  std::uint16_t* to_;
  __mmask16 masks_[2] = {};
};

/// A tile of y: rows from j, columns from c on. One that y holds but in part, or that starts from
/// biases, goes through `own`.
struct Place {
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
  const std::size_t passes = (steps + steps_max - 1) / steps_max;
  const std::size_t panels = (p.columns + 2 * edge - 1) / (2 * edge) * passes;
  constexpr std::size_t panel = 2 * steps_max * 3 * tile;
  std::uint16_t* const split = reinterpret_cast<std::uint16_t*>(p.scratch);
  float* const own = p.scratch + panel;  // behind two panels, of which two numbers fit in a float
  static_assert(panel + 4 * edge * edge == amx_product_scratch);
  const auto first = [&](std::size_t q) { return q % passes * steps_max; };
  const auto count = [&](std::size_t q) {
    return steps - first(q) < steps_max ? steps - first(q) : steps_max;
  };
  const auto column = [&](std::size_t q) { return q / passes * 2 * edge; };
  const auto splitting = [&](std::size_t q, std::size_t calls) {
    return Splitting(p, first(q) * depth, q < panels ? count(q) : 0, column(q),
                     split + q % 2 * panel, calls);
  };
  splitting(0, 1)();
  for (std::size_t q = 0; q < panels; ++q) {
    const std::size_t c = column(q), step = first(q), now = count(q);
    const std::size_t cols = p.columns - c > edge ? 2 : 1;
    Splitting next = splitting(q + 1, (p.n + 2 * edge - 1) / (2 * edge) * now);
    for (std::size_t j = 0; j < p.n; j += 2 * edge) {
      const std::size_t rows = p.n - j > edge ? 2 : 1;
      Sums sums[4];
      for (std::size_t t = 0; t < rows * cols; ++t) {
        const Place place{p, j + t / cols * edge, c + t % cols * edge, own + t * edge * edge};
        if (step > 0) place.fetch();
        sums[t] = place.sums(step == 0);
      }
      const bool more = p.n - j > 2 * edge;
      const auto weights = [&](std::size_t j) {
        return p.packed + j / edge * tall + step * 3 * tile;
      };
      multiply(rows, cols,
               {weights(j), split + q % 2 * panel, tall, steps_max * 3 * tile, now, true,
                weights(more ? j + 2 * edge : 0)},
               sums, {more ? p.y + (j + 2 * edge) * p.y_stride + c : nullptr, p.y_stride}, next);
      for (std::size_t t = 0; t < rows * cols; ++t)
        Place{p, j + t / cols * edge, c + t % cols * edge, own + t * edge * edge}.put();
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
