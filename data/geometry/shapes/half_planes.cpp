#include "data/geometry/shapes/half_planes.h"

#include <utility>

#include "data/geometry/shapes/frame.h"

namespace pinn::shapes {
namespace {

using Node = HalfPlanes::Node;

double dot_of(Corner a, Corner b) { return a.x * b.x + a.y * b.y; }

/// A part of an outline whose first and last edge go on for ever: what lies to the left of it.
class Chain {
 public:
  Chain(const Outline& outline, std::size_t first, std::size_t count)
      : outline_(outline), first_(first), count_(count) {}

  /// Cut at a corner beyond which there is no other, so that the edges that end there may go on for
  /// ever without meeting the chain: where it turns left both parts count, else either.
  Node node() const {
    if (count_ == 1) return {true, edge(0)};
    const std::size_t cut = farthest();
    const Corner in = direction(cut - 1), out = direction(cut);
    Node whole{in.x * out.y - in.y * out.x > 0, 0, {}};
    for (Node part :
         {Chain(outline_, first_, cut).node(), Chain(outline_, edge(cut), count_ - cut).node()}) {
      if (part.parts.empty() || part.all != whole.all)
        whole.parts.push_back(std::move(part));
      else
        for (Node& deeper : part.parts) whole.parts.push_back(std::move(deeper));
    }
    return whole;
  }

 private:
  std::size_t edge(std::size_t k) const { return (first_ + k) % outline_.corners().size(); }
  Corner direction(std::size_t k) const {
    const Corner n = outline_.normal_of(edge(k));
    return {-n.y, n.x};
  }
  /// The corner from which edge k starts, 0 < k, that lies farthest against the way in which both
  /// ends of the chain go; of several the last one along that line.
  std::size_t farthest() const {
    const Corner from = direction(0), to = direction(count_ - 1);
    Corner way{from.x - to.x, from.y - to.y};
    if (dot_of(way, way) < 1e-18) way = {-to.y, to.x};  // opposite ways
    const Corner across{-way.y, way.x};
    const auto rank = [&](std::size_t k) {
      const Corner c = outline_.corners()[edge(k)];
      return std::pair{dot_of(way, c), dot_of(across, c)};
    };
    std::size_t best = 1;
    for (std::size_t k = 2; k < count_; ++k)
      if (rank(k) > rank(best)) best = k;
    return best;
  }

  const Outline& outline_;
  const std::size_t first_, count_;
};

constexpr std::size_t most_corners = 300;

Outline outline_of(const Values<Spelled>& values, const std::string& argument) {
  std::vector<double> numbers;
  for (const Spelled& corner : values.numbers(argument)) {
    if (!corner.number)
      refuse(argument, "the distance to a polygon has a formula where its corners are numbers",
             "write numbers, and move the polygon by a transform");
    numbers.push_back(*corner.number);
  }
  Outline outline(numbers, argument);
  if (outline.corners().size() > most_corners)
    refuse(argument, "the distance to a polygon of more than 300 corners has no formula",
           "leave corners out where they matter little");
  return outline;
}

/// All parts joined two by two, so that brackets do not nest deeply.
Spelled joined(std::vector<Spelled> parts, bool all) {
  while (parts.size() > 1) {
    std::vector<Spelled> pairs;
    for (std::size_t k = 0; k < parts.size(); k += 2) {
      if (k + 1 == parts.size())
        pairs.push_back(parts[k]);
      else
        pairs.push_back(all ? most(parts[k], parts[k + 1]) : least(parts[k], parts[k + 1]));
    }
    parts = std::move(pairs);
  }
  return parts.at(0);
}

Spelled spelled(const HalfPlanes& half, const Node& node, const Spelled& x, const Spelled& y) {
  if (node.parts.empty()) {
    const HalfPlanes::Plane& p = half.planes[node.plane];
    return Spelled(p.x) * x + Spelled(p.y) * y - Spelled(p.offset);
  }
  std::vector<Spelled> parts;
  for (const Node& part : node.parts)
    if (!part.parts.empty() || !half.planes[part.plane].left_out)
      parts.push_back(spelled(half, part, x, y));
  return joined(std::move(parts), node.all);
}

Spelled spelled(const Outline& outline, bool turns, const Spelled& x, const Spelled& y) {
  const HalfPlanes half(outline, turns);
  return spelled(half, half.root, x, y);
}

}  // namespace

HalfPlanes::HalfPlanes(const Outline& outline, bool turns) {
  const Corners& corners = outline.corners();
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Corner n = outline.normal_of(k);
    planes.push_back(
        {n.x, n.y, dot_of(n, corners[k]), turns && corners[k].x == 0 && outline.next(k).x == 0});
  }
  const auto before = [&](std::size_t a, std::size_t b) {
    return std::pair{corners[a].x, corners[a].y} < std::pair{corners[b].x, corners[b].y};
  };
  std::size_t left = 0, right = 0;
  for (std::size_t k = 1; k < corners.size(); ++k) {
    if (before(k, left)) left = k;
    if (before(right, k)) right = k;
  }
  const std::size_t n = corners.size(), lower = (right + n - left) % n;
  root.parts = {Chain(outline, left, lower).node(), Chain(outline, right, n - lower).node()};
}

Spelled spell_polygon(const Values<Spelled>& values, Place<Spelled> x) {
  return spelled(outline_of(values, "corners"), false, x[0], x[1]);
}

Spelled spell_prism(const Values<Spelled>& values, Place<Spelled> x) {
  const std::vector<Spelled>& heights = values.numbers("heights");
  const Spelled beyond[] = {spelled(outline_of(values, "polygon"), false, x[0], x[1]),
                            most(heights[0] - x[2], x[2] - heights[1])};
  return box_rule(Place<Spelled>(beyond));
}

Spelled spell_revolution(const Values<Spelled>& values, Place<Spelled> x) {
  if (values.has("angle"))
    refuse("angle", "the distance to a part of a revolution has no formula",
           "leave 'angle' out, or cut a whole revolution by half-spaces");
  std::vector<Spelled> axis{0.0, 0.0, 1.0};
  if (values.has("axis")) axis = unit(values.numbers("axis"));
  const auto [along, off] = axial(x, std::vector<Spelled>(3), axis);
  return spelled(outline_of(values, "polygon"), true, off, along);
}

}  // namespace pinn::shapes
