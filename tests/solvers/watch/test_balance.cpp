#include "solvers/watch/advice.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

std::vector<Balance> balances_of(const Run& run, std::span<const double> p) {
  ThreadPool pool(1);
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  return balances(run, model, p, pool, std::make_shared<StepCache>());
}

std::vector<double> nothing(const Run& run) {
  const Model model(std::make_shared<const Problem>(run.problem), run.networks);
  return std::vector<double>(model.parameter_count(), 0);
}

}  // namespace

TEST_CASE("a network that is zero leaves the whole source unbalanced", "[train]") {
  const Run run = poisson_run({stage("adam", 1)});

  const std::vector<Balance> found = balances_of(run, nothing(run));

  REQUIRE(found.size() == 1);
  CHECK(found[0].residual == Approx(9.8696 / std::sqrt(2)).epsilon(1e-2));  // of pi^2 sin(pi x)
  CHECK(found[0].terms == Approx(found[0].residual));
}

TEST_CASE("a term that vanishes rightly has nothing to balance, and data are noisy", "[train]") {
  const Run run = inverse_run({stage("adam", 1)});  // an equation, u = 0 at the ends, readings

  const std::vector<Balance> found = balances_of(run, nothing(run));

  REQUIRE(found.size() == 2);
  CHECK(found[1].name == "ends");
  CHECK(found[1].terms == 0);
}

TEST_CASE("a run that ends early says what it has not solved, one that ends late does not",
          "[train]") {
  const Folder folder;
  const TrainResult early = train(poisson_run({stage("adam", 3)}), request(folder / "early"));
  const TrainResult late = train(poisson_run({stage("lbfgs", 200)}), request(folder / "late"));

  REQUIRE(early.warnings.size() == 1);
  CHECK_THAT(early.warnings[0].what, Contains("'u_xx = -pi^2*sin(pi*x)' is not solved"));
  CHECK(late.warnings.empty());
}

TEST_CASE("unsolved is what is three hundredths of its terms, and one of what it began with",
          "[train]") {
  const auto said = [](double residual, double terms, double first) {
    return unbalanced({{"heat", residual, terms}}, {{"heat", first, 1}}).size();
  };
  CHECK(said(0.2, 1, 1) == 1);
  CHECK(said(0.05, 1, 1) == 1);
  CHECK(said(0.02, 1, 1) == 0);        // a small part of the terms
  CHECK(said(1e-6, 1e-6, 1e-3) == 0);  // terms that vanish in the solution
  CHECK(said(0.2, 0, 1) == 0);         // nothing to balance
}

TEST_CASE("a result is estimated wrong where a field is a hundredth off", "[train]") {
  Trust trust;
  CHECK_FALSE(is_estimated_wrong(trust));
  trust.estimates.fields = {{"u", 9e-3, 1}, {"v", 1e-4, 1}};
  CHECK_FALSE(is_estimated_wrong(trust));
  trust.estimates.fields[1].relative = 2e-2;
  CHECK(is_estimated_wrong(trust));
}

TEST_CASE("an alarm about a residual wants more than 5e-3 of its terms", "[train]") {
  CHECK(is_worth_telling({"heat", 6e-3, 1}, {"heat", 9, 1}));
  CHECK_FALSE(is_worth_telling({"heat", 4e-3, 1}, {"heat", 1e-3, 1}));
  CHECK(is_worth_telling({"flux", 6e-3, 0}, {"flux", 1, 0}));  // of one term
  CHECK_FALSE(is_worth_telling({"flux", 4e-3, 0}, {"flux", 1, 0}));
  CHECK(is_worth_telling({"walls", 1e-9, 0}, {"walls", 0, 0}));  // nothing to compare it with
}
