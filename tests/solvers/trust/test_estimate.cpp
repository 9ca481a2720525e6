#include "solvers/trust/estimate.h"

#include <cmath>

#include "solvers/problem/rewritten.h"
#include "solvers/trust/trust_of.h"
#include "solvers/watch/summary.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

std::vector<Slices> slices_at_zero(const std::string& equation) {
  const Run run = run_of(*problem({"x", "t"}, {"u"}, {equation}), {stage("adam", 5)});
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  return residual_slices(run, model, std::vector<double>(model->parameter_count()), pool, {});
}

Slices slices(const std::string& coordinate, std::vector<double> residuals) {
  return {.term = "heat",
          .coordinate = coordinate,
          .lower = 0,
          .upper = 2,
          .residuals = std::move(residuals)};
}

}  // namespace

TEST_CASE("the estimated error is the true one, where it is small and of smooth shape", "[train]") {
  const long steps = GENERATE(20, 100);
  const Folder folder;
  const TrainResult result =
      train(poisson_run({stage("ssbroyden", steps)}), request(folder / "run"));
  REQUIRE(result.trust.estimates.fields.size() == 1);
  const EstimatedError& estimate = result.trust.estimates.fields[0];
  CHECK(estimate.field == "u");
  CHECK(estimate.relative == Approx(result.errors[0].l2).epsilon(0.1));
  CHECK(estimate.explained > 0.9);
}

TEST_CASE("the estimate sees what an unknown is off by", "[train]") {
  Run run = inverse_run({stage("ssbroyden", 250)});
  const Folder folder;
  const TrainResult result = train(run, request(folder / "run"));
  REQUIRE(result.trust.estimates.fields.size() == 1);
  CHECK(result.trust.estimates.fields[0].relative < 3 * result.errors[0].l2);
  CHECK(result.trust.estimates.fields[0].relative > result.errors[0].l2 / 3);
}

TEST_CASE("of very many readings an estimate takes some", "[train]") {
  Run run = inverse_run({stage("ssbroyden", 150)});
  DataSet& data = *run.problem.requirements.back().data;
  data.rows.clear(), data.values.clear();
  data.count = 50'001;
  for (std::size_t i = 0; i < data.count; ++i) {
    data.rows.push_back(-1 + 2 * double(i) / double(data.count - 1));
    data.values.push_back(std::sin(M_PI * data.rows.back()));
  }
  const Folder folder;
  const TrainResult result = train(run, request(folder / "run"));
  const EstimatedError& told = result.trust.estimates.fields.at(0);
  INFO("true " << result.errors[0].l2 << ", told " << told.relative << " " << told.why);
  CHECK_FALSE(told.at_least);
  CHECK(told.relative == Approx(result.errors[0].l2).epsilon(0.3));
}

namespace {

/// u' = 3 u from u(0) = 1, in four windows that are trained a little each; what is off at the end
/// of one grows in all that follow.
Run growth_run(const std::string& form) {
  auto p = problem({"t"}, {"u"}, {"u_t = 3*u"});
  Warnings warnings;
  Requirement start;
  start.kind = Requirement::Kind::condition;
  start.name = "start";
  start.on = "t = 0";
  start.region = parse_region({text("t = 0")}, *p);
  start.residuals.push_back(
      {"start", parse_residual(text("u = 1"), Scope{*p}, warnings), 1, text("u = 1")});
  p->requirements.push_back(start);
  Run run = run_of(*p, {stage("ssbroyden", 25)});
  run.reference.quantities = {exact("u", "exp(3*t)", run.problem)};
  run.windows.edges = {0.25, 0.5, 0.75};
  run.windows.carry = false;
  run.effective["windows.count"] = "4";
  if (form.empty()) return run;
  const ExpressionPtr output =
      parse_expression(text(form), Scope{run.problem, Scope::Use::output}, warnings);
  run.windows.outputs = {output};
  run.problem.outputs = {with_initial(output, 0, {make_number(1)})};
  return run;
}

}  // namespace

TEST_CASE("an estimate over windows of time carries the error of one into the next", "[train]") {
  const std::string form = GENERATE("", "initial(u) + (t - initial(t))*N");
  const Folder folder;
  const TrainResult result = train(growth_run(form), request(folder / "run"));
  REQUIRE(result.trust.estimates.fields.size() == 1);
  const EstimatedError& told = result.trust.estimates.fields[0];
  INFO("true " << result.errors[0].l2 << ", told " << told.relative << " " << told.why);
  CHECK_FALSE(told.at_least);
  CHECK(told.relative == Approx(result.errors[0].l2).epsilon(0.1));
}

