#include <numbers>
#include <vector>

#include "data/reference/equations.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

constexpr double nu = 0.01 / std::numbers::pi;

}  // namespace

TEST_CASE("the Cole-Hopf integral has the digits of mpmath's", "[data][reference]") {
  // mp.dps = 40; -quad(sin(pi y) w(y)) / quad(w(y)), Gauss-Legendre on 40 pieces of x +- 16 sqrt(4
  // nu t), w(y) = exp(-cos(pi y)/(2 pi nu) - (x - y)^2/(4 nu t)); 50 digits give the same 22.
  struct Value {
    double x, t, u;
  };
  const Value value = GENERATE(
      Value{0.5, 0.25, -0.8031984208406325646522}, Value{0.01, 0.4, -0.7692456793237236340424},
      Value{-0.005, 1.0, 0.3784294025653542564873}, Value{0.9375, 0.75, -0.0583698170156662839679},
      Value{0.001, 0.5, -0.150635815401335810555}, Value{-0.25, 1.0, 0.559196293102722735587});

  INFO("x = " << value.x << ", t = " << value.t);
  CHECK(cole_hopf(value.x, value.t, nu, 400) == Approx(value.u).epsilon(4e-16));
}

TEST_CASE("the error of the Cole-Hopf integral falls exponentially in the nodes",
          "[data][reference]") {
  const double exact = cole_hopf(0.01, 0.4, nu, 800);

  std::vector<double> error;
  for (const int nodes : {25, 50, 100})
    error.push_back(std::abs(cole_hopf(0.01, 0.4, nu, nodes) - exact));

  CHECK(error[1] < 1e-3 * error[0]);
  CHECK(error[2] < 4e-16);
}

TEST_CASE("the Cole-Hopf solution starts as a sine, vanishes at the walls and is odd",
          "[data][reference]") {
  CHECK(cole_hopf(0.5, 0, nu, 400) == -1);
  CHECK(std::abs(cole_hopf(1, 0.5, nu, 400)) < 1e-16);
  CHECK(cole_hopf(0.3, 0.7, nu, 400) == -cole_hopf(-0.3, 0.7, nu, 400));
}
