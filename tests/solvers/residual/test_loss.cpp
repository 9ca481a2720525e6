#include "solvers/residual/loss/loss.h"

#include "solvers/residual/step/formulas.h"

#include "autograd/core/stats.h"
#include "autograd/tape/saved_hooks.h"
#include "solvers/problem/expression.h"
#include "tests/catch.h"
#include "tests/solvers/residual/problems.h"

using namespace pinn;
using pinn::test::loss_of;
using pinn::test::problem;
using pinn::test::spread;

namespace {

/// Everything a residual can be made of: fields, composites under derivatives, selections.
const std::vector<std::string> equations = {
    "u_t + u*v_x = 0.1*u_xx + sin(pi*x)", "d(u*v_x, x) + exp(-u^2)*v_tt = where(x < 0, u, v)",
    "d(sin(u), x, 2) + u_xt = max(u, v) + atan2(u, 2 + v)", "abs(u)^1.5 + min(x, t)*v_xxt = u^3"};

}  // namespace

TEST_CASE("Taylor and reverse mode give one loss and one gradient", "[residual]") {
  for (const std::string& e : equations) {
    INFO(e);
    const auto p = problem({"x", "t"}, {"u", "v"}, {e});
    const test::Result taylor = loss_of(p, Derivatives::taylor),
                       reverse = loss_of(p, Derivatives::reverse);
    CHECK(taylor.loss.total == Approx(reverse.loss.total).epsilon(1e-12));
    for (std::size_t i = 0; i < taylor.gradient.size(); ++i)
      CHECK(taylor.gradient[i] == Approx(reverse.gradient[i]).epsilon(1e-9).margin(1e-11));
  }
}

TEST_CASE("the gradient is the derivative of the loss by every parameter", "[residual]") {
  auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  p->unknowns.push_back({"k", 0.3, 0.1, 2.0, true});
  Warnings warnings;
  p->requirements[0].residuals[0].expression =
      parse_residual(test::text("u_t = k*u_xx + k^2*x"), Scope{*p}, warnings);
  const auto model = std::make_shared<const Model>(p, test::layers({5}));
  ThreadPool pool(1);
  Loss loss(model, {}, pool);
  loss.set_points(0, spread(*p, 30));
  std::vector<double> at = model->initial_parameters(2), g(at.size());
  loss.value_and_gradient(at, g);

  for (std::size_t i = 0; i < at.size(); ++i) {
    const double h = 1e-5, kept = at[i];
    at[i] = kept + h;
    const double above = loss.value(at).total;
    at[i] = kept - h;
    const double below = loss.value(at).total;
    at[i] = kept;
    CHECK(g[i] == Approx((above - below) / (2 * h)).epsilon(1e-6).margin(1e-9));
  }
}

TEST_CASE("the loss has the same bits for any number of threads", "[residual]") {
  const auto p = problem({"x", "t"}, {"u", "v"}, {equations[0], equations[1]});
  const test::Result one = loss_of(p, Derivatives::taylor, 9000, 1);

  for (const int threads : {2, 3, 4}) {
    const test::Result many = loss_of(p, Derivatives::taylor, 9000, threads);
    CHECK(many.loss.total == one.loss.total);
    CHECK(many.gradient == one.gradient);
  }
}

TEST_CASE("float32 follows float64 to its own accuracy", "[residual]") {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  const test::Result fine = loss_of(p, Derivatives::taylor);
  const test::Result coarse = loss_of(p, Derivatives::taylor, 40, 1, DType::float32);

  CHECK(coarse.loss.total == Approx(fine.loss.total).epsilon(1e-5));
  CHECK(coarse.loss.total != fine.loss.total);
}

TEST_CASE("a weighted mean of squares is the loss, term by term", "[residual]") {
  auto p = problem({"x"}, {"u"}, {"u - x", "u_x"});
  p->requirements[0].residuals[0].weight = 3;
  const test::Result r = loss_of(p, Derivatives::taylor);

  REQUIRE(r.loss.terms.size() == 2);
  CHECK(r.loss.total == Approx(3 * r.loss.terms[0] + r.loss.terms[1]).epsilon(1e-14));
}

