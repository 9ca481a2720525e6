#pragma once
#include <memory>
#include <optional>

#include "data/geometry/cut.h"
#include "data/geometry/measure.h"
#include "data/geometry/moving_set.h"

namespace pinn {

/// Points of a cut: of space first, then of the other coordinates that are free.
class CutSampler : public Sampler {
 public:
  /// `cut` is to outlive it.
  explicit CutSampler(const Cut& cut);

  int dimension() const override { return int(cut_.box.size()); }
  int numbers() const override { return of_space() + free_; }
  double whole() const override { return (moving_ ? moving_->whole() : set_->whole()) * lengths(); }
  bool keeps_all() const override {
    return !moving_ && !cuts_ && cut_.conditions.empty() && set_->keeps_all();
  }
  /// Measure of what moves: integrated over the other coordinates.
  double measure() const override;
  /// Panels of what does not move: those of the body, cut the same way at all values of the others.
  std::optional<Panels> panels() const override;
  bool sample(std::span<const double> cube, std::span<double> x,
              std::span<double> n) const override;

 private:
  int of_space() const { return moving_ ? moving_->numbers() : set_->numbers(); }
  /// Product of the lengths of the other coordinates that are free.
  double lengths() const;
  std::vector<Interval> box_of_space() const;
  std::shared_ptr<const Sampler> plane() const;
  void set_others(std::span<const double> cube, std::span<double> x) const;
  /// True if a place lies in the box and meets the conditions; x has it then. It is put where the
  /// box fixes a coordinate.
  bool meets(std::span<const double> place, std::span<double> x) const;
  /// Kept parts of a curve at a value of all other coordinates, as shares of their intervals; ends
  /// are found by bisection. Stretches of less than a thousandth of an interval may be missed.
  std::vector<Interval> kept_of(const std::vector<Interval>& all, double others) const;
  /// Measure in space, at values of the other coordinates.
  double measure_at(std::span<double> x, SpreadPoints& cubes) const;

  const Cut& cut_;
  std::shared_ptr<const Sampler> set_;  ///< of a body that does not move, or of a plane
  std::optional<MovingSet> moving_;
  std::vector<std::size_t> others_;
  int free_ = 0;
  bool cuts_ = false;
  double tolerance_ = 0;
};

}  // namespace pinn
