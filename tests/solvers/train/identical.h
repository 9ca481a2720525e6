#pragma once
#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string>

#include "solvers/state/state.h"

namespace pinn {
namespace bits {

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

inline bool same_bits(double a, double b) { return same_bits({&a, 1}, {&b, 1}); }

inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  return a.shape() == b.shape() && same_bits(a.data<double>(), b.data<double>());
}

inline bool same_bits(const OptimizerMemory& a, const OptimizerMemory& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.first == y.first && same_bits(x.second, y.second);
  };
  return a.moves == b.moves &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), same) &&
         std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(), same);
}

inline bool same_bits(const Draw& a, const Draw& b) {
  return a.count == b.count && a.step == b.step && same_bits(a.x, b.x) &&
         same_bits(a.normals, b.normals) && same_bits(a.weights, b.weights) &&
         same_bits(a.concentration, b.concentration);
}

inline bool same_bits(const Speed& a, const Speed& b) {
  for (int i = 0; i < Speed::count; ++i)
    if (!same_bits(a[i], b[i])) return false;
  return true;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return same_bits(std::span<const double>(a), std::span<const double>(b));
}

inline bool same_bits(const PointFactors& a, const PointFactors& b) {
  return same_bits(a.factors, b.factors) && same_bits(a.first, b.first) &&
         same_bits(a.second, b.second) && a.moves == b.moves;
}

inline bool same_bits(const std::map<std::string, double>& a,
                      const std::map<std::string, double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && same_bits(x.second, y.second);
  });
}

inline bool same_best(const BestModel& a, const BestModel& b) {
  return same_bits(a.parameters, b.parameters) && same_bits(a.residual, b.residual) &&
         a.step == b.step && same_bits(a.smallest, b.smallest) &&
         a.smallest_step == b.smallest_step && same_bits(a.errors, b.errors) &&
         same_bits(a.values, b.values);
}

inline bool same_bits(const FinishedWindow& a, const FinishedWindow& b) {
  return same_best(a.best, b.best) && a.end == b.end;
}

template <class T> bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same_bits(x, y); });
}

inline bool same_weighting(const Weighting& a, const Weighting& b) {
  return same_bits(a.first, b.first) && same_bits(a.before, b.before) && a.changes == b.changes &&
         all_same(a.points, b.points) && all_same(a.causal, b.causal);
}

inline bool same_history(const LossHistory& a, const LossHistory& b) {
  return a.columns == b.columns && a.steps == b.steps && same_bits(a.values, b.values) &&
         all_same(a.speed, b.speed);
}

}  // namespace bits

/// True if both are equal to the last bit, NaN equal to itself.
inline bool identical(const TrainState& a, const TrainState& b) {
  using namespace bits;
  return same_bits(a.parameters, b.parameters) && all_same(a.memory, b.memory) &&
         a.stage == b.stage && a.stage_step == b.stage_step && a.step == b.step &&
         all_same(a.draws, b.draws) && same_bits(a.weights, b.weights) &&
         same_weighting(a.weighting, b.weighting) && same_best(a.best, b.best) &&
         a.steps_without_better == b.steps_without_better && same_history(a.history, b.history) &&
         same_bits(a.seconds, b.seconds) && a.ramp_step == b.ramp_step &&
         all_same(a.finished, b.finished);
}

}  // namespace pinn
