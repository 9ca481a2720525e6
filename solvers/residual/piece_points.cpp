#include "solvers/residual/points.h"

#include "solvers/problem/pieces.h"

namespace pinn {

std::vector<std::vector<std::size_t>> points_by_piece(const Requirement& requirement,
                                                      const PointSet& points) {
  const std::vector<PartitionPtr> partitions = partitions_of(requirement);
  std::vector<std::vector<std::size_t>> all(piece_count(partitions));
  const std::size_t d = points.x.size() / std::max<std::size_t>(1, points.count);
  for (std::size_t n = 0; n < points.count; ++n)
    all[piece_at(partitions, std::span(points.x).subspan(n * d, d))].push_back(n);
  return all;
}

PointSet some_of(const PointSet& points, const std::vector<std::size_t>& which) {
  PointSet some;
  some.count = which.size();
  for (const auto array :
       {&PointSet::x, &PointSet::normals, &PointSet::columns, &PointSet::weights}) {
    const std::vector<double>& all = points.*array;
    const std::size_t width = all.size() / std::max<std::size_t>(1, points.count);
    for (const std::size_t n : which)
      (some.*array)
          .insert((some.*array).end(), all.begin() + std::ptrdiff_t(n * width),
                  all.begin() + std::ptrdiff_t((n + 1) * width));
  }
  return some;
}

PointSet in_order_of_pieces(PointSet points, const Requirement& requirement) {
  if (partitions_of(requirement).empty()) return points;
  std::vector<std::size_t> order;
  for (const std::vector<std::size_t>& piece : points_by_piece(requirement, points))
    order.insert(order.end(), piece.begin(), piece.end());
  return some_of(points, order);
}

}  // namespace pinn
