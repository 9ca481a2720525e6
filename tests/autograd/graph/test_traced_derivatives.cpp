#include "autograd/graph/passes.h"
#include "autograd/tape/batch.h"
#include "autograd/tape/forward_mode.h"
#include "autograd/tape/trace.h"
#include "autograd/taylor/jet.h"
#include "tests/autograd/graph/evaluate.h"
#include "tests/autograd/tape/helpers.h"

using namespace pinn;
using namespace pinn::test;

namespace {

const JetTablePtr table = jet_table({MultiIndex{2}});
const std::vector<Shape> parameter_shapes = {{2, 4}, {4}, {4, 1}, {1}, {}};

/// c u_xx + u u_x of a small network, [points]; parameters: two layers and c.
Tensor residual(const Tensor& h, const std::vector<Tensor>& p) {
  const Tensor u = linear(jet(unary_id<op::Tanh>, 0, 0, table, linear(h, p[0], p[1])), p[2], p[3]);
  return select(p[4] * select(u, 1, 2) + select(u, 1, 0) * select(u, 1, 1), 1, 0);
}

/// Derivatives that a step may ask for besides a gradient.
using Step = std::function<std::vector<Tensor>(const Tensor& h, const std::vector<Tensor>& p,
                                               const std::vector<Tensor>& v)>;

std::vector<Tensor> tangent_step(const Tensor& h, const std::vector<Tensor>& p,
                                 const std::vector<Tensor>& v) {
  return {jvp([&](const auto& at) { return residual(h, at); }, p, v).tangent};
}

std::vector<Tensor> hessian_step(const Tensor& h, const std::vector<Tensor>& p,
                                 const std::vector<Tensor>& v) {
  const Hvp hvp_of_weights = hvp(
      [&](const Tensor& w) {
        std::vector<Tensor> at = p;
        at[0] = w;
        return sum(square(residual(h, at)));
      },
      p[0], v[0]);
  return {hvp_of_weights.gradient, hvp_of_weights.product};
}

std::vector<Tensor> row_step(const Tensor& h, const std::vector<Tensor>& p,
                             const std::vector<Tensor>&) {
  const Tensor r = residual(h, p);
  return per_sample_gradients(r, p);
}

/// The step traced, optimized and run, against the step itself.
void check_traced(const Step& step) {
  constexpr std::int64_t points = 5;
  Inputs given{{"h", normal({points, 3, 2}, 1)}};
  std::vector<Tensor> p, v, traced_p, traced_v;
  Trace trace;
  const Tensor h = trace.input("h", {any_points, 3, 2}, DType::float64, Extent::row);
  for (const Shape& shape : parameter_shapes) {
    const std::string name = std::to_string(p.size());
    given["p" + name] = normal(shape, 10 + p.size());
    given["v" + name] = normal(shape, 20 + p.size());
    p.push_back(given["p" + name].detach().set_requires_grad());
    v.push_back(given["v" + name]);
    traced_p.push_back(trace.input("p" + name, shape, DType::float64, Extent::fixed));
    traced_p.back().set_requires_grad();
    traced_v.push_back(trace.input("v" + name, shape, DType::float64, Extent::fixed));
  }
  const Graph graph = optimized(trace.finish(step(h, traced_p, traced_v)));

  const std::vector<Tensor> expected = step(given["h"], p, v);
  const std::vector<Tensor> found = outputs_of(graph, given, points);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i].shape() == expected[i].shape());
    CHECK(relative_distance(found[i], expected[i]) < 1e-13);
  }
}

}  // namespace

TEST_CASE("the tangent of a residual can be traced", "[autograd][graph]") {
  check_traced(tangent_step);
}

TEST_CASE("the product of a loss's Hessian with a vector can be traced", "[autograd][graph]") {
  check_traced(hessian_step);
}

TEST_CASE("the rows of a residual's Jacobian can be traced", "[autograd][graph]") {
  check_traced(row_step);
}
