#include "solvers/problem/checks.h"

#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;

namespace {

/// A ring in x with an equation, and a periodic condition of this order.
Problem ring(const std::string& formula, int order) {
  Problem p = burgers();
  p.requirements.clear();
  equation(p, "flow", formula);
  Requirement r;
  r.kind = Requirement::Kind::condition;
  r.name = "ring";
  r.periodic = Periodicity{0, order};
  r.place = {"p.toml", 9, 1, ""};
  p.requirements.push_back(r);
  return p;
}

}  // namespace

TEST_CASE("a seam leaves no room for jumps below the highest derivative", "[problem]") {
  const auto [formula, order] = GENERATE(table<std::string, int>({{"u_t + u_x = 0", 1},
                                                                  {"u_t = u^2", 1},
                                                                  {"u_t = u_xx", 1},
                                                                  {"u_tt = u_xx + u_xxt", 1},
                                                                  {"u_t + u*u_x + u_xxx = 0", 2},
                                                                  {"u_t = d(u*u_x, x, 2)", 2},
                                                                  {"u_t + u_xx + u_xxxx = 0", 3},
                                                                  {"u_t = d(u, x, 6)", 5}}));
  INFO(formula);
  const Problem p = ring(formula, 1);
  CHECK(order_of_seam(p, 0) == order);
  CHECK(open_seams(p).empty() == (order == 1));
  CHECK(open_seams(ring(formula, order)).empty());
}

TEST_CASE("a periodic condition that leaves room for jumps is told of", "[problem]") {
  const Warnings warnings = open_seams(ring("u_t + u_xx + u_xxxx = 0", 1));
  REQUIRE(warnings.size() == 1);
  CHECK(warning_text(warnings[0]) ==
        "warning: 'ring' asks for derivatives up to order 1 to agree, and the equations are of "
        "order 4 in x: u_xx may jump where its ends meet\n"
        "  where: p.toml:9:1\n"
        "  fix:   write order = 3, or leave it out");
  CHECK(open_seams(ring("u_t = u_xx", 0))[0].what.ends_with("u_x may jump where its ends meet"));
}

TEST_CASE("a seam of more than slopes is told", "[problem]") {
  CHECK(seams_text(ring("u_t + u_xx + u_xxxx = 0", 3)) ==
        "ring: derivatives by x up to u_xxx agree at both ends");
  CHECK(seams_text(ring("u_t = u_xx", 1)) == "");
}
