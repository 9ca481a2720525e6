#include "autograd/tape/modes.h"

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/solvers/residual/problems.h"

using namespace pinn;
using Catch::Contains;

namespace {

/// The gradient of the loss, op by op, on this thread.
void differentiate(const std::shared_ptr<Problem>& p, Derivatives way) {
  const auto model = std::make_shared<const Model>(p, test::layers({4}));
  ThreadPool pool(1);
  Loss loss(model, {.derivatives = {way}, .compiled = false}, pool);
  loss.set_points(0, test::spread(*p, 5));
  const std::vector<double> at = model->initial_parameters(1);
  std::vector<double> gradient(at.size());
  loss.value_and_gradient(at, gradient);
}

}  // namespace

TEST_CASE("ENG-68 in anomaly mode a NaN is told with its equation and column",
          "[residual][errors]") {
  // sqrt has an infinite slope at 0, and max one of 0 there.
  const auto p = test::problem({"x", "t"}, {"u"}, {"u_t + u_x", "d(sqrt(max(u, 100) - 100), x)"});
  CHECK_NOTHROW(differentiate(p, Derivatives::reverse));
  const AnomalyMode on;
  CHECK_THROWS_AS(differentiate(p, Derivatives::reverse), NumericsError);
  CHECK_THROWS_WITH(differentiate(p, Derivatives::reverse),
                    Contains("equation 'd(sqrt(max(u, 100) - 100), x)'") &&
                        Contains("> column d(sqrt(max(u, 100) - 100), x)"));
}
