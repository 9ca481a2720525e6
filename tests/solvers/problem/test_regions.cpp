#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

#include <cmath>

#include "data/geometry/shape.h"
#include "solvers/problem/parse.h"

using namespace pinn;

namespace {

std::shared_ptr<const Region> region_of(const std::vector<std::string>& on, const Problem& p) {
  std::vector<Text> texts;
  for (const std::string& part : on) texts.push_back(text(part));
  return parse_region(texts, p);
}

/// The image of the middle of the cube.
std::vector<double> middle(const Region& r) {
  std::vector<double> cube(std::size_t(r.dimension()), 0.5), x(std::size_t(r.coordinates()));
  r.sampler().sample(cube, x, {});
  return x;
}

std::vector<double> normal(const Region& r) {
  std::vector<double> n(std::size_t(r.coordinates()));
  r.normal(middle(r), n);
  return n;
}

std::string said(const std::vector<std::string>& on, const Problem& p) {
  return message([&] { region_of(on, p); });
}

using Point = std::vector<double>;

}  // namespace

TEST_CASE("a face has the outward normal, an inner plane and the face of time have none",
          "[problem]") {
  const Problem p = plane();
  const auto left = region_of({"x = 0"}, p);
  CHECK(left->dimension() == 2);
  CHECK(left->measure() == 2);  // y is 1 long, t is 2
  CHECK(middle(*left) == Point{0, 0.5, 1});
  CHECK(normal(*left) == Point{-1, 0, 0});
  CHECK(normal(*region_of({"y = 1"}, p)) == Point{0, 1, 0});
  CHECK_FALSE(region_of({"x = 0.5"}, p)->has_normal());
  CHECK_FALSE(region_of({"t = 0"}, p)->has_normal());
  CHECK(middle(*region_of({"t = 0"}, p)) == Point{0.5, 0.5, 0});
}

TEST_CASE("parts joined by and cut the region down", "[problem]") {
  const Problem p = plane();
  const auto piece = region_of({"x = 1 and y < 1/k and t >= 1"}, p);
  CHECK(piece->dimension() == 2);
  CHECK(piece->measure() == 0.5);
  CHECK(middle(*piece) == Point{1, 0.25, 1.5});
  CHECK(normal(*piece) == Point{1, 0, 0});

  const auto strip = region_of({"x > 0.25 and x < 0.75"}, p);
  CHECK(strip->dimension() == 3);
  CHECK(strip->measure() == 1);
  CHECK_FALSE(strip->has_normal());

  CHECK(normal(*region_of({"x = 0 and y = 0.5"}, p)) == Point{-1, 0, 0});
  CHECK_FALSE(region_of({"x = 0 and y = 0"}, p)->has_normal());  // an edge has two
  CHECK(region_of({"x = 0 and y = 0"}, p)->dimension() == 1);
}

TEST_CASE("with every coordinate fixed a region is one point", "[problem]") {
  const Problem p = plane();
  const auto point = region_of({"x = 0.5 and y = 0.25 and t = 2"}, p);
  CHECK(point->dimension() == 0);
  CHECK(middle(*point) == Point{0.5, 0.25, 2});
}

TEST_CASE("a constant within 1e-12 of an end is the end", "[problem]") {
  const Problem p = plane();
  CHECK(middle(*region_of({"x = 1 + 5e-13"}, p))[0] == 1);
  CHECK(region_of({"x = 1 - 5e-13"}, p)->has_normal());
  CHECK_FALSE(region_of({"x = 1 - 1e-9"}, p)->has_normal());
  CHECK(middle(*region_of({"t = 2*(1 + 4e-13)"}, p))[2] == 2);
}

TEST_CASE("boundary is all faces in space, initial the lower end of time", "[problem]") {
  const Problem p = plane();
  const auto all = region_of({"boundary"}, p);
  CHECK(all->parts().size() == 4);
  CHECK(all->measure() == 8);
  CHECK(all->has_normal());
  CHECK(region_of({"boundary and t = 0"}, p)->parts().size() == 4);
  CHECK(region_of({"boundary and t = 0"}, p)->dimension() == 1);
  CHECK(region_of({"boundary and boundary"}, p)->parts().size() == 4);
  CHECK(region_of({"boundary and x = 0"}, p)->parts().size() == 1);
  CHECK(region_of({"boundary and x < 0.5"}, p)->parts().size() == 3);
  CHECK(region_of({"x = 0.5 and boundary"}, p)->parts().size() == 2);
  CHECK(region_of({"boundary and x = 0 and y = 0"}, p)->parts().size() == 1);
  CHECK(middle(*region_of({"initial"}, p)) == Point{0.5, 0.5, 0});
  CHECK(region_of({"interior"}, p)->measure() == interior(p)->measure());
}

TEST_CASE("faces that are periodic by embedding leave the boundary", "[problem][errors]") {
  Problem p = plane();
  p.periodic = {true, false, false};
  CHECK(region_of({"boundary"}, p)->parts().size() == 2);
  CHECK_FALSE(region_of({"x = 0"}, p)->has_normal());
  p.periodic = {true, true, false};
  CHECK(said({"boundary"}, p) ==
        about("boundary", 0, 8, "there is no boundary: no coordinate is space, or all are periodic",
              "name a face"));
}

