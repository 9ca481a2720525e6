#include "autograd/cuda/kernels/descent_kernels.h"

#include "autograd/cuda/kernels/launch.cuh"

namespace pinn::cuda {
namespace {

constexpr unsigned threads = 256;
/// Numbers of the gradient that one block of threads measures.
constexpr std::int64_t numbers_per_part = 1024;

constexpr std::int64_t parts_of(std::int64_t parameters) {
  return (parameters + numbers_per_part - 1) / numbers_per_part;
}

/// The size of some numbers.
struct Size {
  double squares = 0;  ///< added up
  double largest = 0;  ///< magnitude; NaN if any number is

  HD void add(const Size& other) {
    squares += other.squares;
    if (other.largest > largest || other.largest != other.largest) largest = other.largest;
  }
};

/// Sizes of a block's threads, added up in a fixed order; for each of them.
HD inline Size size_of_block(const Block& block, const Size& mine) {
  Size* const all = static_cast<Size*>(block.shared);
  all[block.thread] = mine;
  block.synchronize();
  for (int step = block.threads / 2; step > 0; step /= 2) {
    if (block.thread < step) all[block.thread].add(all[block.thread + step]);
    block.synchronize();
  }
  const Size size = all[0];
  block.synchronize();  // until every thread has read it
  return size;
}

struct Place {
  DescentArrays a;
  HD void operator()(std::int64_t i) const {
    for (std::int64_t r = 0; r < a.programs; ++r)
      if (double* const place = a.places[r * a.parameters + i]) *place = a.p[i];
  }
};

struct Gather {
  DescentArrays a;
  HD void operator()(const Block& block) const {
    const std::int64_t begin = block.index * numbers_per_part;
    const std::int64_t end =
        begin + numbers_per_part < a.parameters ? begin + numbers_per_part : a.parameters;
    Size size;
    for (std::int64_t i = begin + block.thread; i < end; i += block.threads) {
      double g = 0;
      for (std::int64_t r = 0; r < a.programs; ++r)
        if (const double* const share = a.shares[r * a.parameters + i]) g += *share;
      a.gradient[i] = g;
      size.add({g * g, g < 0 ? -g : g});
    }
    size = size_of_block(block, size);
    if (block.thread != 0) return;
    a.sizes[2 * block.index] = size.squares;
    a.sizes[2 * block.index + 1] = size.largest;
  }
};

struct Decide {
  DescentArrays a;

  HD void operator()(const Block& block) const {
    Size size;
    for (std::int64_t i = block.thread; i < parts_of(a.parameters); i += block.threads)
      size.add({a.sizes[2 * i], a.sizes[2 * i + 1]});
    size = size_of_block(block, size);
    const double scale = scale_of(block, size, a.state->limits.clip);
    if (block.thread != 0) return;
    a.state->act = DescentState::stay;
    if (!a.state->halted) decide(size, scale, *a.state);
  }

  /// The factor that shortens a gradient to the length `limit`, also where its squares overflow.
  HD double scale_of(const Block& block, const Size& size, double limit) const {
    if (limit <= 0 || size.largest - size.largest != 0) return 1;
    if (size.squares - size.squares == 0) {
      const double length = math::sqrt(size.squares);
      return length > limit ? limit / length : 1;
    }
    Size parts;  // of the largest
    for (std::int64_t i = block.thread; i < a.parameters; i += block.threads) {
      const double part = a.gradient[i] / size.largest;
      parts.add({part * part, 1});
    }
    return limit / math::sqrt(size_of_block(block, parts).squares) / size.largest;
  }

  HD void decide(const Size& size, double scale, DescentState& s) const {
    double* const found = a.found + s.begun++ * (2 + a.terms);
    const double loss = loss_of_terms(found + 2);
    found[0] = loss;
    found[1] = size.largest;
    const bool finite = loss - loss == 0 && size.largest - size.largest == 0;
    const bool steep = size.largest > 0 && size.largest >= s.limits.tolerance;
    s.halted = !finite || !steep || loss < s.limits.enough;
    if (!finite) {
      if (s.has_previous) s.act = DescentState::restore;
      return;
    }
    if (!steep) return;
    s.scale = scale;
    s.act = DescentState::move;
    s.has_previous = true;
  }

  HD double loss_of_terms(double* terms) const {
    double loss = 0;
    for (std::int64_t k = 0; k < a.terms; ++k) {
      terms[k] = *a.of_loss[k].squares / a.of_loss[k].points;
      loss += a.of_loss[k].weight * terms[k];
    }
    return loss;
  }
};

/// Memory of the rule for parameter i.
struct MemoryOf {
  double* const* memories;
  std::int64_t i;
  HD double& operator()(int k) const { return memories[k][i]; }
};

struct MoveEach {
  DescentArrays a;
  HD void operator()(std::int64_t i) const {
    const DescentState& s = *a.state;
    if (s.act == DescentState::stay) return;
    if (s.act == DescentState::restore) {
      a.p[i] = a.previous[i];
    } else {
      const DescentMove& m = a.moves[s.begun - 1];
      const double g = s.scale * a.gradient[i];
      a.previous[i] = a.p[i];
      m.move(g, a.p[i], MemoryOf{a.memories, i});
    }
    Place{a}(i);
  }
};

}  // namespace

std::int64_t descent_sizes(std::int64_t parameters) { return 2 * parts_of(parameters); }

void begin_place(Gpu& gpu, const DescentArrays& a) { for_each(gpu, a.parameters, Place{a}); }

void begin_gather(Gpu& gpu, const DescentArrays& a) {
  for_each_block(gpu, parts_of(a.parameters), threads, threads * sizeof(Size), Gather{a});
}

void begin_decide(Gpu& gpu, const DescentArrays& a) {
  for_each_block(gpu, 1, threads, threads * sizeof(Size), Decide{a});
}

void begin_move(Gpu& gpu, const DescentArrays& a) { for_each(gpu, a.parameters, MoveEach{a}); }

}  // namespace pinn::cuda
