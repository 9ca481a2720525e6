#include "data/geometry/implicit/level.h"

#include <fmt/format.h>

#include "autograd/core/error.h"

namespace pinn::implicit {
namespace {

constexpr int default_cells[] = {4096, 256, 64};

void check(const LevelSet& set) {
  const std::size_t d = set.lower.size();
  if (d < 1 || d > 3 || set.upper.size() != d)
    throw ConfigError({fmt::format("the box of an implicit shape has {} lower and {} upper ends", d,
                                   set.upper.size()),
                       "lower", "give one of each per coordinate of space, one to three"});
  for (std::size_t k = 0; k < d; ++k)
    if (!(std::isfinite(set.lower[k]) && std::isfinite(set.upper[k]) &&
          set.lower[k] < set.upper[k]))
      throw ConfigError({fmt::format("the box of an implicit shape reaches from {} to {}",
                                     set.lower[k], set.upper[k]),
                         "lower", "give finite numbers, `lower` below `upper`"});
  if (set.cells < 0 || set.cells > 4096)
    throw ConfigError({fmt::format("an implicit shape cannot be found by {} cells", set.cells),
                       "cells", "give 1 to 4096"});
}

}  // namespace

Level::Level(LevelSet set) : set_(std::move(set)) {
  check(set_);
  if (set_.cells == 0) set_.cells = default_cells[set_.lower.size() - 1];
  for (std::size_t k = 0; k < set_.lower.size(); ++k)
    size_ = std::max(size_, set_.upper[k] - set_.lower[k]);
}

Vector Level::gradient(const Vector& x) const {
  Vector g{};
  if (set_.gradient) {
    set_.gradient({x.data(), set_.lower.size()}, {g.data(), set_.lower.size()});
    return g;
  }
  const double h = 6e-6 * size_;  // the cube root of the rounding error
  for (std::size_t k = 0; k < set_.lower.size(); ++k) {
    Vector up = x, down = x;
    up[k] = std::min(x[k] + h, std::max(set_.upper[k], x[k]));
    down[k] = std::max(x[k] - h, std::min(set_.lower[k], x[k]));
    g[k] = (value(up) - value(down)) / (up[k] - down[k]);
  }
  return g;
}

bool Level::in_box(const Vector& x, double beyond) const {
  for (std::size_t k = 0; k < set_.lower.size(); ++k)
    if (!(x[k] >= set_.lower[k] - beyond && x[k] <= set_.upper[k] + beyond)) return false;
  return true;
}

// The method of false position, which halves the value of an end that stays (Dowell and Jarratt
// 1971, the Illinois method).
Vector Level::root(Vector a, Vector b) const {
  double of_a = value(a), of_b = value(b);
  if (of_a > 0) std::swap(a, b), std::swap(of_a, of_b);
  if (of_b <= 0) return b;
  Vector best = -of_a < of_b ? a : b;
  double of_best = std::min(-of_a, of_b);
  for (int i = 0, stays = 0; i < 100 && of_best > 0; ++i) {
    const double share = of_a / (of_a - of_b);
    const Vector middle = a + share * (b - a);
    if (middle == a || middle == b) break;
    const double of_middle = value(middle);
    if (std::fabs(of_middle) < of_best) best = middle, of_best = std::fabs(of_middle);
    if (of_middle > 0) {
      b = middle, of_b = of_middle;
      if (stays == 1) of_a /= 2;
      stays = 1;
    } else {
      a = middle, of_a = of_middle;
      if (stays == -1) of_b /= 2;
      stays = -1;
    }
    if (mesh::length(b - a) <= 4e-16 * size_) break;
  }
  return best;
}

bool Level::retract(Vector& x) const {
  for (int i = 0; i < 30; ++i) {
    const Vector g = gradient(x);
    const double square = mesh::dot(g, g), step = value(x) / square;
    if (!std::isfinite(step)) return false;
    const Vector next = x - step * g;
    const double moved = mesh::length(next - x);
    if (moved > 2 * cell() || !in_box(next, cell())) return false;
    x = next;
    if (moved <= 4e-16 * size_) return true;
  }
  return std::fabs(value(x)) <= 1e-12 * size_ * mesh::length(gradient(x));
}

std::string place(const Vector& x, int dimension) {
  std::string text;
  for (int k = 0; k < dimension; ++k) text += fmt::format("{}{:.6g}", k == 0 ? "(" : ", ", x[k]);
  return text + ")";
}

}  // namespace pinn::implicit
