#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>

#include "data/geometry/simplices.h"

namespace pinn {
namespace {

/// The places of a regular grid over the intervals of a box that are not fixed.
class Lattice {
 public:
  Lattice(const std::vector<Interval>& box, const std::vector<int>& cells) : box_(box) {
    for (std::size_t k = 0; k < box.size(); ++k) {
      if (box[k].fixed()) continue;
      axes_.push_back({k, long(std::max(cells[k], 1)), count_});
      count_ *= axes_.back().cells + 1;
    }
  }
  struct Axis {
    std::size_t coordinate;
    long cells, stride;
  };
  const std::vector<Axis>& axes() const { return axes_; }
  long count() const { return count_; }

  std::vector<double> place(long number) const {
    std::vector<double> x;
    for (const Interval& i : box_) x.push_back(i.lower);
    for (const auto& [k, cells, stride] : axes_)
      x[k] = std::lerp(box_[k].lower, box_[k].upper,
                       double(number / stride % (cells + 1)) / double(cells));
    return x;
  }

  /// Calls f(lower corner) for every cell.
  template <class F> void for_each_cell(F f) const {
    for (long n = 0; n < count_; ++n)
      if (std::ranges::none_of(
              axes_, [&](const Axis& a) { return n / a.stride % (a.cells + 1) == a.cells; }))
        f(n);
  }

 private:
  const std::vector<Interval>& box_;
  std::vector<Axis> axes_;
  long count_ = 1;
};

double determinant(std::vector<std::vector<double>> m) {
  double product = 1;
  for (std::size_t k = 0; k < m.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < m.size(); ++i)
      if (std::fabs(m[i][k]) > std::fabs(m[pivot][k])) pivot = i;
    if (m[pivot][k] == 0) return 0;
    if (pivot != k) std::swap(m[pivot], m[k]), product = -product;
    product *= m[k][k];
    for (std::size_t i = k + 1; i < m.size(); ++i)
      for (std::size_t j = m.size(); j-- > k;) m[i][j] -= m[i][k] / m[k][k] * m[k][j];
  }
  return product;
}

class Filling {
 public:
  Filling(const std::function<Side(std::span<const double>)>& side,
          const std::vector<Interval>& box, const std::vector<int>& cells)
      : side_(side), lattice_(box, cells), d_(lattice_.axes().size()) {
    found_.dimension = box.size();
    found_.corners = d_ + 1;
    sides_.reserve(std::size_t(lattice_.count()));
    for (long n = 0; n < lattice_.count(); ++n) sides_.push_back(side_(lattice_.place(n)));
  }

  Simplices result() {
    std::vector<std::size_t> order(d_);
    std::iota(order.begin(), order.end(), std::size_t(0));
    do {
      lattice_.for_each_cell([&](long first) {
        std::vector<long> simplex{first};
        for (const std::size_t k : order)
          simplex.push_back(simplex.back() + lattice_.axes()[k].stride);
        add_part(simplex);
      });
    } while (std::ranges::next_permutation(order).found);
    return std::move(found_);
  }

 private:
  /// Adds the part of a simplex of the grid that is inside. Where a face is cut into two, the
  /// diagonal begins at the corner inside with the smaller number, so that neighbors agree.
  void add_part(const std::vector<long>& simplex) {
    std::vector<long> in, on, out;  // ascending, as in the simplex
    for (const long corner : simplex) {
      const Side side = sides_[std::size_t(corner)];
      (side == Side::inside ? in : side == Side::on ? on : out).push_back(corner);
    }
    if (in.empty() && (!out.empty() || !holds_center(simplex))) return;
    std::vector<std::int64_t> fixed;
    for (const long corner : on) fixed.push_back(point(corner));
    if (out.empty()) {
      for (const long corner : in) fixed.push_back(point(corner));
      return add(fixed);
    }
    if (in.size() == 1) {
      fixed.push_back(point(in[0]));
      for (const long corner : out) fixed.push_back(cut(in[0], corner));
      return add(fixed);
    }
    if (out.size() == 1) {  // a prism between the corners inside and the cuts
      for (std::size_t j = 0; j < in.size(); ++j) {
        std::vector<std::int64_t> part = fixed;
        for (std::size_t i = 0; i <= j; ++i) part.push_back(point(in[i]));
        for (std::size_t i = j; i < in.size(); ++i) part.push_back(cut(in[i], out[0]));
        add(part);
      }
      return;
    }
    const long a = in[0], b = in[1], c = out[0], e = out[1];  // a wedge along the edge from a to b
    add({point(a), point(b), cut(b, c), cut(b, e)});
    add({point(a), cut(a, c), cut(a, e), cut(b, e)});
    add({point(a), cut(a, c), cut(b, e), cut(b, c)});
  }

