#include "autograd/core/stats.h"
#include "solvers/problem/expression.h"
#include "solvers/residual/step/formulas.h"
#include "tests/catch.h"
#include "tests/solvers/residual/both_ways.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Contains;

namespace {

/// An equation and two conditions that say the same at other points.
LossCase case_with_twins() {
  auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  for (const char* name : {"start", "end"}) {
    Requirement r;
    r.name = name;
    Warnings warnings;
    r.residuals.push_back({name, parse_residual(text("u = 0"), Scope{*p}, warnings), 1, text("")});
    p->requirements.push_back(r);
  }
  LossCase c{std::make_shared<const Model>(p, layers({6, 6})), {}, {}};
  for (const std::size_t n : {40, 7, 9}) c.points.push_back(spread(*p, n));
  c.options.cache = std::make_shared<StepCache>();
  c.options.saved.threshold = 0;
  return c;
}

}  // namespace

TEST_CASE("CMP-02 steps are compiled once per pair of hooks, and then found",
          "[residual][compiled]") {
  LossCase c = case_with_twins();
  const std::vector<double> p = c.model->initial_parameters(4);
  stats().compiles = stats().cache_hits = 0;
  std::int64_t compiles = 0;
  for (const char* kind : {"keep", "bf16", "fp8_e4m3", "bf16", "keep"}) {
    INFO(kind);
    c.options.saved.kind = kind;
    const std::int64_t hits = stats().cache_hits;
    const Result compiled = c.at(p, true), eager = c.at(p, false);
    CHECK(compiled.loss.total == Approx(eager.loss.total).epsilon(1e-12));
    for (std::size_t i = 0; i < p.size(); ++i)
      CHECK(compiled.gradient[i] == Approx(eager.gradient[i]).epsilon(1e-11).margin(1e-13));
    // The equation's step, and the one that both conditions share.
    const bool is_new = compiles < 6 && stats().compiles == compiles + 2;
    CHECK((is_new || stats().compiles == compiles));
    CHECK(stats().cache_hits == hits + (is_new ? 1 : 3));
    compiles = stats().compiles;
  }
  CHECK(compiles == 6);
}

TEST_CASE(
    "a step is compiled again for another number type, other blocks and other points, and "
    "the note says why",
    "[residual][compiled]") {
  LossCase c = case_with_twins();
  const std::vector<double> p = c.model->initial_parameters(4);
  std::string said;
  c.options.cache->tell = [&](const std::string& line) { said += line + "\n"; };
  const auto says = [&](const std::string& words) {
    said.clear();
    c.at(p, true);
    CHECK_THAT(said, Contains(words));
  };
  says("compiled 'equations' with its gradient: ");
  CHECK_THAT(said, Contains("found compiled 'end' with its gradient: ") && !Contains("again"));
  c.options.dtype = DType::float32;
  says("; again, in float32 after float64");
  c.options.derivatives = std::vector(3, Derivatives::reverse);
  says("; again, with derivatives taken another way");
  c.options.saved.kind = "bf16";
  says("; again, with other roundings of saved tensors");
  c.options.block = 32;
  says("; again, for other blocks");
  c.points[0].normals = c.points[0].x;
  says("; again, because points bring other arrays");
  said.clear();
  c.at(p, true);
  CHECK(said.empty());
}

TEST_CASE("CMP-13 a compiled step follows parameters that change in place, or are others",
          "[residual][compiled]") {
  const LossCase c = case_with_twins();
  ThreadPool pool(1);
  Loss loss(c.model, c.options, pool);
  for (std::size_t r = 0; r < c.points.size(); ++r) loss.set_points(r, c.points[r]);
  std::vector<double> p = c.model->initial_parameters(4), g(p.size());
  const auto follows = [&](const std::vector<double>& at) {
    CHECK(loss.value_and_gradient(at, g).total ==
          Approx(c.at(at, false).loss.total).epsilon(1e-12));
    CHECK(loss.value(at).total == Approx(c.at(at, false).loss.total).epsilon(1e-12));
  };
  follows(p);
  for (double& x : p) x *= 1.5;
  follows(p);
  follows(c.model->initial_parameters(5));
}

