#pragma once
#include <cmath>

#include "data/geometry/simplices.h"

namespace pinn {

/// The length, area or volume of all simplices, by Gram and Schmidt.
inline double measure_of(const Simplices& all) {
  double sum = 0;
  for (std::size_t s = 0; s < all.count(); ++s) {
    const auto corner = [&](std::size_t k) {
      return all.points.begin() + all.cells[s * all.corners + k] * std::ptrdiff_t(all.dimension);
    };
    std::vector<std::vector<double>> edges;
    double measure = 1;
    for (std::size_t k = 1; k < all.corners; ++k) {
      std::vector<double> edge;
      for (std::size_t c = 0; c < all.dimension; ++c)
        edge.push_back(corner(k)[std::ptrdiff_t(c)] - corner(0)[std::ptrdiff_t(c)]);
      double size = 0;
      for (const std::vector<double>& before : edges) {
        double along = 0;
        for (std::size_t c = 0; c < edge.size(); ++c) along += edge[c] * before[c];
        for (std::size_t c = 0; c < edge.size(); ++c) edge[c] -= along * before[c];
      }
      for (const double e : edge) size += e * e;
      size = std::sqrt(size);
      measure *= size / double(k);
      for (double& e : edge) e /= size;
      edges.push_back(std::move(edge));
    }
    sum += measure;
  }
  return sum;
}

}  // namespace pinn