  bool holds_center(const std::vector<long>& simplex) const {
    std::vector<double> center(found_.dimension);
    for (const long corner : simplex) {
      const std::vector<double> x = lattice_.place(corner);
      for (std::size_t k = 0; k < x.size(); ++k) center[k] += x[k] / double(simplex.size());
    }
    return side_(center) == Side::inside;
  }

  std::int64_t append(const std::vector<double>& x) {
    found_.points.insert(found_.points.end(), x.begin(), x.end());
    return std::int64_t(found_.point_count()) - 1;
  }

  std::int64_t point(long corner) {
    const auto [at, is_new] = corners_.emplace(corner, 0);
    if (!is_new) return at->second;
    found_.on_surface.push_back(sides_[std::size_t(corner)] == Side::on);
    return at->second = append(lattice_.place(corner));
  }

  /// Point of the surface between a corner inside and one outside.
  std::int64_t cut(long in, long out) {
    const auto [at, is_new] = cuts_.emplace(std::pair(in, out), 0);
    if (!is_new) return at->second;
    const std::vector<double> a = lattice_.place(in), b = lattice_.place(out);
    double from = 0, to = 1;
    std::vector<double> x(a.size());
    const auto put = [&](double share) {
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::lerp(a[k], b[k], share);
    };
    for (int k = 0; k < 50; ++k) {
      const double middle = (from + to) / 2;
      put(middle);
      (side_(x) == Side::inside ? from : to) = middle;
    }
    put((from + to) / 2);
    found_.on_surface.push_back(true);
    return at->second = append(x);
  }

  /// With its corners in the order of the coordinates' handedness; what has no volume is left out.
  void add(std::vector<std::int64_t> simplex) {
    std::vector<std::vector<double>> edges;
    double size = 1;
    for (std::size_t i = 1; i <= d_; ++i) {
      std::vector<double>& edge = edges.emplace_back();
      for (const auto& axis : lattice_.axes())
        edge.push_back(coordinate(simplex[i], axis.coordinate) -
                       coordinate(simplex[0], axis.coordinate));
      size *= std::sqrt(std::inner_product(edge.begin(), edge.end(), edge.begin(), 0.0));
    }
    const double volume = determinant(edges);
    if (!(std::fabs(volume) > 1e-14 * size)) return;
    if (volume < 0) std::swap(simplex[0], simplex[1]);
    found_.cells.insert(found_.cells.end(), simplex.begin(), simplex.end());
  }

  double coordinate(std::int64_t point, std::size_t k) const {
    return found_.points[std::size_t(point) * found_.dimension + k];
  }

  const std::function<Side(std::span<const double>)>& side_;
  const Lattice lattice_;
  const std::size_t d_;
  std::vector<Side> sides_;
  Simplices found_;
  std::unordered_map<long, std::int64_t> corners_;
  std::map<std::pair<long, long>, std::int64_t> cuts_;
};

}  // namespace

Simplices filled(const std::function<Side(std::span<const double>)>& side,
                 const std::vector<Interval>& box, const std::vector<int>& cells) {
  return Filling(side, box, cells).result();
}

}  // namespace pinn
