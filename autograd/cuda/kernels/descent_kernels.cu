#include "autograd/cuda/kernels/descent_kernels.h"

#include "autograd/cuda/kernels/launch.cuh"

namespace pinn::cuda {
namespace {

constexpr unsigned threads = 256;
/// Of the gradient, measured by one block of threads.
constexpr std::int64_t numbers_per_part = 1024;

constexpr std::int64_t parts_of(std::int64_t parameters) {
  return (parameters + numbers_per_part - 1) / numbers_per_part;
}

constexpr double reduction = 0x1p-600;

/// The size of some numbers.
struct Size {
  double squares = 0;  ///< added up
  double largest = 0;  ///< magnitude; NaN if any number is
  double reduced = 0;  ///< squares of the numbers times `reduction`, which are always finite

  HD void add(const Size& other) {
    squares += other.squares;
    reduced += other.reduced;
    if (other.largest > largest || other.largest != other.largest) largest = other.largest;
  }
};

/// What the threads of a block have, added up in a fixed order; for thread 0.
HD inline Size size_of_block(const Block& block, const Size& mine) {
  Size* const all = static_cast<Size*>(block.shared);
  all[block.thread] = mine;
  block.synchronize();
  for (int step = block.threads / 2; step > 0; step /= 2) {
    if (block.thread < step) all[block.thread].add(all[block.thread + step]);
    block.synchronize();
  }
  return all[0];
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
      const double less = g * reduction;
      size.add({g * g, g < 0 ? -g : g, less * less});
    }
    size = size_of_block(block, size);
    if (block.thread != 0) return;
    double* const to = a.sizes + 3 * block.index;
    to[0] = size.squares, to[1] = size.largest, to[2] = size.reduced;
  }
};

struct Decide {
  DescentArrays a;

  HD void operator()(const Block& block) const {
    Size size;
    for (std::int64_t i = block.thread; i < parts_of(a.parameters); i += block.threads)
      size.add({a.sizes[3 * i], a.sizes[3 * i + 1], a.sizes[3 * i + 2]});
    size = size_of_block(block, size);
    if (block.thread != 0) return;
    a.state->act = DescentState::stay;
    if (!a.state->halted) decide(size, *a.state);
  }

  HD void decide(const Size& size, DescentState& s) const {
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
    const double length = math::sqrt(size.squares), clip = s.limits.clip;
    s.scale = clip > 0 && length > clip ? clip / length : 1;
    if (s.scale == 0) s.scale = clip / math::sqrt(size.reduced) * reduction;  // squares overflow
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

/// What the rule remembers of parameter i.
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

std::int64_t descent_sizes(std::int64_t parameters) { return 3 * parts_of(parameters); }

void begin_place(Gpu& gpu, const DescentArrays& a) { for_each(gpu, a.parameters, Place{a}); }

void begin_gather(Gpu& gpu, const DescentArrays& a) {
  for_each_block(gpu, parts_of(a.parameters), threads, threads * sizeof(Size), Gather{a});
}

void begin_decide(Gpu& gpu, const DescentArrays& a) {
  for_each_block(gpu, 1, threads, threads * sizeof(Size), Decide{a});
}

void begin_move(Gpu& gpu, const DescentArrays& a) { for_each(gpu, a.parameters, MoveEach{a}); }

}  // namespace pinn::cuda
