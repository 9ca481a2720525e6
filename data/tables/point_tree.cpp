#include "data/tables/scattered_table.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pinn {

PointTree::PointTree(const std::vector<double>& points, std::size_t inputs) : inputs_(inputs) {
  order_.resize(points.size() / inputs);
  std::iota(order_.begin(), order_.end(), 0);
  arrange(points, 0, order_.size(), 0);
  for (const std::size_t p : order_)
    points_.insert(points_.end(), points.begin() + std::ptrdiff_t(p * inputs),
                   points.begin() + std::ptrdiff_t((p + 1) * inputs));
}

void PointTree::arrange(const std::vector<double>& points, std::size_t begin, std::size_t end,
                        std::size_t input) {
  if (end - begin < 2) return;
  const std::size_t middle = begin + (end - begin) / 2;
  const auto at = [&](std::size_t k) { return order_.begin() + std::ptrdiff_t(k); };
  std::nth_element(at(begin), at(middle), at(end), [&](std::size_t a, std::size_t b) {
    const double x = points[a * inputs_ + input], y = points[b * inputs_ + input];
    return x < y || (x == y && a < b);
  });
  arrange(points, begin, middle, (input + 1) % inputs_);
  arrange(points, middle + 1, end, (input + 1) % inputs_);
}

std::vector<PointTree::Near> PointTree::nearest(std::span<const double> x,
                                                std::size_t count) const {
  std::vector<Near> found;
  search(x, 0, order_.size(), 0, std::min(count, order_.size()), found);
  return found;
}

void PointTree::search(std::span<const double> x, std::size_t begin, std::size_t end,
                       std::size_t input, std::size_t count, std::vector<Near>& found) const {
  if (begin == end) return;
  const std::size_t middle = begin + (end - begin) / 2;
  double distance = 0;
  for (std::size_t i = 0; i < inputs_; ++i) {
    const double gap = x[i] - points_[middle * inputs_ + i];
    distance += gap * gap;
  }
  const Near here{distance, order_[middle]};
  const auto comes_before = [](const Near& a, const Near& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.point < b.point);
  };
  if (found.size() < count || comes_before(here, found.back())) {
    found.insert(std::ranges::upper_bound(found, here, comes_before), here);
    if (found.size() > count) found.pop_back();
  }
  const double side = x[input] - points_[middle * inputs_ + input];
  const std::size_t next = (input + 1) % inputs_;
  const auto below = [&] { search(x, begin, middle, next, count, found); };
  const auto above = [&] { search(x, middle + 1, end, next, count, found); };
  side < 0 ? below() : above();
  const double farthest =
      found.size() < count ? std::numeric_limits<double>::infinity() : found.back().distance;
  if (side * side <= farthest) side < 0 ? above() : below();
}

}  // namespace pinn
