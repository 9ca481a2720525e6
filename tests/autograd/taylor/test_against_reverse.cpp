#include "tests/autograd/taylor/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Holds a function of x, y and a parameter, written once for tensors and jets: all derivatives to
/// order 4, and the gradient of a random mixture of them by the parameter.
template <class F> void check_against_reverse(F f, double tolerance) {
  const std::vector<Tensor> xy = columns(points, 1);
  const Tensor p = full({1, 1}, 0.7).set_requires_grad();
  const std::vector<MultiIndex> indices = all_indices(4);
  const JetTablePtr table = jet_table(indices);
  const std::vector<Jet> jets = coordinate_jets(table, xy);
  const Jet taylor = f(jets[0], jets[1], parameter_jet(table, p, points));
  const Tensor u = f(xy[0], xy[1], p);

  Tensor taylor_mixture = zeros({}), reverse_mixture = zeros({});
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Tensor by_taylor = taylor.channel(table->find(indices[k])),
                 by_reverse = partial(u, xy, indices[k]);
    INFO("derivative " << int(indices[k][0]) << ", " << int(indices[k][1]));
    CHECK(distance(by_taylor, by_reverse) <= tolerance * (1 + largest(by_reverse)));
    const Tensor weights = normal({points, 1}, 50 + k) * (1 / (1 + largest(by_reverse)));
    taylor_mixture = taylor_mixture + sum(weights * by_taylor);
    reverse_mixture = reverse_mixture + sum(weights * by_reverse);
  }
  const double slope = grad(reverse_mixture, p, {.materialize = true}).item();
  CHECK(std::fabs(grad(taylor_mixture, p, {.materialize = true}).item() - slope) <=
        tolerance * (1 + std::fabs(slope)));
}

}  // namespace

TEST_CASE("FWD-03 jets of a unary op equal nested reverse to order 4, with their gradients",
          "[autograd][taylor]") {
  const int id = GENERATE(range(0, Unary::size));
  INFO(unary_name(id));
  visit_unary(id, [&]<class Op>() {
    for (const double parameter : {3.0, 2.5, -1.0}) {
      check_against_reverse(
          [=](const auto& x, const auto& y, const auto& p) {
            // An argument inside the op's interval: 0.4 tanh(...) stays below 0.4.
            const auto inner = call<op::Tanh>(0.8 * x - p * y + 0.3 * (x * y));
            return call<Op>(0.5 * (Op::from + Op::to) + 0.4 * (Op::to - Op::from) * inner,
                            parameter);
          },
          1e-11);
      if (!Op::has_parameter) break;
    }
  });
}

TEST_CASE("jets of quotients, roots and exponentials equal nested reverse", "[autograd][taylor]") {
  check_against_reverse(
      [](const auto& x, const auto& y, const auto& p) { return x * y / (2.0 + x * x + p * y * y); },
      1e-11);
  check_against_reverse(
      [](const auto& x, const auto& y, const auto& p) {
        return call<op::Exp>(call<op::Sin>(x * y) - p * y) * call<op::Tanh>(x - 2.0 * y) - x;
      },
      1e-11);
  check_against_reverse(
      [](const auto& x, const auto& y, const auto& p) {
        return call<op::Sqrt>(2.0 + x * x) * call<op::Log>(3.0 + y * y + p * p) + (-y);
      },
      1e-11);
}

TEST_CASE("jets of variable powers and angles equal nested reverse", "[autograd][taylor]") {
  check_against_reverse([](const auto& x, const auto& y,
                           const auto& p) { return call<op::Pow>(2.0 + call<op::Tanh>(x), p * y); },
                        1e-11);
  check_against_reverse(
      [](const auto& x, const auto& y, const auto& p) { return call<op::Atan2>(y * p, x); }, 1e-10);
}

TEST_CASE("jets of selections take all derivatives from the chosen side", "[autograd][taylor]") {
  check_against_reverse(
      [](const auto& x, const auto& y, const auto& p) {
        return call<op::Min>(x * y * p, call<op::Sin>(x)) + call<op::Max>(y * y * x, p - x);
      },
      1e-11);
  check_against_reverse(
      [](const auto& x, const auto& y, const auto& p) {
        return where(call<op::Less>(x, y), call<op::Sin>(x * y * p), x * x * y);
      },
      1e-11);
  check_against_reverse(
      [](const auto& x, const auto& y, const auto& p) {
        return call<op::GreaterEqual>(x, y) * call<op::Abs>(x) * call<op::Erf>(y * p);
      },
      1e-11);
}

TEST_CASE("a comparison of jets is a constant", "[autograd][taylor]") {
  const JetTablePtr table = jet_table(all_indices(2));
  const std::vector<Tensor> xy = columns(points, 1);
  const std::vector<Jet> jets = coordinate_jets(table, xy);

  const Jet below = call<op::LessEqual>(jets[0], jets[1]);

  CHECK(distance(below.channel(0), less_equal(xy[0], xy[1])) == 0);
  CHECK(largest(slice(below.data, 1, 1, table->size())) == 0);
}
