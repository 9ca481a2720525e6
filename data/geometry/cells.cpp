#include "data/geometry/cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/core/error.h"
#include "data/geometry/samplers.h"

namespace pinn {
namespace {

constexpr std::size_t most_cells = 1 << 14;  // that are halved once more
constexpr double enough = 0.8;               // share of the cells that is of the set

using Point = std::vector<double>;

/// A box by its lower end; how often its sides were halved tells its size.
struct Cell {
  Point lower;
  int level;
  bool whole;
};

double product(const Point& size) {
  return std::accumulate(size.begin(), size.end(), 1.0, std::multiplies<>());
}

class Refinement {
 public:
  Refinement(const std::vector<Interval>& bounds,
             const std::function<Cover(std::span<const double>, double)>& cover)
      : cover_(cover) {
    Point lower, size;
    for (const Interval& i : bounds) lower.push_back(i.lower), size.push_back(i.upper - i.lower);
    sizes = {size};
    if (const Cover c = cover_of({lower, 0, false}); c != Cover::none)
      cells.push_back({lower, 0, c == Cover::whole});
  }

  /// Halves the cells that are not of the set as a whole.
  void halve() {
    Point size = sizes.back();
    const double longest = *std::max_element(size.begin(), size.end());
    std::vector<std::size_t> axes;
    for (std::size_t k = 0; k < size.size(); ++k)
      if (size[k] > 0.7 * longest) size[k] /= 2, axes.push_back(k);
    sizes.push_back(size);
    std::vector<Cell> next;
    for (Cell& cell : cells)
      if (cell.whole)
        next.push_back(std::move(cell));
      else
        add_children(cell, axes, next);
    cells = std::move(next);
  }

  const Point& size(const Cell& cell) const { return sizes[std::size_t(cell.level)]; }
  std::size_t parts() const {
    return std::size_t(std::count_if(cells.begin(), cells.end(), [](auto& c) { return !c.whole; }));
  }
  /// The share that is of the set, were half of each cell that is so in part.
  double share() const {
    double whole = 0, all = 0;
    for (const Cell& cell : cells) {
      all += product(size(cell));
      whole += product(size(cell)) * (cell.whole ? 1 : 0.5);
    }
    return all > 0 ? whole / all : 1;
  }

  std::vector<Cell> cells;
  std::vector<Point> sizes;  ///< by level

 private:
  void add_children(const Cell& cell, const std::vector<std::size_t>& axes, std::vector<Cell>& to) {
    for (std::size_t child = 0; child < std::size_t(1) << axes.size(); ++child) {
      Cell half{cell.lower, int(sizes.size()) - 1, false};
      for (std::size_t i = 0; i < axes.size(); ++i)
        if (child >> i & 1) half.lower[axes[i]] += size(half)[axes[i]];
      const Cover c = cover_of(half);
      half.whole = c == Cover::whole;
      if (c != Cover::none) to.push_back(std::move(half));
    }
  }

  Cover cover_of(const Cell& cell) const {
    Point center = cell.lower;
    double square = 0;
    for (std::size_t k = 0; k < center.size(); ++k) {
      const double half = size(cell)[k] / 2;
      center[k] += half;
      square += half * half;
    }
    return cover_(center, std::sqrt(square) * (1 + 1e-12));
  }

  const std::function<Cover(std::span<const double>, double)>& cover_;
};

class CellSampler : public Sampler {
 public:
  CellSampler(Refinement refinement, std::function<bool(std::span<const double>)> inside,
              double measure)
      : sizes_(std::move(refinement.sizes)), inside_(std::move(inside)), measure_(measure) {
    double sum = 0;
    for (const Cell& cell : refinement.cells) {
      ends_.push_back(sum += product(sizes_[std::size_t(cell.level)]));
      keeps_all_ = keeps_all_ && cell.whole;
    }
    cells_ = std::move(refinement.cells);
  }

  int dimension() const override { return int(cells_[0].lower.size()); }
  int numbers() const override { return dimension(); }
  double whole() const override { return ends_.back(); }
  bool keeps_all() const override { return keeps_all_; }
  double measure() const override { return measure_ > 0 ? measure_ : Sampler::measure(); }
  /// The first number chooses the cell, too.
  bool sample(std::span<const double> cube, std::span<double> x, std::span<double>) const override {
    const auto [at, first] = shapes::share_of(ends_, cube[0]);
    const Cell& cell = cells_[at];
    const Point& size = sizes_[std::size_t(cell.level)];
    for (std::size_t k = 0; k < size.size(); ++k)
      x[k] = cell.lower[k] + (k == 0 ? first : cube[k]) * size[k];
    return cell.whole || inside_(x);
  }

 private:
  const std::vector<Point> sizes_;  ///< by level
  std::vector<Cell> cells_;
  bool keeps_all_ = true;
  const std::function<bool(std::span<const double>)> inside_;
  const double measure_;
  std::vector<double> ends_;
};

}  // namespace

std::shared_ptr<const Sampler> make_cell_sampler(
    const std::vector<Interval>& bounds,
    const std::function<Cover(std::span<const double> center, double radius)>& cover,
    const std::function<bool(std::span<const double> x)>& inside, double measure) {
  Refinement refinement(bounds, cover);
  while (refinement.share() < enough && refinement.parts() < most_cells) refinement.halve();
  if (refinement.cells.empty())
    throw ConfigError({"a shape is empty", "its interior", "give it a larger size"});
  return std::make_shared<CellSampler>(std::move(refinement), inside, measure);
}

}  // namespace pinn
