#include "data/geometry/simplices.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace pinn {
namespace {

/// The same simplices of those points that they have.
Simplices without_spare_points(const Simplices& all) {
  Simplices some{all.dimension, all.corners, {}, {}, {}};
  std::unordered_map<std::int64_t, std::int64_t> number;
  for (const std::int64_t corner : all.cells) {
    const auto [at, is_new] = number.emplace(corner, std::int64_t(number.size()));
    if (is_new)
      some.points.insert(some.points.end(),
                         all.points.begin() + corner * std::int64_t(all.dimension),
                         all.points.begin() + (corner + 1) * std::int64_t(all.dimension));
    some.cells.push_back(at->second);
  }
  return some;
}

}  // namespace

Simplices faces_of(const Simplices& whole) {
  std::map<std::vector<std::int64_t>, std::pair<int, std::vector<std::int64_t>>> faces;
  for (std::size_t s = 0; s < whole.count(); ++s)
    for (std::size_t left_out = 0; left_out < whole.corners; ++left_out) {
      std::vector<std::int64_t> face;
      for (std::size_t k = 0; k < whole.corners; ++k)
        if (k != left_out) face.push_back(whole.cells[s * whole.corners + k]);
      if (!std::ranges::all_of(face,
                               [&](std::int64_t n) { return whole.on_surface[std::size_t(n)]; }))
        continue;
      if (left_out % 2 == 1 && face.size() > 1) std::swap(face[0], face[1]);  // outward, all
      std::vector<std::int64_t> key = face;
      std::ranges::sort(key);
      auto& [count, corners] = faces[key];
      ++count;
      corners = std::move(face);
    }
  Simplices found{whole.dimension, whole.corners - 1, whole.points, {}, {}};
  for (const auto& [key, face] : faces)
    if (face.first == 1)
      found.cells.insert(found.cells.end(), face.second.begin(), face.second.end());
  return without_spare_points(found);
}

Simplices kept(const Simplices& all, const std::function<bool(std::span<const double>)>& keeps) {
  std::vector<bool> good;
  for (std::size_t n = 0; n < all.point_count(); ++n)
    good.push_back(keeps(std::span(all.points).subspan(n * all.dimension, all.dimension)));
  Simplices some{all.dimension, all.corners, all.points, {}, {}};
  for (std::size_t s = 0; s < all.count(); ++s) {
    const auto first = all.cells.begin() + std::ptrdiff_t(s * all.corners);
    const auto last = first + std::ptrdiff_t(all.corners);
    if (std::all_of(first, last, [&](std::int64_t corner) { return good[std::size_t(corner)]; }))
      some.cells.insert(some.cells.end(), first, last);
  }
  return without_spare_points(some);
}

}  // namespace pinn
