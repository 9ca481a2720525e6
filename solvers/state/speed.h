#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include "solvers/residual/loss/options.h"

namespace pinn {

/// How fast a run is, in whole steps: the optimizer, judging and records included. What is not
/// known is NaN.
struct Speed {
  enum Figure {
    steps,   ///< per second
    points,  ///< per second, each counted whenever loss or gradient is evaluated there
    gflops,  ///< 1e9 operations per second in matrix products
    share,   ///< of the operations that fused multiply-adds reach on the run's threads
    count
  };
  static constexpr const char* names[count] = {"steps_per_second", "points_per_second", "gflops",
                                               "share_of_peak"};
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double values[count] = {unknown, unknown, unknown, unknown};
  double operator[](int figure) const { return values[figure]; }
};

/// "812 steps/s, 2.43M points/s, 57 GFLOP/s in products, 62 % of the peak of fused multiply-adds"
std::string to_text(const Speed& speed);

/// "812", "45.3k", "1.24M", "3.00G"
std::string short_count(double value);

/// Measures a run's speed from one record to the next, and over all.
class SpeedMeter {
 public:
  /// A stage begins at this moment and total step, with a loss that has done nothing; peak in
  /// GFLOP/s.
  void start(double seconds, std::int64_t step, double peak);
  /// The peak of a number type: as `measure` finds it, or found it less than ten seconds ago.
  template <class Measure> double peak(double seconds, DType dtype, const Measure& measure) {
    constexpr double stays = 10;
    if (dtype != peak_dtype_ || !(seconds - peak_at_ < stays)) {
      latest_peak_ = measure();
      peak_dtype_ = dtype;
      peak_at_ = seconds;
    }
    return latest_peak_;
  }
  /// `work`: all that the stage's loss has done.
  void measure(double seconds, std::int64_t step, const LossWork& work);

  /// Between the last two measurements.
  const Speed& latest() const { return latest_; }
  /// Over everything measured, all stages together.
  Speed overall() const { return speed_of(total_); }

 private:
  /// Work done in some time; peak_flops is what there was time for.
  struct Sum {
    double seconds = 0, steps = 0, points = 0, product_flops = 0, peak_flops = 0;
  };
  static Speed speed_of(const Sum& sum);

  double latest_peak_ = 0, peak_at_ = -std::numeric_limits<double>::infinity();
  DType peak_dtype_ = DType::float64;
  double peak_ = 0, at_ = 0;
  std::int64_t step_ = 0;
  LossWork work_;
  Sum total_;
  Speed latest_;
};

}  // namespace pinn
