#include "autograd/check/gradcheck.h"

#include "tests/autograd/tape/helpers.h"

using namespace pinn;

namespace {

/// Values inside [from, to], away from 0 so that kinks there are not met.
Tensor sample(const Shape& shape, double from, double to, std::uint64_t stream) {
  Tensor t = zeros(shape);
  const Random random{.seed = 3, .stream = stream};
  std::size_t i = 0;
  for (double& v : t.data<double>()) {
    v = from + (to - from) * random.uniform(i++);
    if (std::fabs(v) < 0.02) v += 0.05;
  }
  return t.set_requires_grad();
}

/// A function and the inputs to check it at.
struct Case {
  const char* name;
  TensorFunction f;
  std::vector<Shape> shapes;
};

const std::vector<Case> cases = {
    {"where",
     [](const auto& x) { return where(less(x[0], x[1]), x[0] * x[0], exp(x[1])); },
     {{2, 3}, {3}}},
    {"sum_to",
     [](const auto& x) {
       return square(sum_to(x[0], {1, 3}));
     },
     {{2, 3}}},
    {"sum over axes",
     [](const auto& x) {
       return square(sum(x[0], {0, 2}));
     },
     {{2, 3, 2}}},
    {"mean", [](const auto& x) { return square(mean(x[0], {1}, true)); }, {{2, 3}}},
    {"reshape",
     [](const auto& x) {
       return square(reshape(transpose(x[0]), {-1, 2}));
     },
     {{2, 3}}},
    {"transpose", [](const auto& x) { return exp(transpose(x[0], 0, 2)); }, {{2, 1, 3}}},
    {"slice", [](const auto& x) { return exp(slice(x[0], 1, 1, 3)); }, {{2, 4}}},
    {"select", [](const auto& x) { return exp(select(x[0], 1, 2)); }, {{2, 4}}},
    {"expand",
     [](const auto& x) {
       return square(expand(x[0], {4, 2, 3}));
     },
     {{2, 1}}},
    {"embed",
     [](const auto& x) {
       return exp(embed(x[0], {2, 5}, 1, 2));
     },
     {{2, 2}}},
    {"concat",
     [](const auto& x) {
       return exp(concat({x[0], x[1], x[0]}, 1));
     },
     {{2, 2}, {2, 1}}},
    {"stack",
     [](const auto& x) {
       return exp(stack({x[0], x[1]}, 0));
     },
     {{2, 2}, {2, 2}}},
    {"gather",
     [](const auto& x) {
       return exp(gather(x[0], 1, {2, 0, 2}));
     },
     {{2, 3}}},
    {"clone", [](const auto& x) { return square(x[0].clone()); }, {{3}}},
    {"matmul", [](const auto& x) { return square(matmul(x[0], x[1])); }, {{3, 2}, {2, 4}}},
    {"matmul of transposed",
     [](const auto& x) { return square(matmul(transpose(x[0]), transpose(x[1]))); },
     {{2, 3}, {4, 2}}},
    {"matmul of rows",
     [](const auto& x) { return square(matmul(x[0], x[1])); },
     {{2, 3, 2}, {2, 2}}},
    {"matmul of a batch",
     [](const auto& x) { return square(matmul(x[0], x[1])); },
     {{2, 3, 2}, {2, 2, 4}}},
    {"matmul of a batch of transposed",
     [](const auto& x) { return exp(matmul(transpose(x[0]), transpose(x[1], 0, 2))); },
     {{2, 2, 3}, {1, 2, 2}}},
    {"a batch times itself", [](const auto& x) { return matmul(x[0], x[0]); }, {{2, 3, 3}}},
    {"negative indices",
     [](const auto& x) { return exp(select(x[0], 1, -2)) * slice(x[0], -1, -3, -2); },
     {{2, 4}}},
    {"changes in place",
     [](const auto& x) {
       Tensor t = square(x[0]);
       t += x[1];
       t *= x[0];
       t -= 2.0 * x[1];
       t /= 3.0 + x[1];
       return t;
     },
     {{2, 3}, {3}}},
    {"linear",
     [](const auto& x) { return square(linear(x[0], x[1], x[2])); },
     {{2, 3, 2}, {2, 2}, {2}}},
    {"contract",
     [](const auto& x) { return square(contract(x[0], x[1])); },
     {{2, 3, 2}, {2, 3, 2}}},
    {"contract of transposed",
     [](const auto& x) { return exp(contract(transpose(x[0]), x[1])); },
     {{2, 3}, {3, 2}}},
    {"a layer alone",
     [](const auto& x) { return linear(x[0], x[1], x[2]); },
     {{2, 3, 2}, {2, 2}, {2}}},
    {"a matrix times itself", [](const auto& x) { return matmul(x[0], x[0]); }, {{3, 3}}},
    {"cast and back", [](const auto& x) { return square(cast(x[0], DType::float64)); }, {{3}}},
    {"numbers", [](const auto& x) { return (2.0 - x[0]) * 3.0 / (x[0] + 5.0); }, {{3}}},
};

}  // namespace