TEST_CASE("products and formulas are compiled once, and told of, like steps",
          "[residual][compiled]") {
  const LossCase c = case_with_twins();
  std::string said;
  c.options.cache->tell = [&](const std::string& line) { said += line + "\n"; };
  const std::vector<double> p = c.model->initial_parameters(4);
  ThreadPool pool(1);
  const ExpressionPtr u = make_leaf(Expression::Kind::field, 0);
  const auto ask = [&] {
    said.clear();
    stats().compiles = stats().cache_hits = 0;
    Loss loss(c.model, c.options, pool);
    for (std::size_t r = 0; r < c.points.size(); ++r) loss.set_points(r, c.points[r]);
    std::vector<double> rows(loss.squares().rows()), product(p.size()), row(p.size());
    loss.squares().residual(p, rows);
    loss.squares().jacobian_times(p, p, rows);
    loss.squares().transposed_times(p, rows, product);
    loss.squares().hessian_times(p, p, product);
    loss.squares().jacobian_rows(p, 0, 1, row);
    return Formulas(c.model, {u}, c.options.cache)(p, c.points[1], pool)[0];
  };

  const std::vector<double> first = ask();
  // Four products of the equation, and of the twins together; rows of J; the formulas.
  CHECK(stats().compiles == 4 * 2 + 1 + 1);
  CHECK(stats().cache_hits == 4);
  for (const char* what :
       {"compiled the residual vector of 'equations': ",
        "compiled the product J v of 'equations': ", "compiled the product J^T w of 'start': ",
        "found compiled the product H v of 'end': ",
        "compiled the rows of J, of residual 1 of 'equations': ", "compiled 1 formulas: "})
    CHECK_THAT(said, Contains(what));
  CHECK(ask() == first);
  CHECK(stats().compiles == 0);
  CHECK(said.empty());
}

TEST_CASE("a loss that is asked for its value alone compiles no gradient", "[residual][compiled]") {
  const LossCase c = case_with_twins();
  std::string said;
  c.options.cache->tell = [&](const std::string& line) { said += line + "\n"; };
  const std::vector<double> p = c.model->initial_parameters(4);
  ThreadPool pool(1);
  Loss loss(c.model, c.options, pool);
  for (std::size_t r = 0; r < c.points.size(); ++r) loss.set_points(r, c.points[r]);
  const double value = loss.value(p).total;
  CHECK_THAT(said, Contains("compiled 'equations': ") && !Contains("gradient"));
  std::vector<double> g(p.size());
  CHECK(value == Approx(loss.value_and_gradient(p, g).total).epsilon(1e-14));
  CHECK_THAT(said, Contains("gradient"));
}

TEST_CASE("a cache keeps the latest that was asked for, and no more than it may", "[residual]") {
  const auto p = problem({"x", "t"}, {"u"}, {"u_t + u*u_x = 0.1*u_xx"});
  const auto model = std::make_shared<const Model>(p, layers({4}));
  const ExpressionPtr u = make_leaf(Expression::Kind::field, 0);
  std::vector<std::vector<ExpressionPtr>> asked;
  for (std::size_t k = 0; k <= StepCache::most_entries; ++k)
    asked.push_back({make_call("mul", {make_number(double(k + 2)), u})});
  const PointWidths widths(spread(*p, 3));
  StepCache cache;
  stats().compiles = 0;
  for (const auto& formulas : asked) {
    cache.formulas(model, formulas, widths);
    cache.formulas(model, asked[0], widths);  // again and again: it stays
  }
  const std::int64_t compiles = stats().compiles;
  CHECK(compiles == std::int64_t(asked.size()));
  cache.formulas(model, asked[0], widths);
  cache.formulas(model, asked.back(), widths);
  CHECK(stats().compiles == compiles);
  cache.formulas(model, asked[1], widths);  // the one that was asked for longest ago
  CHECK(stats().compiles == compiles + 1);
}