TEST_CASE("a field that is zero is told absolutely", "[train]") {
  auto p = problem({"x"}, {"u", "v"}, {"u_xx = -pi^2*sin(pi*x)", "v_xx = 0"});
  Warnings warnings;
  for (ExpressionPtr& output : p->outputs)
    output = parse_expression(text("(1 - x^2)*N"), Scope{*p, Scope::Use::output}, warnings);
  Run run = run_of(*p, {stage("ssbroyden", 200)});
  run.reference.quantities = {exact("v", "0", run.problem)};
  const Folder folder;
  const TrainResult result = train(run, request(folder / "run"));
  REQUIRE(result.trust.estimates.fields.size() == 2);
  CHECK_FALSE(result.trust.estimates.fields[0].zero);
  const EstimatedError& of_v = result.trust.estimates.fields[1];
  CHECK(of_v.zero);
  REQUIRE(result.errors[0].absolute);
  CHECK(of_v.absolute == Approx(result.errors[0].l2).epsilon(0.2));
}

TEST_CASE("where one field is far off no number is told of any", "[train]") {
  auto p = problem({"x"}, {"u", "v"}, {"u_xx = -pi^2*sin(pi*x)", "v_xx = -pi^2*sin(pi*x)"});
  Warnings warnings;
  for (ExpressionPtr& output : p->outputs)
    output = parse_expression(text("(1 - x^2)*N"), Scope{*p, Scope::Use::output}, warnings);
  REQUIRE(p->requirements[0].residuals.size() == 2);
  const double weight_of_v = GENERATE(1.0, 1e-14);
  p->requirements[0].residuals[1].weight = weight_of_v;
  Run run = run_of(*p, {stage("ssbroyden", 60)});
  run.reference.quantities = {exact("u", "sin(pi*x)", run.problem),
                              exact("v", "sin(pi*x)", run.problem)};
  const Folder folder;
  const TrainResult result = train(run, request(folder / "run"));
  const bool far = weight_of_v < 1;
  CHECK(result.errors[0].l2 < 0.1);
  CHECK((result.errors[1].l2 > 0.3) == far);
  for (const EstimatedError& told : result.trust.estimates.fields) {
    CHECK(told.at_least == far);
    CHECK(told.why == (far ? "a field is too far off" : ""));
  }
}

TEST_CASE("where a condition is missing no number is told", "[train]") {
  auto p = problem({"x"}, {"u"}, {"u_xx = -pi^2*sin(pi*x)"});
  Warnings warnings;
  p->outputs[0] = parse_expression(text("(1 + x)*N"), Scope{*p, Scope::Use::output}, warnings);
  const Folder folder;
  const TrainResult result = train(run_of(*p, {stage("ssbroyden", 100)}), request(folder / "run"));
  REQUIRE(result.trust.estimates.fields.size() == 1);
  CHECK(result.trust.estimates.fields[0].at_least);
  CHECK_THAT(result.trust.estimates.fields[0].why, Contains("the face x = 1 has no condition"));
}

TEST_CASE("a kink that the residual does not see is warned of, and no number is told", "[train]") {
  auto p = problem({"x"}, {"u"}, {"u_xx = 0"});
  Warnings warnings;
  p->outputs[0] =
      parse_expression(text("1 - abs(x) + (1 - x^2)*N"), Scope{*p, Scope::Use::output}, warnings);
  Run run = run_of(*p, {stage("ssbroyden", 60)});
  run.reference.quantities = {exact("u", "0*x", run.problem)};
  const Folder folder;
  const TrainResult result = train(run, request(folder / "run"));
  CHECK(result.trust.estimates.fields.at(0).at_least);
  REQUIRE(result.trust.warnings.size() == 1);
  CHECK_THAT(result.trust.warnings[0].what,
             Contains("u_x jumps by 2 at x = ") && Contains("u_xx knows nothing of it"));
}

TEST_CASE("a residual that no point saw is warned of", "[train]") {
  auto p = problem({"x"}, {"u"}, {"u_xx = 1e5*exp(-(1e5*(x - 0.37))^2)"});
  Warnings warnings;
  p->outputs[0] = parse_expression(text("(1 - x^2)*N"), Scope{*p, Scope::Use::output}, warnings);
  const Folder folder;
  const TrainResult result = train(run_of(*p, {stage("ssbroyden", 60)}), request(folder / "run"));
  CHECK(result.trust.estimates.fields.at(0).at_least);
  REQUIRE(result.trust.warnings.size() == 1);
  CHECK_THAT(result.trust.warnings[0].what,
             Contains("most of the residual of 'u_xx = ") && Contains("by what is at x = 0.37"));
}

