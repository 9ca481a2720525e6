#include "autograd/tape/modes.h"

#include "autograd/core/error.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

AnomalyLabel label(const char* text) {
  return AnomalyLabel([text] { return std::string(text); });
}

/// The second derivative of x^1.5 at 0 with a seed of zero: 0 times an infinite slope.
void second_derivative_at_zero() {
  const Tensor x = zeros({2}).set_requires_grad();
  const AnomalyLabel equation = label("equation 'burgers'");
  Tensor y, slope;
  {
    const AnomalyLabel column = label("column u");
    y = power(x, 1.5);
  }
  {
    const AnomalyLabel column = label("column u_x");
    slope = grad({y}, {x}, {ones({2})}, {.create_graph = true})[0];
  }
  grad({slope}, {x}, {zeros({2})});
}

}  // namespace

TEST_CASE("ENG-68 a NaN is found where it arises, with the way there", "[autograd][tape][errors]") {
  std::vector<std::string> warnings;
  const WarningSink sink([&](const std::string& text) { warnings.push_back(text); });
  const AnomalyMode on;
  CHECK_THROWS_AS(second_derivative_at_zero(), NumericsError);
  CHECK_THROWS_WITH(second_derivative_at_zero(),
                    Contains("returned nan values in its output 0") &&
                        Contains("was made in equation 'burgers' > column u_x\n") &&
                        Contains("it was induced by the derivative of 'power', which was ") &&
                        Contains("made in equation 'burgers' > column u\n"));
  REQUIRE(warnings.size() == 1);  // the same text is told once
  CHECK_THAT(warnings[0], Contains("error detected in"));
}

TEST_CASE("ENG-69 NaN is no error unless it is looked for, and no traces are kept when off",
          "[autograd][tape]") {
  {
    const AnomalyMode traces_only(false);
    CHECK_NOTHROW(second_derivative_at_zero());
    CHECK(exp(variable({2}, 1)).node()->creation() != nullptr);
    {
      const AnomalyMode inner;
      CHECK_THROWS(second_derivative_at_zero());
    }
    CHECK_NOTHROW(second_derivative_at_zero());
  }
  CHECK_NOTHROW(second_derivative_at_zero());
  const Tensor y = exp(variable({2}, 1));
  CHECK(y.node()->creation() == nullptr);
  CHECK(creation_trace(*y.node()).empty());
  CHECK_FALSE(anomaly_mode());
}

TEST_CASE("labels are not even made when the mode is off", "[autograd][tape]") {
  bool made = false;
  const AnomalyLabel off([&] {
    made = true;
    return std::string();
  });
  CHECK_FALSE(made);
}

TEST_CASE("an exception in a formula is told with the place of its node, and stays what it is",
          "[autograd][tape]") {
  struct Mine {};
  std::vector<std::string> warnings;
  const WarningSink sink([&](const std::string& text) { warnings.push_back(text); });
  const AnomalyMode on;
  const AnomalyLabel here = label("equation 'heat'");
  const Tensor y = custom(variable({2}, 1), "throws",
                          [](TestNode&, const Gradients&) -> Gradients { throw Mine(); });

  CHECK_THROWS_AS(backward({y}, {ones({2})}), Mine);

  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0],
             Contains("error detected in 'throws'") && Contains("made in equation 'heat'"));
}

TEST_CASE("traces of derivatives of derivatives go without recursion, and keep no nodes",
          "[autograd][tape]") {
  const std::int64_t before = live_nodes();
  {
    const AnomalyMode on(false);
    auto at = std::make_shared<Creation>();
    for (int i = 0; i < 1000000; ++i) {
      auto next = std::make_shared<Creation>();
      next->parent = std::move(at);
      at = std::move(next);
    }
    const Tensor x = variable({}, 1);
    Tensor g = exp(x);
    for (int i = 0; i < 5; ++i) g = grad(g, x, {.create_graph = true});
    CHECK_THAT(creation_trace(*g.node()),
               Contains("derivative of 'exp'") || Contains("derivative of 'mul'"));
  }
  CHECK(live_nodes() == before);
}
