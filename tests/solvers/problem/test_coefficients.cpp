// Factors of highest derivatives that jump.
#include "solvers/problem/checks.h"
#include "tests/catch.h"
#include "tests/solvers/problem/asked.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

Problem string_of(const std::string& law) {
  Problem p = burgers();
  p.requirements.clear();
  equation(p, "law", law);
  return p;
}

std::string told(const Problem& p) {
  const Warnings warnings = jumping_coefficients(p);
  return warnings.empty() ? "" : warning_text(warnings[0]);
}

}  // namespace

TEST_CASE("a speed that jumps in what one network has to follow is warned of with the pieces",
          "[problem]") {
  CHECK_THAT(
      told(string_of("u_tt = where(x < 0.5, 1, 4)*u_xx")),
      Contains("warning: in 'law' what stands before u_xx jumps from 1 to 4 at x = 0.5, and "
               "u has one network: its derivatives jump there, too, and those of the network "
               "do not") &&
          Contains("[problem.fields.u] network = { low = \"low\", high = \"high\" }") &&
          Contains("low = { interval = { range = [-1, 0.5] } } and high = \"box - low\"") &&
          Contains("on = \"x = 0.5\" with residual = [\"jump(u) = 0\", \"jump(u_x) = 0\"], and"));
}

TEST_CASE("jumps of every make are found", "[problem]") {
  for (const std::string law :
       {"u_t = (2 + sign(x - 0.3))*u_xx", "u_t = (1 + 3*step(x))*u_xx", "u_t = u_xx/(1 + (x > 0))",
        "u_t = (2 + tanh((x - 0.2)/0.001))*u_xx", "u_t = where(t < 0.5, 1, 3)*u_xx",
        "u_t + (1 + (x < 0))*u_x = 0", "d(u_x, x)*where(x < 0, 1, 2) = u",
        "u_t = where(x < t - 0.5, 1, 3)*u_xx", "u_t = (1 + u^2)*where(x < 0, 1, 3)*u_xx"}) {
    INFO(law);
    CHECK_THAT(told(string_of(law)), Contains("what stands before u_x"));
  }
  CHECK_THAT(told(string_of("u_t = where(x < t - 0.5, 1, 3)*u_xx")),
             Contains("cut u into pieces in [problem.regions]"));
  CHECK_THAT(told(string_of("u_t = where(t < 0.5, 1, 3)*u_xx")),
             Contains("range = [0, 0.5] }, over = [\"t\"] }") &&
                 Contains("on = \"t = 0.5\" with residual = [\"jump(u) = 0\"], and"));
}

TEST_CASE("factors that are smooth, singular at an end, or of lower derivatives do not jump",
          "[problem]") {
  for (const std::string law :
       {"u_t = u_xx + where(x < 0, 1, 0)", "u_t = u_xx + where(x < 0, 1, 3)*u", "u_t = exp(x)*u_xx",
        "u_t = (2 + tanh(3*x))*u_xx", "u_t = u_xx/(1.001 + x)",
        "u_t = u_xx + where(x < 0, 1, 2)*u_x", "u_tt = u_xx*exp(-20*(x + 1))",
        "u_t = (1 + 0.05*step(x))*u_xx"}) {
    INFO(law);
    CHECK(told(string_of(law)) == "");
  }
}

TEST_CASE("a field that is cut into pieces may have a factor that jumps", "[problem]") {
  Problem p = string_of("u_t = where(x < 0.5, 1, 4)*u_xx");
  p.fields[0].piece_of = "w";
  CHECK(told(p) == "");
}
