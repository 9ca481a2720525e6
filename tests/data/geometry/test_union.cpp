#include "data/geometry/region.h"

#include <cmath>

#include "autograd/core/error.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

/// Three faces of the box (0, 1) x (0, 2) in x, y, with normals: lengths 2, 2, 1.
std::vector<std::shared_ptr<const Region>> faces() {
  return {make_box({{0, 0}, {0, 2}}, {-1, 0}), make_box({{1, 1}, {0, 2}}, {1, 0}),
          make_box({{0, 1}, {0, 0}}, {0, -1})};
}

std::vector<double> normal_at(const Region& region, std::vector<double> x) {
  std::vector<double> n(region.coordinates());
  region.normal(x, n);
  return n;
}

std::string message(std::vector<std::shared_ptr<const Region>> parts) {
  try {
    make_union(parts);
  } catch (const ConfigError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a union has the parts in order and the sum of their measures", "[data][geometry]") {
  const auto parts = faces();
  const auto all = make_union(parts);
  CHECK(all->coordinates() == 2);
  CHECK(all->dimension() == 1);
  CHECK(all->measure() == 5);
  CHECK(all->has_normal());
  CHECK(all->parts() == std::vector<const Region*>{parts[0].get(), parts[1].get(), parts[2].get()});
}

TEST_CASE("a union of one part is that part", "[data][geometry]") {
  const auto part = faces()[0];
  CHECK(make_union({part}) == part);
}

TEST_CASE("a union within a union is taken apart", "[data][geometry]") {
  const auto parts = faces();
  const auto all = make_union({make_union({parts[0], parts[1]}), parts[2]});
  CHECK(all->parts() == std::vector<const Region*>{parts[0].get(), parts[1].get(), parts[2].get()});
  CHECK(all->measure() == 5);
}

TEST_CASE("a union at other times is that of its parts at these times", "[data][geometry]") {
  const auto walls = make_union({make_box({{0, 0}, {0, 3}, {0, 2}}, {-1, 0, 0}),
                                 make_box({{1, 1}, {0, 3}, {0, 2}}, {1, 0, 0})});
  const auto later = walls->with(2, {1.5, 1.5});
  CHECK(later->dimension() == 1);
  CHECK(later->measure() == 6);
  CHECK(normal_at(*later, {1, 2, 1.5}) == std::vector<double>{1, 0, 0});
}

TEST_CASE("a union answers inside and normal by its parts", "[data][geometry]") {
  const auto all = make_union(faces());
  const std::vector<double> bottom = {0.5, 0}, interior = {0.5, 0.5};
  CHECK(all->inside(bottom, 0));
  CHECK_FALSE(all->inside(interior, 0));
  CHECK(normal_at(*all, {0, 1}) == std::vector<double>{-1, 0});
  CHECK(normal_at(*all, {1 - 1e-15, 1}) == std::vector<double>{1, 0});
  CHECK(normal_at(*all, {0.5, 0}) == std::vector<double>{0, -1});
  CHECK(normal_at(*all, {0, 0}) == std::vector<double>{-1, 0});  // a corner: the first part's
  CHECK_THROWS_AS(normal_at(*all, {0.5, 0.5}), InternalError);
}

TEST_CASE("a union has a normal only when all parts have one", "[data][geometry]") {
  CHECK_FALSE(make_union({faces()[0], make_box({{0.5, 0.5}, {0, 2}})})->has_normal());
}

TEST_CASE("a union lists its parts and has no sampler of its own", "[data][geometry][errors]") {
  const auto ends = make_union({make_box({{0, 0}}, {-1}), make_box({{1, 1}}, {1})});
  CHECK(ends->dimension() == 0);
  CHECK(ends->measure() == 2);
  CHECK(ends->parts().size() == 2);
  CHECK_THROWS_AS(ends->sampler(), InternalError);
}

TEST_CASE("parts that do not fit together are refused", "[data][geometry][errors]") {
  CHECK(message({}) == "error: a union has no parts\n  fix:   name at least one region");
  CHECK(message({make_box({{0, 1}, {0, 0}}), make_box({{0, 1}, {0, 1}})}) ==
        "error: the parts of a union differ in dimension\n"
        "  where: dimension 1 in 2 coordinates beside dimension 2 in 2 coordinates\n"
        "  fix:   write one requirement for each dimension");
  CHECK_THAT(message({make_box({{0, 1}}), make_box({{0, 1}, {0, 0}})}),
             Catch::Matchers::Contains("dimension 1 in 1 coordinates"));
  const auto huge = make_box({{0, 1e308}});
  CHECK_THAT(message({huge, huge}), Catch::Matchers::Contains("larger than the largest number"));
}
