#include <limits>

#include "tests/autograd/taylor/helpers.h"
#include "tests/golden/golden.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// u, u', ..., u'''' of an op at a number.
std::vector<double> derivatives_at(int id, double x, double parameter = 0,
                                   DType dtype = DType::float64) {
  const JetTablePtr table = jet_table({{4}});
  const Jet at = coordinate_jet(table, full({1, 1}, x, dtype));
  return apply_unary(id, at, parameter).data.values();
}

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("FWD-09 jets of tanh keep their digits near 0 and far out", "[autograd][taylor]") {
  for (const auto& line : golden_lines("scalar.txt")) {
    if (line[0] != "tanh" || line[2] != "0.0009765625") continue;
    const std::vector<double> found = derivatives_at(unary_id<op::Tanh>, std::stod(line[2]));
    for (std::size_t k = 0; k <= 4; ++k) {
      const double expected = std::stod(line[3 + k]);
      INFO("derivative " << k);
      CHECK(std::fabs(found[k] - expected) <= 4 * 2.2e-16 * std::fabs(expected));
    }
  }
  const double e = std::exp(-16.0);
  for (const double x : {8.0, -8.0})
    CHECK(derivatives_at(unary_id<op::Tanh>, x)[1] ==
          Approx(4 * e / ((1 + e) * (1 + e))).epsilon(1e-14));
  for (const DType dtype : {DType::float64, DType::float32})
    for (const double x : {100.0, -100.0}) {
      const std::vector<double> far = derivatives_at(unary_id<op::Tanh>, x, 0, dtype);
      CHECK(far[0] == (x > 0 ? 1 : -1));
      for (std::size_t k = 1; k <= 4; ++k) CHECK(std::fabs(far[k]) < 1e-80);
    }
}

TEST_CASE("FWD-10 whole powers are exact at 0, others end in an infinite slope",
          "[autograd][taylor]") {
  CHECK(derivatives_at(unary_id<op::Power>, 0, 3) == std::vector<double>{0, 0, 0, 6, 0});
  const std::vector<double> broken = derivatives_at(unary_id<op::Power>, 0, 1.5);
  CHECK(broken[0] == 0);
  CHECK(broken[1] == 0);
  CHECK(broken[2] == infinity);
}

TEST_CASE("FWD-10 at base 0 the gradient by the base needs no logarithm", "[autograd][taylor]") {
  const Tensor x = zeros({1}).set_requires_grad(), p = full({1}, 2).set_requires_grad();
  const Tensor y = pow(x, p);

  CHECK(grad({y}, {x}, {ones({1})}, {.retain_graph = true})[0].item() == 0);
  CHECK(std::isnan(grad({y}, {p}, {ones({1})})[0].item()));
}

TEST_CASE("FWD-11 a selected jet is finite where the other branch overflows",
          "[autograd][taylor]") {
  const JetTablePtr table = jet_table(all_indices(3));
  const Jet x = coordinate_jet(table, from_values({1000, 0.5, -1000, -0.5}, {2, 2}));
  const Jet a = features(x, 0, 1);
  const Jet small = call<op::Less>(call<op::Abs>(a), constant_jet(table, ones({2, 1})));

  const Jet chosen = where(small, call<op::Exp>(call<op::Exp>(a)), a * a);

  for (const double v : chosen.data.values()) CHECK(std::isfinite(v));
  CHECK(chosen.channel(table->find({2})).values() == std::vector<double>{2, 2});
}

TEST_CASE("FWD-14 a jet that does not depend on the coordinates has channels of zeros",
          "[autograd][taylor]") {
  const DType dtype = GENERATE(DType::float64, DType::float32);
  const JetTablePtr table = jet_table(all_indices(4));
  const Jet c = constant_jet(table, full({3, 2}, 0.5, dtype));

  const Jet y = call<op::Tanh>(c * c + (-c)) / (2.0 + c);

  CHECK(y.data.shape() == Shape{3, 15, 2});
  CHECK(y.data.dtype() == dtype);
  CHECK(largest(slice(y.data, 1, 1, 15)) == 0);
  CHECK(y.channel(0).values()[0] == Approx(std::tanh(-0.25) / 2.5));
}

TEST_CASE("at a kink the slope is what its formula says and all above it is 0",
          "[autograd][taylor]") {
  CHECK(derivatives_at(unary_id<op::Relu>, 0) == std::vector<double>{0, 0, 0, 0, 0});
  CHECK(derivatives_at(unary_id<op::Abs>, 0) == std::vector<double>{0, 0, 0, 0, 0});
  CHECK(derivatives_at(unary_id<op::Sign>, 0) == std::vector<double>{0, 0, 0, 0, 0});
  CHECK(derivatives_at(unary_id<op::Step>, 0) == std::vector<double>{0, 0, 0, 0, 0});
  CHECK(derivatives_at(unary_id<op::Relu>, 2) == std::vector<double>{2, 1, 0, 0, 0});
  CHECK(derivatives_at(unary_id<op::Abs>, -2) == std::vector<double>{2, -1, 0, 0, 0});
}

TEST_CASE("at a tie min and max take half of each side, on tensors and on jets",
          "[autograd][taylor]") {
  const JetTablePtr table = jet_table({{3}});
  const Tensor at = ones({1, 1}).set_requires_grad();
  const Jet x = coordinate_jet(table, at.detach());
  const bool smaller = GENERATE(true, false);
  const int id = smaller ? binary_id<op::Min> : binary_id<op::Max>;

  // x^2 and x^3 meet at 1: slopes 2 and 3, second derivatives 2 and 6, third 0 and 6.
  const std::vector<double> tie = apply_binary(id, x * x, x * x * x).data.values();
  const Tensor slope = grad(apply_binary(id, at * at, at * at * at), at);

  CHECK(tie == std::vector<double>{1, 2.5, 4, 3});
  CHECK(slope.item() == 2.5);
}