TEST_CASE("selections follow the parameters from step to step", "[residual]") {
  const auto p = problem({"x"}, {"u"}, {"u_x = where(u < 0, sign(u), max(u, 1 - u))"});
  const bool compiled = GENERATE(true, false);
  const auto model = std::make_shared<const Model>(p, test::layers({6}));
  ThreadPool pool(1);
  std::vector<double> at = model->initial_parameters(2), g(at.size()), expected(at.size());
  Loss used(model, {.derivatives = {}, .compiled = compiled}, pool),
      fresh(model, {.derivatives = {}, .compiled = compiled}, pool);
  used.set_points(0, spread(*p, 30));
  fresh.set_points(0, spread(*p, 30));

  used.value_and_gradient(at, g);
  for (std::size_t i = at.size() - 7; i < at.size(); ++i) at[i] *= -1;  // the last layer: -u
  CHECK(used.value_and_gradient(at, g).total == fresh.value_and_gradient(at, expected).total);
  CHECK(g == expected);
}

TEST_CASE("a point's weight counts its square as often", "[residual]") {
  const auto p = problem({"x"}, {"u"}, {"u - x", "u_x"});
  const bool compiled = GENERATE(true, false);
  const auto model = std::make_shared<const Model>(p, test::layers({6}));
  ThreadPool pool(1);
  Loss loss(model, {.derivatives = {}, .compiled = compiled}, pool);
  const std::vector<double> at = model->initial_parameters(2);
  const PointSet all = spread(*p, 3);
  std::vector<double> g(at.size()), expected(at.size());

  // Twice the first point and no third one are the points 0, 0, 1; their mean is over three.
  PointSet weighted = all, repeated = all;
  weighted.weights = {2, 1, 0};
  repeated.x = {all.x[0], all.x[0], all.x[1]};
  loss.set_points(0, repeated);
  const Loss::Result r = loss.value_and_gradient(at, expected);
  loss.set_points(0, weighted);
  CHECK(loss.value_and_gradient(at, g).total == Approx(r.total).epsilon(1e-14));
  for (std::size_t i = 0; i < g.size(); ++i)
    CHECK(g[i] == Approx(expected[i]).epsilon(1e-13).margin(1e-15));

  // One weight per residual: the second one is not asked for at all.
  weighted.weights = {2, 0, 1, 0, 0, 0};
  loss.set_points(0, weighted);
  const Loss::Result first = loss.value(at);
  CHECK(first.terms[0] == Approx(r.terms[0]).epsilon(1e-14));
  CHECK(first.terms[1] == 0);
}

TEST_CASE("other weights are those of a loss made with them, and nothing is compiled for them",
          "[residual]") {
  const bool compiled = GENERATE(true, false);
  auto p = problem({"x", "t"}, {"u"}, {"u_t = u_xx", "u = x"});
  const auto model = std::make_shared<const Model>(p, test::layers({5}));
  ThreadPool pool(1);
  const auto numbers = [&](Loss& loss) {
    const std::vector<double> at = model->initial_parameters(2);
    std::vector<double> all(at.size()), rows(loss.squares().rows());
    all.push_back(loss.value_and_gradient(at, all).total);
    loss.squares().residual(at, rows);
    all.insert(all.end(), rows.begin(), rows.end());
    return all;
  };
  PointSet points = spread(*p, 30);
  points.weights.assign(60, 1);
  Loss loss(model, {.derivatives = {}, .compiled = compiled}, pool);
  loss.set_points(0, points);
  const std::vector<double> before = numbers(loss);

  for (std::size_t i = 0; i < 60; ++i) points.weights[i] = double(i % 7) / 3;
  auto other = std::make_shared<Problem>(*p);
  other->requirements[0].residuals[0].weight = 3;
  other->requirements[0].residuals[1].weight = 0.25;
  Loss made(std::make_shared<const Model>(other, test::layers({5})),
            {.derivatives = {}, .compiled = compiled}, pool);
  made.set_points(0, points);
  const std::int64_t compiles = stats().compiles;
  loss.set_weights(std::vector{3.0, 0.25});
  loss.set_point_weights(0, points.weights);
  const std::vector<double> after = numbers(loss);
  CHECK(stats().compiles == compiles);
  CHECK(loss.terms()[1].weight == 0.25);
  CHECK(after == numbers(made));
  CHECK(after != before);
  CHECK_THROWS_AS(loss.set_weights(std::vector{1.0}), ShapeError);
  CHECK_THROWS_AS(loss.set_point_weights(0, std::vector{1.0}), ShapeError);
}

