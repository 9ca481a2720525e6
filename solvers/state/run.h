#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/tape/saved_policy.h"
#include "data/reference/solution.h"
#include "data/sampling/adaptive.h"
#include "data/sampling/points.h"
#include "models/parts/options.h"
#include "solvers/optimize/optimizer.h"
#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"
#include "solvers/problem/values.h"
#include "solvers/state/weighting.h"

namespace pinn {

/// A constant that a stage begins with another value and brings to its own, in levels of as many
/// steps each: by equal factors, or by equal differences where there is no such factor.
struct Ramp {
  std::string constant;
  double from = 0;
  int levels = 8;  ///< both ends included
};

/// One optimizer's turn.
struct Stage {
  std::string name;  ///< default: its number, from 1
  OptimizerOptions optimizer;
  std::string precision;            ///< "float64" | "float32": what a step computes in
  long batch = 0;                   ///< most points of a requirement that a step looks at; 0: all
  WeightingOptions weighting = {};  ///< how weights of terms follow the training
  PointwiseOptions pointwise = {};  ///< ... and those of points
  CausalOptions causal = {};
  AdaptiveOptions sampling = {};        ///< how points follow the residual
  std::vector<Ramp> ramp = {};          ///< constants on the way to their values
  double average = 0;  ///< share of what was before in a mean of the parameters, per step; 0: none
  std::vector<std::string> train = {};  ///< unknowns, and "network"; empty: all
};

/// Time cut into slices, which are trained one after the other.
struct WindowOptions {
  std::vector<double> edges;  ///< between one window and the next; empty: all time is one
  bool carry = true;          ///< parameters start from the best of the window before
  /// Per field the hard constraint as written, where it says initial(...); else null. Empty: none.
  std::vector<ExpressionPtr> outputs = {};
};

struct CheckpointOptions {
  long every = 0;       ///< steps; 0: by minutes only
  double minutes = 10;  ///< 0: by steps only
};

/// When the held-out residual no longer falls: less than by `factor` in so many steps of a stage.
struct GainOptions {
  double factor = 0;  ///< 0: this ends nothing
  long steps = 1000;
};

struct RunOptions {
  std::uint64_t seed = 0;
  std::string device = "auto";       ///< cpu | cuda | cuda:N | auto
  long device_limit = 0;             ///< bytes of a GPU's memory; 0: as much as there is
  int threads = 0;                   ///< 0: what affinity and cgroup allow
  std::string precision;             ///< default of the stages
  std::string products = "exact";    ///< exact | tf32 | 3xtf32 | bf16x3, in float32
  std::string derivatives = "auto";  ///< auto | taylor | reverse | stochastic
  int directions = 16;               ///< stochastic: along which a Laplacian is estimated
  CheckpointOptions checkpoint;
  double max_time = 0;    ///< seconds; 0: no limit
  double stop_below = 0;  ///< early stop: total loss
  long patience = 0;      ///< early stop: steps without a better held-out residual; 0: never
  GainOptions gain;       ///< early stop: held-out residual that falls too slowly
};

/// A number that is asked for, by its name.
struct OutputValue {
  std::string name;
  ValueFormula formula;
  std::shared_ptr<const Region> region;  ///< over which its functionals are taken; or null
  std::string text, on;                  ///< as written; `on` is "" for the interior
};

/// The positions of a grid along a coordinate: so many, both ends included, or one place.
struct GridAxis {
  int count = 101;
  std::optional<double> place = {};

  GridAxis(int positions) : count(positions) {}
  static GridAxis at(double x) {
    GridAxis axis(1);
    axis.place = x;
    return axis;
  }
  bool operator==(const GridAxis&) const = default;
};

/// Options of the output: where and what to write into fields.h5.
struct OutputOptions {
  std::vector<GridAxis> grid;              ///< per coordinate, in order
  std::string points_file;                 ///< instead of a grid
  bool training_points = false;            ///< also the points of the last step
  bool trust = true;                       ///< at the end, what is known without a reference
  bool report = true;                      ///< at the end, a page to look at
  std::string metrics = "jsonl";           ///< jsonl | csv: metrics.csv beside metrics.jsonl
  bool tensorboard = false;                ///< also event files for TensorBoard
  std::vector<Text> fields;                ///< names or expressions as written: u, u_x, residual
  std::vector<ExpressionPtr> expressions;  ///< the same, parsed; null for "residual" (all of them)
  std::vector<OutputValue> values;         ///< numbers, of all time
};

/// A quantity that the result is compared in.
struct ReferenceQuantity {
  std::string name;          ///< of a field, a derivative or a define: u, u_x
  ExpressionPtr expression;  ///< the same, parsed: what the model has
  ExpressionPtr exact;       ///< the formula it is compared with; null: the file
  double error = NAN;        ///< the promised relative L2 error; NaN where none is
};

/// Expected value of a number that is asked for.
struct ReferenceValue {
  std::string name;
  double value = 0;
  double error = NAN;  ///< the promised relative error; NaN where none is
};

struct ReferenceOptions {
  std::vector<ReferenceQuantity> quantities;  ///< fields first, in their order
  std::optional<Solution> solution;           ///< values of all quantities, from a file
  std::vector<ReferenceValue> values;         ///< of the output's
  /// Per coordinate whether it is one of those over which means are taken out before; empty: none.
  std::vector<bool> gauge;
  bool strict = false;  ///< a broken promise is a failure
};

/// Values that belong to points: from x [count, coordinates] to [count, columns].
using PointValuesOf = std::function<std::vector<double>(std::span<const double> x)>;

/// A whole run, fully checked: what configs reads and solvers/train does.
struct Run {
  std::string name;  ///< the problem file's stem
  std::string path;  ///< the problem file
  Problem problem;
  std::vector<SamplingOptions> sampling;  ///< one per requirement
  /// One per requirement: the columns that its points bring, for residuals to read. Empty, or null
  /// where they bring none, or those of data.
  std::vector<PointValuesOf> handed;
  std::vector<NetworkOptions> networks = {{}};
  std::vector<Stage> stages;
  WindowOptions windows;
  RunOptions options;
  SavedOptions memory;
  OutputOptions output;
  ReferenceOptions reference;
  Warnings warnings;                             ///< what its reader noticed
  std::string source;                            ///< the file as written
  std::vector<std::string> overrides;            ///< --set, in order
  std::string chosen;                            ///< by the program, where the file lacks it: TOML
  std::map<std::string, std::string> effective;  ///< every key with its value in force
  std::map<std::string, std::string> hashes;     ///< of data and reference files
};

}  // namespace pinn
