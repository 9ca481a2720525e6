#include "data/geometry/mesh/crossing.h"
#include "tests/catch.h"
#include "tests/dice.h"

using namespace pinn::mesh;
using pinn::test::Dice;

namespace {

/// Small whole numbers, with which determinants are exact.
using Whole = std::array<long, 3>;
using Triangle = std::array<Whole, 3>;

Whole minus(const Whole& a, const Whole& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
long dot(const Whole& a, const Whole& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Whole cross(const Whole& a, const Whole& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Whole normal(const Triangle& t) { return cross(minus(t[1], t[0]), minus(t[2], t[0])); }

/// True if a plane across an axis parts two triangles: two convex sets without one touch or cross.
/// The axes are the normals, the products of sides, and those of a side and its triangle's normal.
bool parted(const Triangle& s, const Triangle& t) {
  std::vector<Whole> axes = {normal(s), normal(t)};
  for (int i = 0; i < 3; ++i) {
    const Whole e = minus(s[(i + 1) % 3], s[i]), f = minus(t[(i + 1) % 3], t[i]);
    axes.push_back(cross(normal(s), e)), axes.push_back(cross(normal(t), f));
    for (int j = 0; j < 3; ++j) axes.push_back(cross(e, minus(t[(j + 1) % 3], t[j])));
  }
  return std::any_of(axes.begin(), axes.end(), [&](const Whole& axis) {
    long s_low = dot(axis, s[0]), s_high = s_low, t_low = dot(axis, t[0]), t_high = t_low;
    for (int k = 1; k < 3; ++k) {
      s_low = std::min(s_low, dot(axis, s[k])), s_high = std::max(s_high, dot(axis, s[k]));
      t_low = std::min(t_low, dot(axis, t[k])), t_high = std::max(t_high, dot(axis, t[k]));
    }
    return s_high < t_low || t_high < s_low;
  });
}

/// True if the direction d, in the plane of a and b, lies in the closed wedge between them.
bool in_wedge(const Whole& d, const Whole& a, const Whole& b) {
  const Whole n = cross(a, b);
  return dot(n, d) == 0 && dot(cross(a, d), n) >= 0 && dot(cross(d, b), n) >= 0;
}

/// True if the wedges of two triangles at a common corner have a direction in common.
bool wedges_meet(const Triangle& s, const Triangle& t) {
  const Whole a = minus(s[1], s[0]), b = minus(s[2], s[0]), c = minus(t[1], t[0]),
              d = minus(t[2], t[0]);
  const Whole line = cross(normal(s), normal(t)), back = {-line[0], -line[1], -line[2]};
  if (line != Whole{})
    return (in_wedge(line, a, b) && in_wedge(line, c, d)) ||
           (in_wedge(back, a, b) && in_wedge(back, c, d));
  return in_wedge(a, c, d) || in_wedge(b, c, d) || in_wedge(c, a, b) || in_wedge(d, a, b);
}

Whole random_point(Dice& dice, long size) {
  return {dice.below(size), dice.below(size), dice.below(size)};
}

Triangle random_triangle(Dice& dice, long size) {
  for (;;) {
    const Triangle t = {random_point(dice, size), random_point(dice, size),
                        random_point(dice, size)};
    if (normal(t) != Whole{}) return t;
  }
}

/// In other units, which are exact too, and far from the origin.
Corners corners(const Triangle& t) {
  Corners c;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) c[k][i] = 0.125 * double(t[k][i]) + 1000;
  return c;
}

}  // namespace

TEST_CASE("triangles without common corners meet where no plane parts them",
          "[data][geometry][mesh]") {
  Dice dice(1);
  int met = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    const long size = 2 + i % 5;  // small: touching, flat and parallel ones are frequent
    Triangle s = random_triangle(dice, size), t = random_triangle(dice, size);
    if (i % 3 == 0)
      for (int k = 0; k < 3; ++k) s[k][2] = t[k][2] = 1;  // in one plane
    if (normal(s) == Whole{} || normal(t) == Whole{}) continue;
    const bool expected = !parted(s, t);
    met += expected;
    REQUIRE(meet(corners(s), {0, 1, 2}, corners(t), {3, 4, 5}) == expected);
  }
  CHECK(met > count / 10);
  CHECK(met < count * 9 / 10);
}

TEST_CASE("triangles with a common corner meet elsewhere where their wedges do",
          "[data][geometry][mesh]") {
  Dice dice(2);
  int met = 0;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    Triangle s = random_triangle(dice, 2 + i % 5), t = random_triangle(dice, 2 + i % 5);
    if (i % 3 == 0)
      for (int k = 0; k < 3; ++k) s[k][2] = t[k][2] = 1;
    t[0] = s[0];
    if (normal(s) == Whole{} || normal(t) == Whole{}) continue;
    const bool expected = wedges_meet(s, t);
    met += expected;
    const int turn = i % 3, other = i / 3 % 3;  // whichever corner it is
    const Corners a = corners(s), b = corners(t);
    Corners turned_a, turned_b;
    std::array<int, 3> points_a, points_b;
    for (int k = 0; k < 3; ++k) {
      turned_a[(k + turn) % 3] = a[k], points_a[(k + turn) % 3] = k;
      turned_b[(k + other) % 3] = b[k], points_b[(k + other) % 3] = k == 0 ? 0 : 10 + k;
    }
    REQUIRE(meet(turned_a, points_a, turned_b, points_b) == expected);
  }
  CHECK(met > count / 10);
  CHECK(met < count * 9 / 10);
}

