#include "solvers/train/batches.h"

#include <algorithm>
#include <numeric>

namespace pinn {

Batches::Batches(PointSet points, std::size_t size, const Random& random)
    : points_(std::move(points)), batches_((points_.count + size - 1) / size), random_(random) {}

PointSet Batches::at(std::int64_t step) {
  take_order(std::uint32_t(std::size_t(step) / batches_));
  const std::size_t i = std::size_t(step) % batches_;
  const std::size_t begin = points_.count * i / batches_, end = points_.count * (i + 1) / batches_;
  PointSet batch;
  batch.count = end - begin;
  for (const auto array :
       {&PointSet::x, &PointSet::normals, &PointSet::columns, &PointSet::weights}) {
    const std::vector<double>& all = points_.*array;
    const std::size_t width = all.size() / points_.count;
    for (std::size_t k = begin; k < end; ++k) {
      const auto row = all.begin() + std::ptrdiff_t(order_[k] * width);
      (batch.*array).insert((batch.*array).end(), row, row + std::ptrdiff_t(width));
    }
  }
  return batch;
}

void Batches::take_order(std::uint32_t number) {
  if (!order_.empty() && random_.draw == number) return;
  random_.draw = number;
  std::vector<double> keys;
  for (std::size_t i = 0; i < points_.count; ++i) keys.push_back(random_.uniform(i));
  order_.resize(points_.count);
  std::iota(order_.begin(), order_.end(), std::size_t(0));
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
}

}  // namespace pinn