TEST_CASE("points that are taken away are missed until there are others", "[residual][errors]") {
  const auto p = problem({"x"}, {"u"}, {"u - x"});
  const bool compiled = GENERATE(true, false);
  const auto model = std::make_shared<const Model>(p, test::layers({6}));
  ThreadPool pool(1);
  Loss loss(model, {.derivatives = {}, .compiled = compiled}, pool);
  const std::vector<double> at = model->initial_parameters(2);
  loss.set_points(0, spread(*p, 3));
  const double before = loss.value(at).total;
  loss.drop_points(0);
  CHECK(loss.points() == 0);
  CHECK_THROWS_WITH(loss.value(at), Catch::Contains("was given no points"));
  loss.set_points(0, spread(*p, 3));
  CHECK(loss.value(at).total == before);
}

TEST_CASE("weights that do not fit the points are refused", "[residual][errors]") {
  const auto p = problem({"x"}, {"u"}, {"u - x", "u_x"});
  ThreadPool pool(1);
  Loss loss(std::make_shared<const Model>(p, test::layers({6})), {}, pool);
  PointSet points = spread(*p, 3);
  points.weights = {1, 1};
  CHECK_THROWS_WITH(loss.set_points(0, points), Catch::Contains("has 2 weights for 3 points"));
}

TEST_CASE("a periodic condition compares fields and derivatives at both ends", "[residual]") {
  auto p = problem({"x", "t"}, {"u"}, {"u_t = 0"});
  Requirement wrap;
  wrap.name = "wrap";
  wrap.periodic = Periodicity{0, 1};
  p->requirements = {wrap};
  const auto model = std::make_shared<const Model>(p, test::layers({6}));
  ThreadPool pool(1);
  Loss loss(model, {}, pool);
  PointSet near = spread(*p, 10);
  for (std::size_t i = 0; i < near.count; ++i) near.x[2 * i] = -1;
  loss.set_points(0, near);
  const std::vector<double> at = model->initial_parameters(2);
  const Loss::Result r = loss.value(at);

  REQUIRE(loss.terms().size() == 2);
  CHECK(loss.terms()[0].name == "wrap.u");
  CHECK(loss.terms()[1].name == "wrap.u_x");
  PointSet far = near;
  for (std::size_t i = 0; i < far.count; ++i) far.x[2 * i] = 1;
  const ExpressionPtr u = make_leaf(Expression::Kind::field, 0);
  const std::vector<ExpressionPtr> both = {u, make_derivative(u, unit_index(0))};
  const auto a = evaluate_eagerly(*model, at, near, both),
             b = evaluate_eagerly(*model, at, far, both);
  for (std::size_t k = 0; k < 2; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < near.count; ++i)
      mean += std::pow(a[k][i] - b[k][i], 2) / double(near.count);
    CHECK(r.terms[k] == Approx(mean).epsilon(1e-12));
  }
}

