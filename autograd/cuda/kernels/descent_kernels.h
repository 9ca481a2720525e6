#pragma once
#include "autograd/core/descent.h"
#include "autograd/cuda/gpu.h"

/// The kernels of moves on a GPU (descent.h). All are begun on the compute stream and return at
/// once; all memory is of the device.
namespace pinn::cuda {

/// State that one move hands to the next.
struct DescentState {
  enum Act : int { stay, move, restore };
  DescentLimits limits;
  std::int64_t begun = 0;  ///< moves since the host set this to 0, the one that halted included
  Act act = stay;          ///< what becomes of the parameters in the present move
  bool halted = false;     ///< later moves are none
  bool has_previous = false;
  double scale = 1;  ///< of the gradient, by clipping
};

/// A term of the loss: weight * squares / points.
struct DescentTerm {
  const double* squares;
  double weight, points;
};

/// Everything that a move works on.
struct DescentArrays {
  std::int64_t parameters = 0, programs = 0, terms = 0;
  double *p = nullptr, *previous = nullptr, *gradient = nullptr;
  double* memories[2] = {};
  double* const* places = nullptr;        ///< [programs, parameters]: null where there is none
  const double* const* shares = nullptr;  ///< of the gradient, likewise
  const DescentTerm* of_loss = nullptr;
  double* sizes = nullptr;  ///< [parts of the gradient, 2]
  DescentState* state = nullptr;
  const DescentMove* moves = nullptr;
  double* found = nullptr;  ///< [moves, 2 + terms]: loss, largest component, terms
};

/// How many numbers of `sizes` that takes.
std::int64_t descent_sizes(std::int64_t parameters);

/// Puts parameters where the programs read them.
void begin_place(Gpu& gpu, const DescentArrays& a);
/// Adds up the gradient, and measures it part by part.
void begin_gather(Gpu& gpu, const DescentArrays& a);
/// The loss; whether and how far the parameters move.
void begin_decide(Gpu& gpu, const DescentArrays& a);
/// Moves them, and puts them where the programs read them.
void begin_move(Gpu& gpu, const DescentArrays& a);

}  // namespace pinn::cuda