TEST_CASE("a list of regions is their union", "[problem][errors]") {
  const Problem p = plane();
  CHECK(region_of({"x = 0", "x = 1"}, p)->measure() == 4);
  CHECK(region_of({"x = 0 and y < 0.5", "x = 0 and y > 0.5"}, p)->parts().size() == 2);
  CHECK(said({"x = 0", "t = 0 and x = 1"}, p) ==
        about("t = 0 and x = 1", 0, 15, "this region has dimension 1, another of the list 2",
              "write a requirement for each dimension"));
  const std::string fix = "leave one of them out";
  CHECK(said({"boundary", "x = 1"}, p) ==
        about("x = 1", 0, 5, "this region overlaps another of the list", fix));
  CHECK(said({"x < 0.5", "x > 0.4"}, p) ==
        about("x > 0.4", 0, 7, "this region overlaps another of the list", fix));
  CHECK(said({"x=0 and y=0 and t=0", "x=0 and y=0 and t=0"}, p) ==
        about("x=0 and y=0 and t=0", 0, 19, "this region overlaps another of the list", fix));
  CHECK(said({}, p) ==
        "error: `on` is an empty list of regions\n  where: on\n  fix:   name a region, or leave "
        "`on` out");
  CHECK(said(std::vector<std::string>(1001, "x = 0"), p) ==
        about("x = 0", 0, 5, "`on` lists 1001 regions", "list at most 1000"));
}

TEST_CASE("a region that is written wrongly says where", "[problem][errors]") {
  const Problem p = plane();
  const auto check = [&](const std::string& on, int from, int width, const std::string& what,
                         const std::string& fix) {
    CHECK(said({on}, p) == about(on, from, width, what, fix));
  };
  const std::string form = "write COORDINATE = CONSTANT, or an inequality of that form";
  const std::string domain = "the domain is x in [0, 1], y in [0, 1], t in [0, 2]";
  const std::string empty = "this region is empty: no piece of the domain is left here";
  check("x = 2", 0, 5, "x = 2 lies outside of the domain", "x runs from 0 to 1");
  check("y = 0 and x = -1e-9", 10, 9, "x = -1e-09 lies outside of the domain",
        "x runs from 0 to 1");
  check("x = 0 and x = 1", 10, 5, empty, domain);
  check("x < 0", 0, 5, empty, domain);
  check("x <= 0.5 and x >= 0.5", 13, 8, empty, domain);
  check("x = 0.5 and x < 0.5", 12, 7, empty, domain);
  check("x = 0 or x = 1", 6, 2, "there is no 'or' in a region",
        "give a list of regions: on = [\"x = 0\", \"x = 1\"]");
  check("0 < x < 1", 6, 1, "comparisons in a chain",
        "join two of them with 'and': x > 0 and x < 1");
  check("0 = x", 0, 5, "this is not a region", form);
  check("x + y = 1", 0, 9, "this is not a region", form);
  check("x", 0, 1, "there is no region 'x'",
        "write COORDINATE = CONSTANT, an inequality, boundary or initial");
  check("boundry", 0, 7, "there is no region 'boundry'", "did you mean 'boundary'?");
  check("z = 0", 0, 1, "'z' is not a coordinate", "coordinates are: x, y, t");
  check("u = 0", 0, 1, "'u' is not a coordinate", "coordinates are: x, y, t");
  check("x = 0 and", 9, 1, "a part of the region is missing", "write COORDINATE = CONSTANT");
  check("x = ", 4, 1, "the formula ends where a number or name is missing", "complete it");
  check("x = 1/0", 4, 3, "division by zero", "change the denominator");
  check("x = u", 4, 1, "'u' is a field, but only constants have a meaning here",
        "usable here are: constants nu, k");

  Problem steady = p;
  steady.coordinates.pop_back();
  CHECK(said({"initial"}, steady) ==
        about("initial", 0, 7, "there is no initial time: no coordinate is time",
              "write COORDINATE = CONSTANT, or give a coordinate the role \"time\""));
}

TEST_CASE("mistakes of all regions in a list are reported together", "[problem][errors]") {
  const Problem p = plane();
  CHECK(said({"x = 2", "x = 0", "z = 1"}, p) == said({"x = 2"}, p) + "\n" + said({"z = 1"}, p));
}

TEST_CASE("a region of names and signs of any kind crashes nothing", "[problem][hostile]") {
  const Problem p = plane();
  std::string many = "boundary";
  for (int i = 0; i < 5000; ++i) many += " and boundary";
  CHECK(region_of({many}, p)->parts().size() == 4);

  const std::string pieces[] = {"x",        "=",  " and ", "0",       "<",   "1",  "t",
                                "boundary", ">=", "(",     "initial", "0.5", "or", "-"};
  std::uint64_t state = 1;
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string on;
    for (int k = 0; k < 8; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      on += pieces[(state >> 33) % std::size(pieces)];
    }
    accepted += said({on}, p) == "no error";
  }
  CHECK(accepted < 1000);
}
