#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

#include "solvers/problem/needs.h"

using namespace pinn;

namespace {

MultiIndex index(int x, int y, int t) {
  return {std::uint8_t(x), std::uint8_t(y), std::uint8_t(t)};
}

Needs of(const std::string& formula) { return needs(*residual(formula, {plane()})); }

}  // namespace

TEST_CASE("an equation needs the fields and derivatives it names", "[problem]") {
  CHECK(of("u_t + u*u_x = nu*u_xx") ==
        Needs{{0, index(0, 0, 0)}, {0, index(0, 0, 1)}, {0, index(1, 0, 0)}, {0, index(2, 0, 0)}});
  CHECK(of("laplacian(v) = u") ==
        Needs{{0, index(0, 0, 0)}, {1, index(2, 0, 0)}, {1, index(0, 2, 0)}});
  CHECK(of("s*x") == Needs{});
}

TEST_CASE("a derivative of something composite needs all lower ones, by Leibniz' rule",
          "[problem]") {
  CHECK(of("d(k*u_x, x)") == Needs{{0, index(1, 0, 0)}, {0, index(2, 0, 0)}});
  CHECK(of("d(u*v, x, 2)") == Needs{{0, index(0, 0, 0)},
                                    {0, index(1, 0, 0)},
                                    {0, index(2, 0, 0)},
                                    {1, index(0, 0, 0)},
                                    {1, index(1, 0, 0)},
                                    {1, index(2, 0, 0)}});
  CHECK(of("d(d(sin(u), x), y)") ==
        Needs{{0, index(0, 0, 0)}, {0, index(1, 0, 0)}, {0, index(0, 1, 0)}, {0, index(1, 1, 0)}});
  CHECK(of("d(x*d(y*u, y), x)") ==
        Needs{{0, index(0, 0, 0)}, {0, index(1, 0, 0)}, {0, index(0, 1, 0)}, {0, index(1, 1, 0)}});
  CHECK(of("u_xx + d(u*v_t, t)").contains({1, index(0, 0, 2)}));
}

TEST_CASE("a periodic condition needs every field up to its order", "[problem]") {
  Requirement r;
  r.kind = Requirement::Kind::condition;
  r.periodic = Periodicity{1, 1};
  CHECK(needs(r, plane()) ==
        Needs{{0, index(0, 0, 0)}, {0, index(0, 1, 0)}, {1, index(0, 0, 0)}, {1, index(0, 1, 0)}});
}
