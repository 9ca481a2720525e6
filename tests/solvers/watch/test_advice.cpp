#include "solvers/watch/advice.h"

#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// inverse_run() with so many readings of noise sigma, fitted to a chi-square per point.
Warnings noise(std::size_t count, double sigma, double chi_square) {
  Run run = inverse_run({stage("adam", 5)});
  DataSet& data = *run.problem.requirements[2].data;
  data.file = "readings.csv";
  data.count = count;
  data.sigma = sigma;
  return learned_noise(run, {1, {1e-9, 1e-9, chi_square}});
}

/// u'' = -k u with u = 0 at the ends: sines of any size when k fits, and 0 whatever k is.
Run eigenvalue_run() {
  auto p = problem({"x"}, {"u"}, {"u_xx + 2.5*u = 0"});
  Warnings none;
  Requirement ends;
  ends.kind = Requirement::Kind::condition;
  ends.name = "ends";
  ends.region = parse_region({text("boundary")}, *p);
  ends.residuals.push_back({"ends", parse_residual(text("u = 0"), Scope{*p}, none), 1, text("u")});
  p->requirements.push_back(ends);
  return run_of(*p, {stage("lbfgs", 100)});
}

/// eigenvalue_run() with one more condition.
Run with_condition(const std::string& on, const std::string& formula) {
  Run run = eigenvalue_run();
  Warnings none;
  Requirement r = run.problem.requirements[1];
  r.name = "more";
  r.region = parse_region({text(on)}, run.problem);
  r.residuals = {
      {"more", parse_residual(text(formula), Scope{run.problem}, none), 1, text(formula)}};
  run.problem.requirements.push_back(r);
  run.sampling.push_back(run.sampling[0]);
  return run;
}

/// Warnings about the network whose parameters are those of the start times a factor.
Warnings at(const Run& run, double factor) {
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  std::vector<double> p = model->initial_parameters(run.options.seed);
  for (double& x : p) x *= factor;
  return trivial_solution(run, model, p, pool);
}

ReferenceQuantity promise(const std::string& name, double error) {
  return {name, nullptr, nullptr, error};
}

}  // namespace

TEST_CASE("a promise is broken by an error that is larger, or unknown", "[train]") {
  Run run = run_of(*problem({"x"}, {"u", "v"}, {"u_xx = v"}), {stage("adam", 5)});
  run.reference.quantities = {promise("u", 1e-3), promise("v", 1e-3)};
  const Warnings found = broken_promises(run, {{.name = "u", .l2 = 2e-3, .where = {}}});
  REQUIRE(found.size() == 2);
  CHECK(warning_text(found[0]) ==
        "warning: the promise for u is broken: its relative L2 error is 2.00e-03, promised is "
        "1.00e-03\n"
        "  where: [reference] error.u\n"
        "  fix:   train longer, with more points or a larger network, or promise less");
  CHECK(warning_text(found[1]) ==
        "warning: nobody knows whether the promise for v is kept: the reference does not have it\n"
        "  where: [reference] error.v\n"
        "  fix:   add v to the reference, or promise nothing");
  CHECK(broken_promises(run, {{.name = "u", .l2 = std::nan(""), .where = {}},
                              {.name = "v", .l2 = 1e-3, .where = {}}})
            .size() == 1);
}

TEST_CASE("a promise that no number breaks is told with the place and what makes such", "[train]") {
  Run run = run_of(*problem({"x"}, {"u"}, {"u_xx = 0"}), {stage("adam", 5)});
  run.reference.quantities = {promise("u", 1e-3)};
  run.reference.values = {{"drag", 5.58, 1e-2}};
  const std::string fix =
      "\n  fix:   look in [network.output], [problem.define] and there for a division by 0, and "
      "for "
      "roots, logarithms, powers and atan2 that meet 0 or negative numbers; move the place by a "
      "little, as in (x + 1e-9)";
  const Warnings field =
      broken_promises(run, {{.name = "u", .l2 = -std::nan(""), .where = "x = 0"}});
  REQUIRE(field.size() == 1);
  CHECK(warning_text(field[0]) ==
        "warning: the promise for u is broken: it is not a finite number at x = 0\n"
        "  where: [reference] error.u" +
            fix);
  const double nan = -std::nan("");
  const FoundValue drag{.name = "drag", .value = nan, .error = nan};
  const Warnings value = broken_promises(run, std::vector<FoundValue>{drag});
  REQUIRE(value.size() == 1);
  CHECK(warning_text(value[0]) ==
        "warning: the promise for drag is broken: it is not a finite number\n"
        "  where: [reference] error.drag" +
            fix);
  CHECK(value_text(drag) == "drag = nan");
}

TEST_CASE("a promise is kept by an error that is not larger, and none cannot be broken",
          "[train]") {
  Run run = run_of(*problem({"x"}, {"u", "v"}, {"u_xx = v"}), {stage("adam", 5)});
  CHECK(broken_promises(run, {{.name = "u", .l2 = 7, .where = {}}}).empty());
  run.reference.quantities = {promise("u", 1e-3)};
  CHECK(broken_promises(
            run, {{.name = "u", .l2 = 1e-3, .where = {}}, {.name = "v", .l2 = 7, .where = {}}})
            .empty());
}

TEST_CASE("data fitted far below their noise are warned of", "[train]") {
  const Warnings found = noise(40, 0.01, 0.05);
  REQUIRE(found.size() == 1);
  CHECK(warning_text(found[0]) ==
        "warning: 'readings' is fitted far below the noise of its data: chi-square per point is "
        "0.05, and sigma = 0.01 lets about 1 be expected\n"
        "  where: readings.csv\n"
        "  fix:   the network may have learned the noise: give it fewer parameters, or the "
        "equations more weight; or make sigma smaller, if the data are better than it says");
  CHECK(noise(20, 3, 1e-12).size() == 1);
}

