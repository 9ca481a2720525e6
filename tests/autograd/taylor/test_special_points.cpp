#include <limits>

#include "autograd/core/error.h"
#include "tests/autograd/taylor/helpers.h"
#include "tests/golden/golden.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

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
  CHECK(grad({y}, {p}, {ones({1})})[0].item() == 0);
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

TEST_CASE("jets of other channels do not meet", "[autograd][taylor][errors]") {
  const Tensor at = ones({2, 2});
  const Jet by_x = coordinate_jet(jet_table({{1}, {2}}), at),
            by_y = coordinate_jet(jet_table({{0, 1}, {0, 2}}), at);
  const auto refused = Contains("channels of two jets are not the same derivatives");
  CHECK(by_x.table->size() == by_y.table->size());
  CHECK_THROWS_WITH(by_x + by_y, refused && Contains("+:"));
  CHECK_THROWS_WITH(by_x - by_y, refused);
  CHECK_THROWS_WITH(by_x * by_y, refused);
  CHECK_THROWS_WITH(by_x / by_y, refused);
  CHECK_THROWS_WITH(where(by_x, by_x, by_y), refused);
  CHECK_THROWS_WITH(concat({by_x, by_y}), refused);
  for (int id = 0; id < Binary::size; ++id)
    CHECK_THROWS_WITH(apply_binary(id, by_x, by_y), refused);
  CHECK_THROWS_WITH(by_x + constant_jet(jet_table({{0}}), at), refused);
  const Jet alike = coordinate_jet(jet_table({{1}, {2}}), at);  // another table, equal channels
  CHECK((by_x + alike).data.values() == (2.0 * by_x).data.values());
}

TEST_CASE("the angle of a point far out or close in has the derivatives of one near by",
          "[autograd][taylor]") {
  const double scale = GENERATE(1e-160, 1e-100, 1, 1e100, 1e160);
  const JetTablePtr table = jet_table({{1}, {0, 1}});
  const Tensor x = full({1, 1}, 3 * scale).set_requires_grad(),
               y = full({1, 1}, -4 * scale).set_requires_grad();
  const std::vector<Jet> xy = coordinate_jets(table, {x, y});

  const Jet angle = apply_binary(binary_id<op::Atan2>, xy[1], xy[0]);
  const Tensor u = atan2(y, x);
  const std::vector<Tensor> slopes = grad({u}, {x, y}, {ones({1, 1})});

  CHECK(angle.channel(0).item() == Approx(std::atan2(-4, 3)).epsilon(1e-15));
  CHECK(scale * angle.channel(table->find({1})).item() == Approx(0.16).epsilon(1e-14));
  CHECK(scale * angle.channel(table->find({0, 1})).item() == Approx(0.12).epsilon(1e-14));
  CHECK(scale * slopes[0].item() == Approx(0.16).epsilon(1e-14));
  CHECK(scale * slopes[1].item() == Approx(0.12).epsilon(1e-14));
}

TEST_CASE("the angle of the origin has a value where no derivative is asked for",
          "[autograd][taylor]") {
  const JetTablePtr table = jet_table({{0}});
  for (const double x : {0.0, -0.0}) {
    const Jet angle = apply_binary(binary_id<op::Atan2>, constant_jet(table, full({1, 1}, 0.0)),
                                   constant_jet(table, full({1, 1}, x)));
    CHECK(angle.channel(0).item() == std::atan2(0.0, x));
  }
}

TEST_CASE("a jet to a constant power needs no logarithm of its base", "[autograd][taylor]") {
  const JetTablePtr table = jet_table({{4}});
  const auto powers_at = [&](double x, double p) {
    const Jet base = coordinate_jet(table, full({1, 1}, x));
    return apply_binary(binary_id<op::Pow>, base, constant_jet(table, full({1, 1}, p)))
        .data.values();
  };
  CHECK(powers_at(-2, 3) == std::vector<double>{-8, 12, -12, 6, 0});
  CHECK(powers_at(0, 3) == std::vector<double>{0, 0, 0, 6, 0});
  CHECK(powers_at(0, 0) == std::vector<double>{1, 0, 0, 0, 0});
  CHECK(powers_at(-2, -1) == std::vector<double>{-0.5, -0.25, -0.25, -0.375, -0.75});
  CHECK(std::isnan(powers_at(-2, 0.5)[0]));
  const std::vector<double> broken = powers_at(0, 1.5);
  CHECK(broken[0] == 0);
  CHECK(broken[1] == 0);
  CHECK_FALSE(std::isfinite(broken[2]));
}

TEST_CASE("nested reverse has every derivative of a power at base 0", "[autograd][taylor]") {
  const double p = GENERATE(0, 1, 2, 3);
  const Tensor x = zeros({}).set_requires_grad();
  Tensor u = pow(x, full({}, p));
  for (int order = 1; order <= 4; ++order) {
    u = grad(u, x, {.create_graph = true, .materialize = true});
    INFO("derivative " << order << " of x^" << p);
    CHECK(u.item() == (order == p ? std::tgamma(p + 1) : 0));
  }
}

TEST_CASE("a power whose exponent is trained has its gradient where the exponent is whole",
          "[autograd][taylor]") {
  const double start = GENERATE(0, 2);
  const JetTablePtr table = jet_table({{2}});
  const std::vector<Tensor> xy = {from_values({0.5, 2}, {2, 1}).set_requires_grad()};
  const Tensor p = full({1, 1}, start).set_requires_grad(), q = zeros({1, 1}).set_requires_grad();
  const Jet base = coordinate_jets(table, xy)[0];
  const Jet u = apply_binary(binary_id<op::Pow>, base,
                             parameter_jet(table, p, 2) + parameter_jet(table, q, 2) * base);
  const Tensor v = pow(xy[0], p + q * xy[0]);
  for (const MultiIndex& a : {MultiIndex{}, MultiIndex{1}, MultiIndex{2}}) {
    const GradOptions options{.retain_graph = true, .materialize = true};
    const std::vector<Tensor> jets = grad({sum(u.channel(table->find(a)))}, {p, q}, {}, options),
                              reverse = grad({sum(partial(v, xy, a))}, {p, q}, {}, options);
    INFO("derivative " << int(a[0]));
    for (int i = 0; i < 2; ++i)
      CHECK(jets[i].item() == Approx(reverse[i].item()).epsilon(1e-12).margin(1e-12));
  }
}

TEST_CASE("the larger of NaN and a number is NaN with all derivatives, on tensors and on jets",
          "[autograd][taylor]") {
  const int id = GENERATE(binary_id<op::Min>, binary_id<op::Max>);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const JetTablePtr table = jet_table({{2}});
  const Tensor x = full({1, 1}, nan).set_requires_grad();
  const Jet jet = coordinate_jet(table, x.detach()), zero = constant_jet(table, zeros({1, 1}));

  CHECK(std::isnan(grad(apply_binary(id, x, 0.0), x).item()));
  CHECK(std::isnan(grad(apply_binary(id, 0.0, x), x).item()));
  for (const double v : apply_binary(id, jet, zero).data.values()) CHECK(std::isnan(v));
  for (const double v : apply_binary(id, zero, jet).data.values()) CHECK(std::isnan(v));
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
