#include "solvers/residual/evaluate/forms.h"

#include "tests/catch.h"
#include "tests/solvers/residual/problems.h"

using namespace pinn;
using pinn::test::loss_of;
using pinn::test::problem;

namespace {

int channels(const std::shared_ptr<Problem>& p) {
  return plan_channels(p->requirements[0], *p).table->size();
}

}  // namespace

TEST_CASE("the residuals of an equation travel in as few channels as it has", "[residual]") {
  // value + needed on their own + one per linear form of what nothing else needs
  CHECK(channels(problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.003*u_xx"})) == 3);
  CHECK(channels(problem({"x", "t"}, {"u"}, {"u_t = 0.25*u_xx"})) == 3);
  CHECK(channels(problem({"x", "t"}, {"u"}, {"u_tt = 4*u_xx"})) == 4);
  CHECK(channels(problem({"x", "t"}, {"u"}, {"u_t + u*u_x + 0.0005*u_xxx = 0"})) == 4);
  CHECK(channels(problem({"x", "t"}, {"u"}, {"u_tt + u_xxxx = 0"})) == 6);
  CHECK(channels(problem({"x", "y"}, {"u"}, {"u_xxxx + 2*u_xxyy + u_yyyy = 1"})) == 11);
  CHECK(channels(problem({"a", "b", "c", "f", "g"}, {"u"}, {"laplacian(u) = 1"})) == 7);
  CHECK(channels(problem({"x", "y", "t"}, {"u", "v", "p"},
                         {"u_t + u*u_x + v*u_y + p_x = 0.1*laplacian(u)",
                          "v_t + u*v_x + v*v_y + p_y = 0.1*laplacian(v)", "u_x + v_y = 0"})) == 4);
}

TEST_CASE("a coefficient that varies, or one derivative alone, makes no operator channel",
          "[residual]") {
  CHECK(channels(problem({"x", "t"}, {"u"}, {"u_t = x*u_xx"})) == 4);
  CHECK(channels(problem({"x"}, {"u"}, {"u_x = 1"})) == 2);
  CHECK(plan_channels(problem({"x"}, {"u"}, {"u_x = 1"})->requirements[0],
                      *problem({"x"}, {"u"}, {"u_x = 1"}))
            .residuals.empty());
}

TEST_CASE("operator channels give the loss and gradient of nested reverse mode", "[residual]") {
  const std::string equation =
      GENERATE("u_t + u*u_x = 0.003*u_xx", "-(u_t - 2*(u_xx/3 - u_yy)) + sin(u) = x*y",
               "u_tt + u_xxxx = u", "3*u_xx - u_xx + u_t = u_x^2", "u_xy + 2*u_tt = d(u*u_x, x)");
  INFO(equation);
  const auto p = problem({"x", "y", "t"}, {"u"}, {equation});

  const test::Result taylor = loss_of(p, Derivatives::taylor),
                     reverse = loss_of(p, Derivatives::reverse);

  CHECK(taylor.loss.total == Approx(reverse.loss.total).epsilon(1e-12));
  for (std::size_t i = 0; i < taylor.gradient.size(); ++i)
    CHECK(taylor.gradient[i] == Approx(reverse.gradient[i]).epsilon(1e-10).margin(1e-11));
}
