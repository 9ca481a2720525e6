#include "solvers/trust/standard_errors.h"

#include <cmath>

#include "solvers/train/begin.h"
#include "solvers/trust/trust_of.h"
#include "solvers/watch/summary.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t readings = 40;
constexpr double count = 40;

double reading_x(std::size_t n) { return -1 + 2 * (double(n) + 0.5) / count; }
/// 2 x + 1, and noise.
double reading(std::size_t n) {
  return 2 * reading_x(n) + 1 + 0.1 * Random{3, stream("readings", "test")}.normal(n);
}

void ask(Run& run, const std::string& name, const std::string& formula, double weight,
         bool data = false) {
  Requirement r;
  r.name = name;
  r.kind = data ? Requirement::Kind::data : Requirement::Kind::condition;
  Warnings none;
  Scope scope{run.problem};
  if (data) {
    r.data.emplace();
    r.data->columns = scope.columns = {"y"};
    r.data->count = readings;
    for (std::size_t n = 0; n < readings; ++n) {
      r.data->rows.push_back(reading_x(n));
      r.data->values.push_back(reading(n));
    }
  } else {
    r.region = parse_region({text("boundary")}, run.problem);
  }
  r.residuals.push_back({name, parse_residual(text(formula), scope, none), weight, text(formula)});
  run.problem.requirements.push_back(r);
  run.sampling.resize(run.problem.requirements.size());
  run.sampling.back().count = 4;
}

/// A line k x + c through readings; the network has an equation of its own.
Run line_run(double weight = 1) {
  auto p = problem({"x"}, {"u"}, {"u_xx = 0"});
  p->unknowns = {{"k", 1, {}, {}, false}, {"c", 1, {}, {}, false}};
  Run run = run_of(*p, {stage("adam", 5)});
  ask(run, "readings", "k*x + c = y", weight, true);
  return run;
}

/// Sums over the readings: those of x^2, y and x y.
struct Sums {
  double xx = 0, y = 0, xy = 0;
};
Sums sums() {
  Sums s;
  for (std::size_t n = 0; n < readings; ++n) {
    s.xx += reading_x(n) * reading_x(n);
    s.y += reading(n);
    s.xy += reading_x(n) * reading(n);
  }
  return s;
}

/// The sum of squares that a line leaves.
double squares(double k, double c) {
  double sum = 0;
  for (std::size_t n = 0; n < readings; ++n) sum += std::pow(k * reading_x(n) + c - reading(n), 2);
  return sum;
}

/// Findings on the network as it is initialized, and on these unknowns.
Trust told(const Run& run, const std::vector<double>& unknowns) {
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool(2);
  const LossOptions options;
  const std::vector<LossTerm> terms = Loss(model, options, pool).terms();
  TrainState state = first_state(run, *model, terms);
  std::vector<double> p = model->initial_parameters(1);
  std::copy(unknowns.begin(), unknowns.end(), p.end() - std::ptrdiff_t(unknowns.size()));
  state.best.offer(p, 1, 0);
  return trust_of(run, model, state, options, pool);
}

}  // namespace

TEST_CASE("standard errors of a line are those of linear regression", "[train]") {
  const double weight = GENERATE(1.0, 100.0);
  const Sums s = sums();
  const double k = s.xy / s.xx, c = s.y / count;
  const Trust trust = told(line_run(weight), {k, c});
  const double deviation = std::sqrt(squares(k, c) / (count - 2));
  REQUIRE(trust.unknowns.values.size() == 2);
  CHECK(trust.unknowns.values[0] == Approx(deviation / std::sqrt(s.xx)));
  CHECK(trust.unknowns.values[1] == Approx(deviation / std::sqrt(count)));
  REQUIRE(trust.unknowns.noise.size() == 1);
  CHECK(trust.unknowns.noise[0].deviation == Approx(deviation));
  CHECK(trust.unknowns.noise[0].freedom == Approx(count - 2));
  CHECK(trust.warnings.empty());
}

