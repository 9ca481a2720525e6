#include "solvers/train/trust/estimate.h"

#include <cmath>

#include "solvers/train/summary.h"
#include "solvers/train/trust/slices.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

std::vector<Slices> slices_at_zero(const std::string& equation) {
  const Run run = run_of(*problem({"x", "t"}, {"u"}, {equation}), {stage("adam", 5)});
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.network);
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
  Run run = inverse_run({stage("ssbroyden", 60)});
  const Folder folder;
  const TrainResult result = train(run, request(folder / "run"));
  REQUIRE(result.trust.estimates.fields.size() == 1);
  CHECK(result.trust.estimates.fields[0].relative < 3 * result.errors[0].l2);
  CHECK(result.trust.estimates.fields[0].relative > result.errors[0].l2 / 3);
}

TEST_CASE("an estimate that accounts for little of the residual is called rough", "[train]") {
  CHECK(
      estimates_text({.estimates = {.fields = {{"u", 2e-5, 0.93}, {"v", 2e-5, 0.04}}}}) ==
      "estimated error of u: 2.0e-05 (linearized, relative L2; it accounts for 93 % of the squared "
      "residual)\n"
      "estimated error of v: 2.0e-05 (rough; linearized, relative L2; it accounts for 4 % of the "
      "squared residual)\n");
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
  // Of u = 0 the residual is -x: in the outer quarters its mean square is 7/12, in the inner 1/12.
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
  CHECK_THAT(read_file(folder / "run/status.json"), Contains("\"trust\":{}"));
}