TEST_CASE("data fitted to their noise, of unknown noise, or few of them are not warned of",
          "[train]") {
  CHECK(noise(40, 0.01, 0.6).empty());
  CHECK(noise(40, 0.01, 30).empty());
  CHECK(noise(40, 1, 1e-6).empty());  // no sigma
  CHECK(noise(19, 0.01, 0.1).empty());
}

TEST_CASE("a run that ends in the trivial solution says so", "[train]") {
  const Folder folder;
  const TrainResult result = train(eigenvalue_run(), request(folder / "run"));
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings[0].what,
             Contains("training found the trivial solution: u varies by ") &&
                 Contains("before training, and u = 0 satisfies all that the file asks"));
  CHECK(result.warnings[0].where == "the equations and conditions");
  CHECK_THAT(read_file(folder / "run/status.json"), Contains("the trivial solution"));
}

TEST_CASE("a constant other than 0 is a trivial solution, too", "[train]") {
  Run run = run_of(*problem({"x", "t"}, {"u"}, {"u_t = u_xx + u - u^2"}), {stage("adam", 5)});
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  std::vector<double> p(model->parameter_count());
  p.back() = 1 - 1e-5;
  const Warnings found = trivial_solution(run, model, p, pool);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].what, Contains("and u = 1 satisfies all that the file asks"));
  p.back() = 0.7;
  CHECK(trivial_solution(run, model, p, pool).empty());
}

TEST_CASE("fields that are constant where the file asks for more are told if it is not solved",
          "[train]") {
  const Run run = with_condition("x = 0", "u = 1");
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(1);
  const std::vector<double> p(model->parameter_count());
  const Warnings found = trivial_solution(run, model, p, pool, {}, false);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].what, Contains("training made every field constant") &&
                                Contains("u varies by 0.0e+00") && Contains("near to u = 0"));
  CHECK(trivial_solution(run, model, p, pool, {}, true).empty());
}

TEST_CASE("a solution is trivial only where 0 satisfies all and the fields are flat", "[train]") {
  const Run run = eigenvalue_run();
  CHECK(at(run, 1e-3).size() == 1);
  CHECK(at(run, 1).empty());
  CHECK(at(run, 0.5).empty());
  CHECK(at(with_condition("x = 1", "u_x = 0"), 1e-3).size() == 1);
  CHECK(at(with_condition("x = 0", "u = 1"), 1e-3).empty());
  CHECK(at(poisson_run({stage("adam", 5)}), 1e-3).empty());
  CHECK(at(inverse_run({stage("adam", 5)}), 1e-3).empty());  // its data are no zeros
  Run hard = run;
  Warnings none;
  hard.problem.outputs[0] =
      parse_expression(text("1 + N"), Scope{hard.problem, Scope::Use::output}, none);
  CHECK(at(hard, 1e-3).empty());
}

namespace {

/// A region of which no candidate is ever kept.
class Thin : public Region, private Sampler {
 public:
  explicit Thin(std::shared_ptr<const Region> of) : of_(std::move(of)) {}
  int coordinates() const override { return of_->coordinates(); }
  int dimension() const override { return of_->dimension(); }
  double measure() const override { return 1e-12; }
  std::vector<Interval> bounds() const override { return of_->bounds(); }
  const Sampler& sampler() const override { return *this; }
  std::shared_ptr<const Region> with(int, const Interval&) const override { return of_; }
  bool inside(std::span<const double> x, double t) const override { return of_->inside(x, t); }
  bool has_normal() const override { return false; }
  void normal(std::span<const double>, std::span<double>) const override {}

 private:
  int numbers() const override { return 1; }
  double whole() const override { return 1; }
  bool keeps_all() const override { return false; }
  bool sample(std::span<const double>, std::span<double>, std::span<double>) const override {
    return false;
  }
  std::shared_ptr<const Region> of_;
};

}  // namespace

TEST_CASE("nothing is known of a part without points, so a solution is not trivial there",
          "[train]") {
  Run run = with_condition("x > 0", "u = 1");
  Requirement& more = run.problem.requirements.back();
  more.region = std::make_shared<Thin>(more.region);
  CHECK(at(run, 1e-3).empty());
}

TEST_CASE("a window that ends badly is told before the next one begins", "[train]") {
  TrainResult ended;
  ended.trust.estimates.fields = {{"u", 0.02, 0.9}};
  CHECK(bad_beginning(ended, "window 1 of 4").empty());
  ended.trust.estimates.fields.push_back({"v", 0.3, 0.9});
  CHECK(warning_text(bad_beginning(ended, "window 1 of 4").at(0)) ==
        "warning: the next window starts from a bad end: the estimated error of v is 3.0e-01, and "
        "all later ones inherit that\n"
        "  where: window 1 of 4\n"
        "  fix:   give the stages more steps, or take more windows");
  ended.warnings.push_back({"'heat' is not solved", "", ""});
  CHECK_THAT(bad_beginning(ended, "window 1 of 4").at(0).what,
             Contains("there are warnings about it"));
}

TEST_CASE("a loss that is nan for a power of a field says so, and names the form that helps",
          "[train]") {
  const auto p = problem({"x"}, {"u"}, {"u_x = u^1.5"});
  Divergence d{.step = 7, .stage = 0, .loss = {}, .terms = {}, .optimizer = {}};
  d.loss.total = std::nan("");
  d.powers = negative_powers(*p);
  CHECK(
      report(d).fix ==
      "write [network.output] u = \"exp(N)\": a root, a logarithm or a broken power is taken of u, "
      "which the network may make negative: the loss is nan then");
}