TEST_CASE("GCK-01 a unary op passes gradcheck and gradgradcheck", "[autograd][check]") {
  const int id = GENERATE(range(0, Unary::size));
  INFO(unary_name(id));
  visit_unary(id, [&]<class Op>() {
    for (const double parameter : {3.0, 2.5, -1.0}) {
      const TensorFunction f = [=](const auto& x) { return apply<Op>(x[0], parameter); };
      const std::vector<Tensor> inputs = {sample({2, 3}, Op::from, Op::to, 1)};
      CHECK(gradcheck(f, inputs) == "");
      CHECK(gradgradcheck(f, inputs) == "");
      if (!Op::has_parameter) break;
    }
  });
}

TEST_CASE("GCK-01 a binary op passes gradcheck and gradgradcheck, with broadcasting",
          "[autograd][check]") {
  const auto has_slope = [](int id) {
    return !visit_binary(id, []<class Op>() { return Op::flat; });
  };
  const int id = GENERATE_COPY(filter(has_slope, range(0, Binary::size)));
  INFO(binary_name(id));
  const TensorFunction f = [id](const auto& x) { return apply_binary(id, x[0], x[1]); };
  const auto [a, b] =
      GENERATE(table<Shape, Shape>({{{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 1}, {1, 3}}}));
  const std::vector<Tensor> inputs = {sample(a, 0.5, 2, 1), sample(b, 0.6, 2.2, 2)};

  CHECK(gradcheck(f, inputs) == "");
  CHECK(gradgradcheck(f, inputs) == "");
  CHECK(gradcheck(f, inputs, {.fast = true}) == "");
}

TEST_CASE("GCK-01 functions of shapes, products and selections pass both checks",
          "[autograd][check]") {
  const Case& c = cases[std::size_t(GENERATE(range(0, int(cases.size()))))];
  INFO(c.name);
  std::vector<Tensor> inputs;
  for (const Shape& s : c.shapes) inputs.push_back(sample(s, -1.5, 1.5, inputs.size()));

  CHECK(gradcheck(c.f, inputs) == "");
  CHECK(gradgradcheck(c.f, inputs) == "");
}

TEST_CASE("GCK-01 third derivatives pass by nesting once more", "[autograd][check]") {
  const auto& [name, f] = GENERATE(table<const char*, TensorFunction>(
      {{"tanh", [](const auto& x) { return tanh(x[0]); }},
       {"div", [](const auto& x) { return x[0] / (2.0 + x[0] * x[0]); }},
       {"matmul of a batch",
        [](const auto& x) {
          const Tensor m = reshape(x[0], {3, 1, 1});
          return reshape(matmul(matmul(m, m), m), {3});
        }},
       {"softplus", [](const auto& x) { return softplus(x[0]); }}}));
  INFO(name);
  const TensorFunction slope = [f = f](const auto& x) {
    return grad({f(x)}, {x[0]}, {ones(x[0].shape())}, {.create_graph = true})[0];
  };
  CHECK(gradgradcheck(slope, {sample({3}, 0.3, 1.5, 8)}) == "");
}
