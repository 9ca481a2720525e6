#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/core/error.h"
#include "solvers/results/trust.h"
#include "solvers/state/state.h"

namespace pinn {

/// How far a model is from the reference in one quantity.
struct Distance {
  std::string name;  ///< of a field, a derivative or a define: u, u_x
  /// |model - reference| / |reference|, root mean squares over the domain; NaN where the model is
  /// not a finite number somewhere.
  double l2 = 0;
  bool absolute = false;  ///< |model - reference| alone: the reference is zero
  double largest = 0;     ///< of |model - reference| at a point
  std::string where;      ///< that point, "x = 0.01, t = 0.99"; or the first that is not finite

  bool operator==(const Distance&) const = default;
};

/// A number of `[output.values]`, as the result has it.
struct FoundValue {
  std::string name;
  double value = 0;
  double quadrature = 0;  ///< the most that rules of integration differ by
  double error = NAN;     ///< |value - reference| / |reference|; NaN where there is no reference
  bool absolute = false;  ///< |value - reference| alone: the reference is zero
};

/// "drag = 5.57953523, relative error 8.33e-05"; and by how much integrals may be off, where that
/// is above 1e-6 of it.
std::string value_text(const FoundValue& value);

/// "relative L2 error of u: 2.82e-05, largest 1.30e-04 at x = 0.01, t = 0.99", or
/// "no error of u: it is not a finite number at x = 0, t = 0"
std::string distance_text(const Distance& distance);

/// Sizes of the residuals of a loss term.
struct TermResult {
  std::string name;
  double training = 0, held_out = 0;  ///< mean squares at the training points and at others
  double largest = 0;                 ///< in absolute value, of the held-out ones
};

/// The network that a run ends with, where it is not the result.
struct LastNetwork {
  std::int64_t step = 0;
  double loss = 0;               ///< at held-out points
  std::vector<Distance> errors;  ///< from the reference
};

/// A window of time and its result.
struct WindowResult {
  double from = 0, to = 0;
  std::int64_t step = 0;  ///< at which its network was found
  double loss = 0;        ///< at its held-out points
};

/// How a run ended. The result is the network with the smallest loss at held-out points: all
/// figures are its own, but for those of `last`. In windows of time they are of the last window,
/// but for `errors`, which are of all time.
struct TrainResult {
  bool interrupted = false;
  std::string reason;  ///< why it stopped before its end, or ""
  std::string folder;
  std::int64_t step = 0;  ///< at which the result was found
  double loss = 0;        ///< at held-out points
  std::vector<TermResult> terms;
  std::vector<Distance> errors;                          ///< from the reference
  std::vector<FoundValue> values;                        ///< of `[output.values]`, of all time
  std::vector<std::pair<std::string, double>> unknowns;  ///< as found
  Trust trust;                                           ///< what is known without a reference
  std::optional<LastNetwork> last;
  std::string speed;                  ///< of training, in words; "": it was not measured
  std::vector<WindowResult> windows;  ///< in order, where there are several
  std::vector<Report> warnings;       ///< about the result
  bool failed = false;                ///< a promise of [reference] is broken, and the run is strict
  std::vector<std::string> files;
  std::string page;  ///< of the report, beside these; "": there is none
};

/// Results of the windows, where there are several and the last of them is at work.
std::vector<WindowResult> windows_of(const Run& run, const TrainState& state);

/// Which of a run's networks is its result: "the network of step 2900 (the last is of step 3000),
/// with the held-out residual 1.2e-07".
std::string which_network(const BestModel& best, std::int64_t last_step);
/// The same of a run that may have windows of time, of which some are done.
std::string which_network(const TrainState& state);

}  // namespace pinn
