#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "solvers/verify/claims.h"

namespace pinn {

/// A verdict on what a run says of itself, in lines for people.
struct Verification {
  std::string text;
  bool holds = true;
  bool interrupted = false;  ///< there is none: a signal ended it

  Verification& operator+=(const Verification& other) {
    text += other.text;
    holds = holds && other.holds;
    interrupted = interrupted || other.interrupted;
    return *this;
  }
};

/// Holds numbers that are claimed against those that were computed anew.
///
///   exactly       they come from the same program for the same processors: only a rounding of 1e-12
///                 may be between them, else that of `tolerance`
///   all_claimed   a number that is not among the claims is missed: any that this program computes
///                 where it is the one that claims, else residuals, errors and unknowns
Verification compared(const Claims& claimed, const Claims& anew, bool exactly, bool all_claimed);

/// Holds the held-out residuals of a state against those at sets of points that nobody has seen
/// before: false where a claim is three times smaller than the least of these. (A residual with a
/// peak is large where a set meets that, and no claim is false for it.)
///
///   seed   of the points
Verification at_fresh_points(const Run& run, const TrainState& state, std::uint64_t seed,
                             ThreadPool& pool);

/// Trains the run again from its beginning, in a folder that is not there yet, and compares the
/// networks: false where their parameters differ although program and processor do not. A run that
/// is not done is not trained again.
///
///   run      on the device of the record
///   errors   those of train
Verification retrained(const Run& run, const Checkpoint& checkpoint, const std::string& folder);

/// True if the record is of this program, built for these processors, on the CPU: it computes the
/// same bits.
bool same_bits(const RunRecord& record);

}  // namespace pinn
