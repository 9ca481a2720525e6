#include "data/geometry/smooth.h"

#include "data/geometry/shape.h"
#include "data/geometry/shapes/spelled.h"

namespace pinn {
namespace {

using shapes::Spelled;
using Numbers = std::vector<Spelled>;

Spelled dot(const Numbers& a, const Numbers& b) {
  Spelled sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum = sum + a[k] * b[k];
  return sum;
}

Numbers minus(const Numbers& a, const Numbers& b) {
  Numbers difference;
  for (std::size_t k = 0; k < a.size(); ++k) difference.push_back(a[k] - b[k]);
  return difference;
}

/// (q - size^2) / (2 size) of a square q: grows by 1 where q = size^2 is the square of a length.
Spelled beyond(const Spelled& square_of, const Spelled& size) {
  return (square_of - square(size)) / (2.0 * size);
}

class Smooth {
 public:
  Smooth(const std::map<std::string, std::vector<std::string>>& arguments,
         const std::vector<std::string>& coordinates) {
    for (const auto& [name, texts] : arguments)
      for (const std::string& text : texts) all_[name].emplace_back(text);
    for (const std::string& text : coordinates) x_.emplace_back(text);
  }

  Spelled ball() const { return beyond(square_from("center"), at("radius")); }

  Spelled shell() const {
    return most(beyond(square_from("center"), at("outer")),
                -beyond(square_from("center"), at("inner")));
  }

  Spelled ellipsoid() const {
    const Numbers& radii = all_.at("radii");
    Spelled q, size;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const Spelled& radius = radii[radii.size() == 1 ? 0 : k];
      q = q + square(x_[k] - all_.at("center")[k]) / square(radius);
      size = size + radius;
    }
    return size / (2.0 * double(x_.size())) * (q - 1.0);
  }

  Spelled cuboid() const {
    Spelled all;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const auto [middle, half] = side(k);
      const Spelled one = beyond(square(x_[k] - middle), half);
      all = k == 0 ? one : most(all, one);
    }
    return all;
  }

  Spelled interval() const {
    const Numbers& range = all_.at("range");
    return beyond(square(x_[0] - (range[0] + range[1]) / 2.0), (range[1] - range[0]) / 2.0);
  }

  Spelled cylinder() const {
    const Numbers &from = all_.at("from"), &to = all_.at("to"), along = minus(to, from);
    Numbers middle;
    for (std::size_t k = 0; k < from.size(); ++k) middle.push_back((from[k] + to[k]) / 2.0);
    const Spelled length = sqrt_of(dot(along, along));
    const Numbers off = minus(x_, middle);
    const Spelled axial = dot(off, along) / length;
    return most(beyond(dot(off, off) - square(axial), at("radius")),
                beyond(square(axial), length / 2.0));
  }

  /// Quartic of a torus of radii R and r, over its slope 8 R r (R + r) at the outer rim.
  Spelled torus() const {
    const Numbers& axis = all_.at("axis");
    const Spelled ring = all_.at("radii")[0], tube = all_.at("radii")[1];
    const Numbers off = minus(x_, all_.at("center"));
    const Spelled axial = dot(off, axis) / sqrt_of(dot(axis, axis));
    const Spelled from_center = dot(off, off);
    return (square(from_center + square(ring) - square(tube)) -
            4.0 * square(ring) * (from_center - square(axial))) /
           (8.0 * ring * tube * (ring + tube));
  }

  /// True if all corners are numbers, and few enough to be written out several times.
  bool has_few_corners() const {
    constexpr std::size_t most = 24;
    for (const auto& [name, numbers] : all_)
      for (const Spelled& one : numbers)
        if (name != "point" && name != "normal" && (!one.number || numbers.size() > 2 * most))
          return false;
    return true;
  }

  bool is_rounded() const {
    const auto at = all_.find("rounding");
    return at != all_.end() && !(at->second[0].number && *at->second[0].number == 0);
  }

 private:
  const Spelled& at(const std::string& name) const { return all_.at(name)[0]; }
  Spelled square_from(const std::string& name) const {
    const Numbers off = minus(x_, all_.at(name));
    Spelled sum;
    for (const Spelled& c : off) sum = sum + square(c);
    return sum;
  }
  /// Square root of a shape's numbers, which is not 0.
  static Spelled sqrt_of(const Spelled& a) { return root(a); }

  std::pair<Spelled, Spelled> side(std::size_t k) const {
    if (all_.count("lower") == 0) return {all_.at("center")[k], all_.at("size")[k] / 2.0};
    const Spelled &lower = all_.at("lower")[k], &upper = all_.at("upper")[k];
    return {(lower + upper) / 2.0, (upper - lower) / 2.0};
  }

  std::map<std::string, Numbers> all_;
  Numbers x_;
};

}  // namespace

std::string smooth_function(const std::string& kind,
                            const std::map<std::string, std::vector<std::string>>& arguments,
                            const std::vector<std::string>& coordinates) {
  const Smooth of(arguments, coordinates);
  if (kind == "disk" || kind == "ball") return of.ball().text;
  if (kind == "annulus" || kind == "shell") return of.shell().text;
  if (kind == "ellipse" || kind == "ellipsoid") return of.ellipsoid().text;
  if (kind == "rectangle" || kind == "cuboid") return of.is_rounded() ? "" : of.cuboid().text;
  if (kind == "interval") return of.interval().text;
  if (kind == "cylinder") return of.cylinder().text;
  if (kind == "torus") return of.torus().text;
  const bool planes = kind == "polygon" || kind == "tetrahedron" || kind == "prism" ||
                      kind == "halfspace" || kind == "triangle";
  if (!planes || !of.has_few_corners()) return "";
  // Distance by half-planes, with min and max.
  return spelled_distance(kind == "triangle" ? "polygon" : kind, arguments, coordinates);
}

}  // namespace pinn