TEST_CASE("what no data say has no noise: a condition makes the standard error smaller",
          "[train]") {
  // k minimizes w_c (k - 2)^2 + mean (k x + c - y)^2, so dk/dy_n = (x_n / N) / (w_c + sum x^2 / N).
  const double w = 0.3, n = count;
  Run run = line_run();
  ask(run, "slope", "k = 2", w);
  const Sums s = sums();
  const double k = (2 * w + s.xy / n) / (w + s.xx / n), c = s.y / n;
  const StandardErrors errors = told(run, {k, c}).unknowns;
  const double freedom = n - 1 - (s.xx / n) / (w + s.xx / n);
  const double deviation = std::sqrt(squares(k, c) / freedom);
  CHECK(errors.noise.at(0).freedom == Approx(freedom));
  CHECK(errors.values.at(0) == Approx(deviation * std::sqrt(s.xx) / n / (w + s.xx / n)));
}

TEST_CASE("sigma says the noise, whatever the residuals are", "[train]") {
  Run run = line_run();
  run.problem.requirements[1].data->sigma = 0.07;
  const StandardErrors errors = told(run, {5, -3}).unknowns;
  CHECK(errors.values.at(0) == Approx(0.07 / std::sqrt(sums().xx)));
  CHECK(errors.noise.at(0).freedom == 0);
  CHECK_THAT(noise_text(Trust{.unknowns = errors}),
             Contains("the noise of 'readings', 0.07 by its sigma"));
}

TEST_CASE("the standard error is of an unknown's value, however it is stored", "[train]") {
  const Sums s = sums();
  const double k = s.xy / s.xx, c = s.y / count;
  Run run = line_run();
  const double plain = told(run, {k, c}).unknowns.values.at(0);
  run.problem.unknowns[0].log = true;
  CHECK(told(run, {std::log(k), c}).unknowns.values.at(0) == Approx(plain));
}

TEST_CASE("an unknown that no residual uses is left open", "[train]") {
  Run run = line_run();
  run.problem.unknowns.push_back({"idle", 1, {}, {}, false});
  const StandardErrors errors = told(run, {2, 1, 1}).unknowns;
  CHECK(std::isnan(errors.values.at(2)));
  CHECK(standard_error_text(errors, 2) == ", which the loss leaves open");
  CHECK_FALSE(std::isnan(errors.values.at(0)));
}

TEST_CASE("a weight that decides an unknown is named, with what to make it", "[train]") {
  // A condition that contradicts the data, too weak to tell: k stays near 2.
  Run run = line_run();
  ask(run, "slope", "k = 3", 0.002);
  const Sums s = sums();
  const double n = count;
  const double k = (3 * 0.002 + s.xy / n) / (0.002 + s.xx / n);
  const Warnings found = told(run, {k, s.y / n}).warnings;
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].what, Contains("the weights decide k") && Contains("100 times as much"));
  CHECK(found[0].fix == "give 'slope' the weight 0.2 or more (now 0.002)");
}

TEST_CASE("weights that change nothing are not warned of", "[train]") {
  Run run = line_run();
  const Sums s = sums();
  const double k = s.xy / s.xx;
  ask(run, "slope", "k = " + std::to_string(k), 0.002);
  CHECK(told(run, {k, s.y / count}).warnings.empty());
}

TEST_CASE("an unknown that one more step would move has not settled", "[train]") {
  const Warnings found = told(line_run(), {3, 1}).warnings;
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].what, Contains("k has not settled") && Contains("moves it by -1.0e+00"));
}

TEST_CASE("data that determine many parameters of the network are warned of", "[train]") {
  Run run = line_run();
  run.networks = {layers({20})};
  run.networks[0].frequency = {8};  // it can bend often
  ask(run, "profile", "u + k = y", 1, true);
  run.problem.requirements[0].residuals[0].weight = 1e-12;
  const Warnings found = told(run, {2, 1}).warnings;
  REQUIRE_FALSE(found.empty());
  CHECK_THAT(found[0].what, Contains("the noise of 'profile' is fitted: its 40 points determine"));
}

