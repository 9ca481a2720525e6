#include "autograd/check/gradcheck.h"
#include "autograd/core/error.h"
#include "tests/autograd/taylor/helpers.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

std::vector<JetTablePtr> tables() {
  return {jet_table({}),
          jet_table({x, y}),
          jet_table({x}, {{{y, 1}, {xx, -0.3}}}),
          jet_table(all_indices(2)),
          jet_table({{4}}),
          jet_table({}, {{{MultiIndex{4}, 1}, {MultiIndex{2, 2}, 2}, {MultiIndex{0, 4}, 1}}})};
}

/// A jet whose values lie inside [from, to] and away from 0, with small derivatives.
Tensor sample(const JetTablePtr& table, double from, double to, std::uint64_t stream,
              std::int64_t features = 2) {
  Tensor h = 0.3 * normal({2, table->size(), features}, stream);
  Tensor values = slice(h, 1, 0, 1);
  copy_in_place(values, 0.5 * (from + to) + 0.3 * (to - from) * tanh(3.0 * values.clone()));
  return h.set_requires_grad();
}

double dot(const Tensor& a, const Tensor& b) { return sum(a * b).item(); }

}  // namespace

TEST_CASE("GCK-01 jets of every unary op pass gradcheck and gradgradcheck", "[autograd][taylor]") {
  const int id = GENERATE(range(0, Unary::size));
  const int k = GENERATE(0, 1);
  INFO(unary_name(id) << ", derivative " << k);
  const JetTablePtr table = jet_table({x}, {{{y, 1}, {xx, -0.3}}});
  visit_unary(id, [&]<class Op>() {
    const TensorFunction f = [&](const auto& in) { return jet(id, 2.5, k, table, in[0]); };
    const std::vector<Tensor> inputs = {sample(table, Op::from, Op::to, 1)};
    CHECK(gradcheck(f, inputs) == "");
    CHECK(gradgradcheck(f, inputs) == "");
  });
}

TEST_CASE("GCK-01 both products of jets pass gradcheck and gradgradcheck, features broadcast",
          "[autograd][taylor]") {
  const auto [a, b] = GENERATE(table<int, int>({{2, 2}, {1, 2}, {2, 1}}));
  const JetTablePtr table = tables()[std::size_t(GENERATE(range(0, 6)))];
  const std::vector<Tensor> inputs = {sample(table, -1, 1, 1, a), sample(table, -1, 1, 2, b)};
  const TensorFunction product = [&](const auto&in) { return jet_mul(table, in[0], in[1]); },
                       transposed = [&](const auto&in) {
                         return jet_mul_transposed(table, in[0], in[1]);
                       };

  for (const TensorFunction& f : {product, transposed}) {
    CHECK(gradcheck(f, inputs) == "");
    CHECK(gradgradcheck(f, inputs, {.fast = true}) == "");
  }
}

TEST_CASE("the product of jets is commutative, associative and has its transpose",
          "[autograd][taylor]") {
  const JetTablePtr table = tables()[std::size_t(GENERATE(range(0, 6)))];
  const Shape shape{3, table->size(), 4};
  const Tensor a = normal(shape, 1), b = normal(shape, 2), c = normal(shape, 3);
  const auto mul = [&](const Tensor& l, const Tensor& r) { return jet_mul(table, l, r); };

  CHECK(distance(mul(a, b), mul(b, a)) < 1e-13);
  CHECK(relative_distance(mul(mul(a, b), c), mul(a, mul(b, c))) < 1e-13);
  CHECK(dot(c, mul(a, b)) == Approx(dot(jet_mul_transposed(table, c, b), a)).epsilon(1e-12));
}

TEST_CASE("the gradient of a jet by one op equals the one made of recorded ops",
          "[autograd][taylor]") {
  const JetTablePtr table = tables()[std::size_t(GENERATE(range(0, 6)))];
  const Tensor h = sample(table, -2, 2, 1), seed = normal(h.shape(), 2);
  const auto slope = [&](bool record) {
    return grad({jet(unary_id<op::Gelu>, 0, 0, table, h)}, {h}, {seed},
                {.create_graph = record})[0];
  };

  CHECK(relative_distance(slope(false), slope(true)) < 1e-14);
}

TEST_CASE("jets refuse tensors of another shape and derivatives that no kernel has",
          "[autograd][taylor][errors]") {
  const JetTablePtr table = jet_table({{4}});
  const Tensor h = sample(table, -1, 1, 1);

  CHECK_THROWS_WITH(jet(unary_id<op::Tanh>, 0, 0, table, normal({2, 3, 2}, 1)),
                    Contains("jet: a jet here is [points, 5 channels, features]") &&
                        Contains("float64 [2, 3, 2]"));
  CHECK_THROWS_WITH(jet_mul(table, h, normal({2, 5}, 1)), Contains("jet_mul: a jet here is"));
  CHECK_THROWS_WITH(jet_mul(table, h, normal({3, 5, 2}, 1)),
                    Contains("jet_mul: the jets differ in points"));
  CHECK_THROWS_WITH(jet_mul(table, h, normal({2, 5, 2}, 1, DType::float32)),
                    Contains("jet_mul: the tensors have different dtypes"));
  CHECK_THROWS_WITH(jet_mul(table, h, normal({2, 5, 3}, 1)), Contains("do not broadcast"));
  CHECK_THROWS_WITH(jet(unary_id<op::Tanh>, 0, 4, table, h),
                    Contains("derivative 8 of tanh is asked for; jets have 7"));
}

TEST_CASE("features of jets are put side by side and taken apart", "[autograd][taylor]") {
  const JetTablePtr table = jet_table({x});
  const Jet a{table, normal({3, 2, 2}, 1)}, b{table, normal({3, 2, 1}, 2)};

  const Jet both = concat({a, b});

  CHECK(both.data.shape() == Shape{3, 2, 3});
  CHECK(distance(features(both, 0, 2).data, a.data) == 0);
  CHECK(distance(features(both, 2, 3).data, b.data) == 0);
}
