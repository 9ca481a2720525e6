#include "solvers/optimize/dense/sketch.h"

#include <cmath>
#include <numeric>

namespace pinn {
namespace {

constexpr std::size_t copies = 4;  ///< of a row that are added
constexpr std::size_t strip = 64;  ///< rows of the sketch that a task adds up

/// x <- H x, not scaled; the size is a power of two.
void hadamard(std::vector<double>& x) {
  double* const all = x.data();
  for (std::size_t half = 1; half < x.size(); half *= 2)
    for (std::size_t i = 0; i < x.size(); i += 2 * half) {
      double* const a = all + i;
      double* const b = a + half;
      for (std::size_t k = 0; k < half; ++k) {
        const double sum = a[k] + b[k];
        b[k] = a[k] - b[k];
        a[k] = sum;
      }
    }
}

}  // namespace

RandomDirections::RandomDirections(std::size_t parameters, std::size_t directions,
                                   const Random& random)
    : signs_(parameters) {
  while (padded_ < parameters) padded_ *= 2;
  const double scale = 1 / std::sqrt(double(padded_));
  const Random of_signs = random.child(0), of_choice = random.child(1);
  for (std::size_t k = 0; k < parameters; ++k) signs_[k] = of_signs.bits(k)[0] & 1 ? scale : -scale;
  std::vector<std::uint32_t> left(padded_);
  std::iota(left.begin(), left.end(), 0);
  for (std::size_t k = 0; k < directions; ++k) {  // the first steps of a shuffle
    const auto at = k + std::size_t(of_choice.uniform(k) * double(padded_ - k));
    std::swap(left[k], left[at]);
    chosen_.push_back(left[k]);
  }
}

void RandomDirections::sketch(const double* row, std::vector<double>& room,
                              double* sketched) const {
  room.assign(padded_, 0);
  for (std::size_t k = 0; k < signs_.size(); ++k) room[k] = signs_[k] * row[k];
  hadamard(room);
  for (std::size_t k = 0; k < chosen_.size(); ++k) sketched[k] = room[chosen_[k]];
}

Eigen::VectorXd RandomDirections::lift(const Eigen::VectorXd& y) const {
  std::vector<double> room(padded_, 0);
  for (std::size_t k = 0; k < chosen_.size(); ++k) room[chosen_[k]] = y[Eigen::Index(k)];
  hadamard(room);
  Eigen::VectorXd d(Eigen::Index(signs_.size()));
  for (std::size_t k = 0; k < signs_.size(); ++k) d[Eigen::Index(k)] = signs_[k] * room[k];
  return d;
}

// Tasks add up rows of the sketch, so that no two write to one, each in the order of the rows.
Eigen::MatrixXd count_sketch(std::span<const double> rows, std::size_t columns, std::size_t into,
                             const Random& random, ThreadPool* threads) {
  const std::size_t count = rows.size() / columns;
  std::vector<std::vector<std::pair<std::size_t, double>>> of(into);  // rows, with signs
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < copies; ++c) {
      const auto bits = random.bits(i * copies + c);
      of[(std::uint64_t(bits[0]) * into) >> 32].push_back({i, bits[1] & 1 ? 0.5 : -0.5});
    }
  Eigen::MatrixXd sketch = Eigen::MatrixXd::Zero(Eigen::Index(columns), Eigen::Index(into));
  run_tasks(threads, int((into + strip - 1) / strip), [&](int task) {
    const std::size_t first = std::size_t(task) * strip, last = std::min(into, first + strip);
    for (std::size_t k = first; k < last; ++k)
      for (const auto& [i, sign] : of[k])
        sketch.col(Eigen::Index(k)) += sign * Eigen::Map<const Eigen::VectorXd>(
                                                  rows.data() + i * columns, Eigen::Index(columns));
  });
  return sketch.transpose();
}

}  // namespace pinn
