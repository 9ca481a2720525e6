#include "autograd/graph/passes.h"
#include "autograd/tape/trace.h"
#include "autograd/taylor/jet.h"
#include "tests/autograd/graph/evaluate.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

const std::vector<Shape> step_shapes = {{2, 8}, {8}, {8, 8}, {8}, {8, 1}, {1}};

/// The coordinates (x, t) of each point as a jet with channels u, u_x, u_t, u_xx.
Tensor coordinates(const Tensor& points) {
  const std::int64_t n = points.size(0);
  const Tensor one = expand(full({1, 1, 1}, 1), {n, 1, 1});
  Tensor h = embed(reshape(points, {n, 1, 2}), {n, 4, 2}, 1, 0);
  for (const int i : {0, 1}) h = h + embed(embed(one, {n, 1, 2}, 2, i), {n, 4, 2}, 1, 1 + i);
  return h;
}

/// sum of (u_t + u u_x - nu u_xx)^2 over the points, for a network of three layers.
Tensor loss(const Tensor& points, const std::vector<Tensor>& parameters) {
  const auto table = jet_table({{0, 0}, {1, 0}, {0, 1}, {2, 0}});
  Tensor h = coordinates(points);
  for (std::size_t l = 0; l < parameters.size(); l += 2) {
    h = linear(h, parameters[l], parameters[l + 1]);
    if (l + 2 < parameters.size()) h = jet(unary_id<op::Tanh>, 0, 0, table, h);
  }
  const auto channel = [&](const MultiIndex& a) {
    return select(select(h, 2, 0), 1, table->find(a));
  };
  const Tensor u = channel({0, 0});
  return sum(square(channel({0, 1}) + u * channel({1, 0}) - 0.01 * channel({2, 0})));
}

/// The loss and its gradients.
std::vector<Tensor> step(const Tensor& points, const std::vector<Tensor>& parameters) {
  std::vector<Tensor> all = {loss(points, parameters)};
  for (const Tensor& g : grad(all, parameters)) all.push_back(g);
  return all;
}

Graph traced_step() {
  Trace trace;
  const Tensor points = trace.input("points", {any_points, 2}, DType::float64, Extent::row);
  std::vector<Tensor> parameters;
  for (const Shape& shape : step_shapes) {
    const std::string name = "p" + std::to_string(parameters.size());
    parameters.push_back(trace.input(name, shape, DType::float64, Extent::fixed));
    parameters.back().set_requires_grad();
  }
  return trace.finish(step(points, parameters));
}

}  // namespace

TEST_CASE("a traced step of Burgers' equation, optimized, equals the eager one",
          "[autograd][graph]") {
  const Graph after = optimized(traced_step());
  const Tensor points = normal({5, 2}, 1);
  Inputs inputs{{"points", points}};
  std::vector<Tensor> parameters;
  for (const Shape& shape : step_shapes) {
    parameters.push_back(variable(shape, 2 + parameters.size()));
    inputs["p" + std::to_string(parameters.size() - 1)] = parameters.back().detach();
  }

  const std::vector<Tensor> outputs = outputs_of(after, inputs, 5);

  const std::vector<Tensor> expected = step(points, parameters);
  REQUIRE(outputs.size() == expected.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    CHECK(relative_distance(outputs[i], expected[i]) < 1e-13);
}

TEST_CASE("an optimized step holds the products that it needs, and little else",
          "[autograd][graph]") {
  const Graph after = optimized(traced_step());
  const auto count = [&](Primitive op) {
    return std::count_if(after.values.begin(), after.values.end(),
                         [op](const Value& v) { return v.op == op; });
  };
  CHECK(count(Primitive::linear) == 3);    // one per layer
  CHECK(count(Primitive::contract) == 3);  // one weight gradient per layer
  CHECK(count(Primitive::matmul) == 2);    // none for the coordinates' gradient
  CHECK(count(Primitive::jet) == 2);       // one per hidden layer
  CHECK(count(Primitive::jet_pullback) == 2);
  CHECK(count(Primitive::concat) == 2);  // the coordinates as a jet, and the gradient of u's
  CHECK(count(Primitive::embed) == 0);
  CHECK(after.values.size() < 65);  // of 93
}
