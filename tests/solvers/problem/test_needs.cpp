#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

#include "solvers/problem/checks.h"
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

TEST_CASE("what is asked of each field is what the residuals need, one by one", "[problem]") {
  Problem p = plane();
  const char* equations[] = {"u_t + u*u_x = nu*u_xx", "v_tt = laplacian(v) + u", "s*x + v_y"};
  Requirement& asked = p.requirements.emplace_back();
  for (const char* e : equations) asked.residuals.emplace_back().expression = residual(e, {p});
  Requirement& periodic = p.requirements.emplace_back();
  periodic.kind = Requirement::Kind::condition;
  periodic.periodic = Periodicity{1, 1, {1}};
  Requirement& condition = p.requirements.emplace_back();
  condition.kind = Requirement::Kind::condition;
  condition.residuals.emplace_back().expression = residual("u_xxx = at(v_x, x = 0)", {p});

  const FieldUses uses(p);
  Needs here, elsewhere, of_periodic;
  for (const int f : {0, 1})
    for (const FieldUses::Use& use : uses.of(f)) {
      for (const MultiIndex& index : use.orders)
        (use.residual ? here : of_periodic).insert({f, index});
      for (const MultiIndex& index : use.elsewhere) elsewhere.insert({f, index});
      CHECK(!use.of_integrals);
    }
  Needs all = needs(p.requirements[0], p);
  all.merge(needs(p.requirements[2], p));
  CHECK(here == all);
  CHECK(of_periodic == needs(p.requirements[1], p));
  CHECK(elsewhere == Needs{{1, index(1, 0, 0)}});
  // of equations alone: u_xxx is asked by a condition
  CHECK(uses.highest_order(0, 0) == 2);
  CHECK(uses.highest_order(2, 1) == 2);
  CHECK(uses.highest_order(1, 0) == 0);
  CHECK(highest_order(p, 2) == 2);
}