TEST_CASE("triangles with a common side meet elsewhere where one lies flat on the other",
          "[data][geometry][mesh]") {
  Dice dice(3);
  int met = 0;
  for (int i = 0; i < 20000; ++i) {
    Triangle s = random_triangle(dice, 4);
    Whole tip = random_point(dice, 4);
    if (i % 2 == 0) tip[2] = s[0][2] = s[1][2] = s[2][2] = 1;
    const Triangle t = {s[1], s[0], tip};
    if (normal(s) == Whole{} || normal(t) == Whole{}) continue;
    const bool flat = dot(normal(s), minus(tip, s[0])) == 0;
    const bool expected = flat && dot(normal(s), normal({s[0], s[1], tip})) > 0;
    met += expected;
    REQUIRE(meet(corners(s), {0, 1, 2}, corners(t), {1, 0, 3}) == expected);
  }
  CHECK(met > 1000);
}

TEST_CASE("the side of a plane is exact where rounding hides it", "[data][geometry][mesh]") {
  // d is the middle of the triangle's plane, one last digit off, in a slanted position.
  const Vector a = {0.1, 0.7, 0.3}, b = {0.8, 0.2, 0.9}, c = {0.4, 0.5, 0.1};
  Dice dice(4);
  int hidden = 0;
  for (int i = 0; i < 2000; ++i) {
    const double u = dice.uniform(), v = dice.uniform();
    Vector d;
    for (int k = 0; k < 3; ++k) d[k] = a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]);
    hidden += likely_side_of(a, b, c, d) == unsure;
    const int side = side_of(a, b, c, d);
    CHECK(side == side_of(b, c, a, d));
    CHECK(side == -side_of(b, a, c, d));
    CHECK(side == -side_of(d, b, c, a));
    Vector up = d, down = d;  // moving along z turns the sign at most once, in one direction
    up[2] = std::nextafter(d[2], 2.0), down[2] = std::nextafter(d[2], -2.0);
    const int slope = side_of(a, b, c, {d[0], d[1], d[2] + 1});
    CHECK(slope * side_of(a, b, c, up) >= slope * side);
    CHECK(slope * side_of(a, b, c, down) <= slope * side);
  }
  CHECK(hidden > 500);
  CHECK(side_of(a, b, c, a) == 0);
  CHECK(turn_of(a, b, a, 0, 1) == 0);
}