TEST_CASE("a hard constraint holds for any parameters, derivatives included", "[residual]") {
  auto p = problem({"x", "t"}, {"u"}, {"u_t + u_xx = 0"});
  Warnings warnings;
  Scope scope{*p, Scope::Use::output};
  p->outputs[0] = parse_expression(test::text("cos(x) + t*(1 - x^2)*N"), scope, warnings);
  const auto model = std::make_shared<const Model>(p, test::layers({8}));
  ThreadPool pool(1);
  PointSet start;
  start.count = 3;
  start.x = {-0.5, 0, 0.2, 0, 0.9, 0};
  const ExpressionPtr u = make_leaf(Expression::Kind::field, 0);

  const auto values = Formulas(model, {u, make_derivative(u, unit_index(0))})(
      model->initial_parameters(1), start, pool);

  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(values[0][i] == Approx(std::cos(start.x[2 * i])).epsilon(1e-14));
    CHECK(values[1][i] == Approx(-std::sin(start.x[2 * i])).epsilon(1e-13));
  }
}

TEST_CASE("an unknown keeps its bounds for any parameter and starts where it should",
          "[residual]") {
  const Unknown unknown =
      GENERATE(Unknown{"k", 0.3, {}, {}, false}, Unknown{"k", 0.3, 0.0, 1.0, false},
               Unknown{"k", 0.3, 0.1, 2.0, true}, Unknown{"k", 0.3, {}, {}, true},
               Unknown{"k", 0.3, 0.1, {}, false}, Unknown{"k", 0.3, {}, 2.0, true});
  const double r = unknown_parameter(unknown, 0.3);
  CHECK(unknown_value(unknown, full({1}, r)).item() == Approx(0.3).epsilon(1e-14));
  for (const double far : {-30.0, 30.0}) {
    const double value = unknown_value(unknown, full({1}, far)).item();
    if (unknown.min) CHECK(value >= *unknown.min * (1 - 1e-12));
    if (unknown.max) CHECK(value <= *unknown.max * (1 + 1e-12));
    if (unknown.log) CHECK(value > 0);
  }
}

TEST_CASE("a start outside the bounds is refused", "[residual][errors]") {
  CHECK_THROWS_WITH(
      unknown_parameter({"nu", 3, 0.0, 1.0, false}, 3),
      Catch::Contains("the unknown 'nu' starts at 3") && Catch::Contains("strictly between"));
}

TEST_CASE("counting products chooses the cheaper way", "[residual]") {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  const Model model(p, test::layers({16, 16}));
  const ProductCount count = count_products(model, p->requirements[0]);

  // Three channels, three products each, against one pass forward and three reverse towers.
  CHECK(count.taylor < count.reverse);
  CHECK(count.cheaper() == Derivatives::taylor);
}

TEST_CASE("nested reverse passes that would be too many are not counted", "[residual]") {
  const auto count = [](int coordinates) {
    std::vector<std::string> names;
    for (int c = 0; c < coordinates; ++c) names.push_back("x" + std::to_string(c));
    const auto p = problem(names, {"u"}, {"laplacian(laplacian(u))"});
    return count_products(Model(p, test::layers({2})), p->requirements[0]);
  };
  CHECK(std::isfinite(count(6).reverse));
  CHECK(std::isinf(count(36).reverse));
  CHECK(count(36).cheaper() == Derivatives::taylor);
}

TEST_CASE("counting products that fails leaves the counters as they were", "[residual][errors]") {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  const Model model(p, test::layers({16, 16}));
  const auto failing = std::make_shared<SavedHooks>(
      SavedHooks{.name = "failing",
                 .pack = [](const Tensor&, const SavedContext&) -> std::optional<Packed> {
                   throw std::runtime_error("no room");
                 },
                 .unpack = [](const Packed&) { return Tensor(); }});
  const std::int64_t products = stats().products;
  {
    const SavedHooksScope scope(failing);
    CHECK_THROWS_WITH(count_products(model, p->requirements[0]), Catch::Contains("no room"));
  }
  CHECK_FALSE(stats().recording);
  CHECK(stats().product_log.empty());
  CHECK(stats().products == products);
}
