#include <algorithm>
#include <limits>

#include "data/geometry/shapes/half_planes.h"
#include "data/geometry/shapes/kinds.h"

namespace pinn::shapes {
namespace {

template <class T> struct TriangleDistance {
  struct Edge {
    T x, y, along_x, along_y, size, side;
    T beyond(Place<T> at) const { return side * ((at[0] - x) * along_y - (at[1] - y) * along_x); }
    T along(Place<T> at) const { return (at[0] - x) * along_x + (at[1] - y) * along_y; }
  };
  std::vector<Edge> edges;
  explicit TriangleDistance(const Values<T>& a) {
    const std::vector<T>& c = a.numbers("corners");
    const T turn = (c[2] - c[0]) * (c[5] - c[1]) - (c[3] - c[1]) * (c[4] - c[0]);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t from = 2 * k, to = 2 * ((k + 1) % 3);
      const T dx = c[to] - c[from], dy = c[to + 1] - c[from + 1];
      const T size = root(square(dx) + square(dy));
      edges.push_back({c[from], c[from + 1], dx / size, dy / size, size, turn / magnitude(turn)});
    }
  }
  T operator()(Place<T> x) const {
    const auto corner = [&](const Edge& a, const Edge& b) {
      return corner_rule(a.beyond(x), a.along(x) - a.size, b.beyond(x), -b.along(x));
    };
    return most(most(corner(edges[0], edges[1]), corner(edges[1], edges[2])),
                corner(edges[2], edges[0]));
  }
};

/// The largest of the distances to the planes of the faces: a bound, and exact inside.
template <class T> struct TetrahedronBound {
  std::vector<T> corners;
  explicit TetrahedronBound(const Values<T>& a) : corners(a.numbers("corners")) {}
  T operator()(Place<T> x) const {
    T all = plane(0, x);
    for (std::size_t k = 1; k < 4; ++k) all = most(all, plane(k, x));
    return all;
  }
  /// Signed distance from the plane of the face opposite to corner k.
  T plane(std::size_t k, Place<T> x) const {
    const auto corner = [&](std::size_t n) { return Place<T>(&corners[3 * ((k + n) % 4)], 3); };
    const std::vector<T> u = between(corner(1), corner(2)), v = between(corner(1), corner(3));
    const std::vector<T> n{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                           u[0] * v[1] - u[1] * v[0]};
    const T inner = dot(Place<T>(n), Place<T>(between(corner(1), corner(0))));
    const T scale = inner / magnitude(inner) / length(Place<T>(n));
    return -(dot(Place<T>(n), Place<T>(between(corner(1), x))) * scale);
  }
};

/// Corners in any number of dimensions. Inside, the nearest face decides; outside, what is nearest
/// lies on one of the faces that the place is beyond.
class Simplex : public SpatialShape {
 public:
  explicit Simplex(std::vector<Point> corners) : corners_(std::move(corners)) {
    for (std::size_t k = 0; k < corners_.size(); ++k) {
      std::vector<Point> face = corners_;
      std::swap(face[0], face[k]);
      const Point foot = nearest_of({face.begin() + 1, face.end()}, face[0], false);
      std::vector<double> out;
      for (std::size_t c = 0; c < foot.size(); ++c) out.push_back(foot[c] - face[0][c]);
      normals_.push_back(unit_of(out));
    }
  }

  int dimension() const override { return int(corners_.size()) - 1; }
  std::vector<Interval> bounds() const override {
    std::vector<Interval> box;
    for (std::size_t c = 0; c < corners_[0].size(); ++c) {
      box.push_back({corners_[0][c], corners_[0][c]});
      for (const Point& corner : corners_)
        box[c] = {std::min(box[c].lower, corner[c]), std::max(box[c].upper, corner[c])};
    }
    return box;
  }
  DistanceKind distance_kind() const override { return DistanceKind::exact; }
  double distance(std::span<const double> x) const override {
    const auto [side, face] = beyond(x);
    return side <= 0 ? side : gap(nearest_of(corners_, {x.begin(), x.end()}, true), x);
  }
  void normal(std::span<const double> x, std::span<double> n) const override {
    const auto [side, face] = beyond(x);
    const auto box = bounds();
    const Point foot =
        side <= 0 ? Point(x.begin(), x.end()) : nearest_of(corners_, {x.begin(), x.end()}, true);
    const bool off = gap(foot, x) > 1e-12 * (box[0].upper - box[0].lower + std::fabs(x[0]));
    for (std::size_t c = 0; c < n.size(); ++c) n[c] = off ? x[c] - foot[c] : normals_[face][c];
    normalize(n);
  }
  SamplerPtr interior() const override { return simplex_interior(corners_); }
  Pieces surface() const override {
    Pieces pieces;
    for (std::size_t k = 0; k < corners_.size(); ++k) {
      std::vector<Point> face = corners_;
      face.erase(face.begin() + std::ptrdiff_t(k));
      pieces.push_back(simplex_piece(face, normals_[k]));
    }
    return pieces;
  }

 private:
  /// The largest signed distance to the plane of a face, and which.
  std::pair<double, std::size_t> beyond(std::span<const double> x) const {
    std::pair<double, std::size_t> most{-std::numeric_limits<double>::infinity(), 0};
    for (std::size_t k = 0; k < corners_.size(); ++k) {
      const Point& on = corners_[k == 0 ? 1 : 0];
      double side = 0;
      for (std::size_t c = 0; c < x.size(); ++c) side += normals_[k][c] * (x[c] - on[c]);
      if (side > most.first) most = {side, k};
    }
    return most;
  }

  std::vector<Point> corners_;
  std::vector<Point> normals_;  ///< of the face opposite to a corner
};

std::vector<Point> corners_of(const Values<double>& a, int d) {
  const std::vector<double>& numbers = a.numbers("corners");
  std::vector<Point> corners;
  for (std::size_t k = 0; k < numbers.size(); k += std::size_t(d))
    corners.emplace_back(numbers.begin() + std::ptrdiff_t(k),
                         numbers.begin() + std::ptrdiff_t(k) + d);
  if (!(flatness(corners) > 1e-9))
    refuse("corners", "the corners of a simplex lie in one plane, or on one line",
           "move one of them away from the others");
  return corners;
}

ShapePtr make_simplex(const Values<double>& a, int d) {
  return std::make_shared<Simplex>(corners_of(a, d));
}

ShapePtr make_triangle(const Values<double>& a, int) {
  const Simplex simplex(corners_of(a, 2));
  return analytic<TriangleDistance>(a, {simplex.bounds(), simplex.interior(), simplex.surface()});
}

}  // namespace

std::vector<Kind> simplex_kinds() {
  using Form = ShapeArgument::Form;
  const std::vector<ShapeArgument> corners{{"corners", Form::points, 1, 0}};
  return {{{"triangle", 2, 2, corners, DistanceKind::exact, "three corners"},
           make_triangle,
           spell<TriangleDistance>},
          {{"tetrahedron", 3, 3, corners, DistanceKind::bound, "four corners"},
           make_simplex,
           spell<TetrahedronBound>},
          {{"simplex", 2, 12, corners, DistanceKind::none, "one corner more than coordinates"},
           make_simplex}};
}

}  // namespace pinn::shapes