TEST_CASE("no standard errors are asked for without data, or of a large network", "[train]") {
  Run run = line_run();
  run.networks = {layers({60, 60})};
  const Trust large = told(run, {2, 1});
  CHECK(large.unknowns.values.empty());
  CHECK(noise_text(large) ==
        "no standard errors: the network has 3843 parameters, and at most 3000 can be asked\n");
  run.problem.requirements.pop_back();
  CHECK(noise_text(told(run, {2, 1})) ==
        "no standard errors: there are no [[data]], whose noise they are of\n");
}

TEST_CASE("a run tells standard errors at its end, in its status and in its fields", "[train]") {
  const Folder folder;
  const TrainResult result =
      train(inverse_run({stage("adam", 20), stage("ssbroyden", 150)}), request(folder / "run"));
  REQUIRE(result.trust.unknowns.values.size() == 1);
  const std::string error = standard_error_text(result.trust.unknowns, 0);
  CHECK_THAT(error, Contains(" +- "));
  CHECK_THAT(closing(result), Contains(error + "\n") && Contains("degrees of freedom"));
  CHECK_THAT(read_file(folder / "run/status.json"), Contains("\"standard_errors\":{\"k\":"));
  CHECK_THAT(read_file(folder / "run/fields.h5"), Contains("\"standard_errors\":{\"k\":"));
  CHECK_THAT(status(folder / "run"), Contains(error + "\n"));
}

namespace {

/// u_t = D u_xx - k u with walls, and readings of two decaying modes with noise of 1 %; the true
/// D is 0.05, the true k 0.5. The equation has this weight.
Run reaction_run(double weight) {
  auto p = problem({"x", "t"}, {"u"}, {});
  p->unknowns = {{"D", 0.02, {}, {}, false}, {"k", 0.2, {}, {}, false}};
  Warnings none;
  p->requirements[0].residuals.push_back(
      {"diffusion", parse_residual(text("u_t = D*u_xx - k*u"), Scope{*p}, none), weight, text("")});
  Run run = run_of(*p, {stage("adam", 300), stage("ssbroyden", 1000)});
  ask(run, "walls", "u = 0", 1);
  ask(run, "readings", "u = y", 1, true);
  DataSet& data = *run.problem.requirements[2].data;
  data.rows.clear(), data.values.clear(), data.count = 400;
  const Random random{8, stream("reaction", "test")};
  constexpr double pi = 3.14159265358979;
  for (std::size_t n = 0; n < data.count; ++n) {
    const double x = 2 * random.uniform(2 * n) - 1, t = random.uniform(2 * n + 1);
    const double slow = std::exp(-(0.05 * pi * pi + 0.5) * t) * std::sin(pi * x);
    const double fast = std::exp(-(0.2 * pi * pi + 0.5) * t) * std::sin(2 * pi * x);
    data.rows.insert(data.rows.end(), {x, t});
    data.values.push_back(slow + 0.5 * fast + 0.007 * random.normal(10000 + n));
  }
  run.networks = {layers({20, 20})};
  run.sampling[0].count = 1000;
  run.sampling[1].count = 100;
  return run;
}

}  // namespace

TEST_CASE("unknowns that weights put many standard errors off are told, those within are not",
          "[train][slow]") {
  const double weight = GENERATE(1e-4, 1.0);
  const Folder folder;
  const TrainResult result = train(reaction_run(weight), request(folder / "run"));
  double off = 0;
  for (const std::size_t k : {0ul, 1ul})
    off = larger(off, std::fabs(result.unknowns[k].second - (k == 0 ? 0.05 : 0.5)) /
                          result.trust.unknowns.values.at(k));
  INFO(summary(result));
  if (weight < 1) {
    CHECK(off > 3);
    REQUIRE_FALSE(result.trust.warnings.empty());
    CHECK_THAT(result.trust.warnings[0].what, Contains("the weights decide") || Contains("fitted"));
  } else {
    CHECK(off < 3);
    CHECK(result.trust.warnings.empty());
  }
}