TEST_CASE("a result that does not follow from its start is warned of", "[train]") {
  auto p = problem({"x", "t"}, {"u"}, {"u_t = 60*u*(u - 0.5)*(1 - u)"});
  Warnings warnings;
  p->outputs[0] =  // at 0.8 it grows, and the network says that it falls to 0 and stays there
      parse_expression(text("0.8*exp(-40*t) + 1e-3*t*N"), Scope{*p, Scope::Use::output}, warnings);
  const Folder folder;
  const TrainResult result = train(run_of(*p, {stage("adam", 2)}), request(folder / "run"));
  CHECK(result.trust.estimates.fields.at(0).at_least);
  REQUIRE_FALSE(result.trust.warnings.empty());
  CHECK_THAT(result.trust.warnings[0].what,
             Contains("until t = ") && Contains("the result does not follow from its start"));
}

TEST_CASE("an estimate is told as a number, as a lower bound with its reason, or absolutely",
          "[train]") {
  EstimatedError number{.field = "u", .relative = 2e-5, .explained = 0.93};
  EstimatedError bound{.field = "v", .relative = 2e-5, .at_least = true, .why = "some reason"};
  EstimatedError zero{.field = "w", .relative = 40, .absolute = 3e-7, .zero = true};
  CHECK(estimates_text({.estimates = {.fields = {number, bound, zero}}}) ==
        "estimated error of u: about 2.0e-05 (relative L2; it accounts for 93 % of the squared "
        "residual)\n"
        "estimated error of v: at least 2.0e-05 (relative L2); no number, for some reason\n"
        "estimated error of w: about 3.0e-07, absolute, for the field is about 0\n");
}

TEST_CASE("where no estimate can be made, the reason is told", "[train]") {
  Run run = inverse_run({stage("adam", 2)});
  std::vector<Requirement>& all = run.problem.requirements;
  all.erase(all.begin(), all.end() - 1);
  run.sampling.erase(run.sampling.begin(), run.sampling.end() - 1);
  const Folder folder;
  const Trust trust = train(run, request(folder / "run")).trust;
  CHECK(trust.estimates.fields.empty());
  CHECK(estimates_text(trust) == "no estimated error: the file asks for data alone\n");
}

TEST_CASE("residuals are told in quarters of each coordinate", "[train]") {
  // The residual of u = 0 is -x: in the outer quarters its mean square is 7/12, in the inner 1/12.
  const std::vector<Slices> found = slices_at_zero("u_t = x");
  REQUIRE(found.size() == 2);
  CHECK(found[0].coordinate == "x");
  const double outer = std::sqrt(7. / 12), inner = std::sqrt(1. / 12);
  for (const auto& [slice, expected] : {std::pair{0, outer}, {1, inner}, {2, inner}, {3, outer}})
    CHECK(found[0].residuals.at(std::size_t(slice)) == Approx(expected).epsilon(0.05));
  CHECK(found[1].coordinate == "t");
  for (const double residual : found[1].residuals)
    CHECK(residual == Approx(std::sqrt(1. / 3)).epsilon(0.1));
}

TEST_CASE("the worst place is named where it is ten times worse than the rest", "[train]") {
  const Trust even{.slices = {slices("x", {1, 2, 3, 1}), slices("t", {1, 1, 9, 1})}};
  CHECK_FALSE(worst_place(even.slices).where);
  const Trust uneven{.slices = {slices("x", {1, 11, 1, 1}), slices("t", {1, 1, 30, 1})}};
  CHECK_THAT(slices_text(uneven),
             Contains("  heat along x  1.0e+00 1.1e+01 1.0e+00 1.0e+00\n") &&
                 Contains("the worst place: 1 < t < 1.5, where 'heat' is 30 times what it is "
                          "elsewhere\n"));
}

TEST_CASE("a slice without points is no place to compare with", "[train]") {
  const Trust front{.slices = {slices("x", {-std::nan(""), 5, std::nan(""), std::nan("")})}};
  CHECK_FALSE(worst_place(front.slices).where);
  CHECK_THAT(slices_text(front), Contains("  heat along x  - 5.0e+00 - -\n"));
}

TEST_CASE("nothing is told where the file wants no trust", "[train]") {
  Run run = poisson_run({stage("adam", 5)});
  run.output.trust = false;
  const Folder folder;
  const TrainResult result = train(run, request(folder / "run"));
  CHECK(result.trust.slices.empty());
  CHECK_THAT(summary(result), !Contains("estimated error"));
  CHECK_THAT(closing(result), !Contains("estimated") && Contains("trust: held-out residual "));
  CHECK_THAT(read_file(folder / "run/status.json"), Contains("\"trust\":{}"));
}
