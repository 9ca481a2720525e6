#include "solvers/results/values.h"

#include <cmath>
#include <numbers>

#include "data/files/h5_reader.h"
#include "solvers/train/begin.h"
#include "solvers/watch/advice.h"
#include "solvers/watch/summary.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

constexpr double pi = std::numbers::pi;

/// A run whose fields are these formulas, whatever is trained: x, y on [-1, 1], t on [0, 1].
Run run_with(const std::vector<std::string>& coordinates,
             const std::vector<std::pair<std::string, std::string>>& fields,
             const std::string& domain = "") {
  std::vector<std::string> names, equations;
  for (const auto& [name, formula] : fields) names.push_back(name), equations.push_back(name);
  const auto p = problem(coordinates, names, equations);
  Warnings warnings;
  for (std::size_t f = 0; f < fields.size(); ++f)
    p->outputs[f] = parse_expression(text(fields[f].second + " + 0*N"),
                                     Scope{*p, Scope::Use::output}, warnings);
  if (!domain.empty()) {
    const auto shape = [](const std::string& kind,
                          const std::map<std::string, std::vector<double>>& arguments) {
      return make_shape({kind, arguments}, 2);
    };
    declare_regions(
        {{text("hole"),
          {},
          {.name = "hole", .shape = shape("disk", {{"center", {0.3, 0}}, {"radius", {0.3}}})}},
         {text("slot"),
          {},
          {.name = "slot",
           .shape = shape("rectangle", {{"center", {-0.2, 0}}, {"size", {1, 0.2}}})}}},
        *p);
    declare_domain(text(domain), *p);
    p->requirements[0].region = interior(*p);
  }
  return run_of(*p, {stage("adam", 3)});
}

void ask(Run& run, const std::string& name, const std::string& value, const std::string& on = "") {
  Warnings warnings;
  OutputValue asked{.name = name, .formula = {}, .region = nullptr, .text = value, .on = on};
  asked.region = on.empty() ? interior(run.problem) : parse_region({text(on)}, run.problem);
  const Scope inside{.problem = run.problem, .has_normal = asked.region->has_normal()};
  asked.formula = parse_value(text(value), inside, warnings);
  if (!asked.formula.has_region()) asked.region = nullptr;
  run.output.values.push_back(std::move(asked));
}

std::vector<FoundValue> found(const Run& run, std::size_t nodes = result_nodes) {
  ThreadPool pool(2);
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  return ValueMeter(run, nodes)({{model, model->initial_parameters(1)}}, pool);
}

double value_of(Run run, const std::string& value, const std::string& on = "") {
  ask(run, "asked", value, on);
  return found(run)[0].value;
}

}  // namespace

TEST_CASE("integrals over the interior count all coordinates, time too", "[train][values]") {
  const Run run = run_with({"x", "t"}, {{"u", "x^2*exp(t)"}});
  CHECK(value_of(run, "integral(u)") == Approx(2. / 3 * (std::exp(1) - 1)).epsilon(1e-12));
  CHECK(value_of(run, "mean(u)") == Approx(1. / 3 * (std::exp(1) - 1)).epsilon(1e-12));
  CHECK(value_of(run, "integral(u)", "t = 1") == Approx(2. / 3 * std::exp(1)).epsilon(1e-12));
  CHECK(value_of(run, "integral(u_xx*x^2)", "x > 0 and t < 0.5") ==
        Approx(2. / 3 * (std::exp(0.5) - 1)).epsilon(1e-12));
  CHECK(value_of(run, "at(u_t, x = 0.5, t = 1)") == Approx(std::exp(1) / 4).epsilon(1e-12));
}

TEST_CASE("the largest and the smallest value are found between nodes and at ends",
          "[train][values]") {
  const Run run = run_with({"x", "y"}, {{"u", "exp(-20*((x - 0.123)^2 + (y + 0.456)^2)) + x/100"}});
  const double u = value_of(run, "max(u)");
  CHECK(u > 1.00123);
  CHECK(u == Approx(1.00123 + 1.25e-6).epsilon(1e-9));  // and a little to the right: 1e-4/80
  CHECK(value_of(run, "min(x)") == Approx(-1).epsilon(1e-12));
  CHECK(value_of(run, "max(x + 3*y)", "boundary") == Approx(4).epsilon(1e-12));
}

TEST_CASE("the flux of a harmonic field through the boundary of a domain is 0",
          "[train][values][geometry]") {
  const Run run = run_with({"x", "y"}, {{"u", "exp(x)*sin(y) + x^2 - y^2"}}, "box - hole - slot");
  CHECK(std::fabs(value_of(run, "integral(u_n)", "boundary")) < 1e-12);
  const double in = value_of(run, "integral(dot(grad(u), n))", "boundary(box)");
  const double out = value_of(run, "integral(u_x*n_x + u_y*n_y)", "not boundary(box)");
  CHECK(std::fabs(in + out) < 1e-12);
}

TEST_CASE("Green's theorem holds on a domain of shapes", "[train][values][geometry]") {
  // For the field (u, v): what springs in the domain leaves through its boundary.
  const Run run =
      run_with({"x", "y"}, {{"u", "x^3 + x*y"}, {"v", "y*exp(x)"}}, "box - hole - slot");
  Run asked = run;
  ask(asked, "inside", "integral(u_x + v_y)");
  ask(asked, "through", "integral(dot((u, v), n))", "boundary");
  const std::vector<FoundValue> v = found(asked);
  CHECK(v[0].value == Approx(v[1].value).epsilon(3e-4));
  CHECK(std::fabs(v[0].value - v[1].value) < v[0].quadrature);
  CHECK(v[1].quadrature < 1e-10);
}

TEST_CASE("the integral of 1 is the measure of what it is taken over",
          "[train][values][geometry]") {
  const Run run = run_with({"x", "y"}, {{"u", "1"}}, "box - hole");
  CHECK(value_of(run, "integral(1)") == Approx(4 - pi * 0.09).epsilon(2e-4));
  CHECK(value_of(run, "integral(1)", "boundary") == Approx(8 + pi * 0.6).epsilon(1e-12));
  CHECK(value_of(run, "integral(1)", "boundary(hole)") == Approx(pi * 0.6).epsilon(1e-12));
  CHECK(value_of(run, "integral(1)", "boundary(hole) and y > 0") == Approx(pi * 0.3).epsilon(1e-8));
  CHECK(value_of(run, "integral(1)", "x = 0.3") == Approx(2 - 0.6).epsilon(1e-8));
}

TEST_CASE("a value of unknowns is what training found", "[train][values]") {
  Run run = inverse_run({stage("adam", 5)});
  ask(run, "twice", "2*k + 1");
  const Folder folder;
  const TrainResult result = train(run, request(folder / "run"));
  REQUIRE(result.values.size() == 1);
  CHECK(result.values[0].value == Approx(2 * result.unknowns[0].second + 1).epsilon(1e-15));
}

TEST_CASE("an integral that is not sure says by how much", "[train][values]") {
  Run run = run_with({"x", "y"}, {{"u", "tanh(3000*(x - 0.2))"}});
  ask(run, "rough", "integral(u^2*y^2)");
  ask(run, "fine", "integral(y^2)");
  const std::vector<FoundValue> v = found(run);
  CHECK(v[0].quadrature > 1e-6);
  CHECK(std::fabs(v[0].value - 4. / 3 + 2. / 3 * 2 / 3000) < v[0].quadrature);
  CHECK_THAT(value_text(v[0]), Contains("(integrated to "));
  CHECK(value_text(v[1]) == "fine = 1.33333333");
}

TEST_CASE("values are told, recorded, stored and promised", "[train][values]") {
  Run run = run_with({"x", "t"}, {{"u", "x^2"}});
  ask(run, "mass", "integral(u)");
  ask(run, "middle", "at(u, x = 0, t = 0.5)");
  ask(run, "free", "mean(u)");
  run.reference.values = {{"mass", 0.5, 0.1}, {"middle", 0, 1e-9}};
  run.reference.strict = true;
  const Folder folder;

  const TrainResult result = train(run, request(folder / "run"));

  const std::string told = closing(result);
  CHECK_THAT(told, Contains("mass = 0.666666667, relative error 3.33e-01\n"));
  CHECK_THAT(told, Contains("\nmiddle = 0, absolute error 0.00e+00\n"));
  CHECK_THAT(told, Contains("\nfree = 0.333333333\n"));
  CHECK(result.failed);
  REQUIRE(!result.warnings.empty());
  CHECK(result.warnings.back().what ==
        "the promise for mass is broken: its relative error is 3.33e-01, promised is 1.00e-01");

  const H5Reader file(folder / "run/fields.h5");
  CHECK(file.number<double>("/values/mass") == Approx(2. / 3).epsilon(1e-12));
  CHECK(file.number<double>("/values/free") == Approx(1. / 3).epsilon(1e-12));
  const LossHistory history = saved_state(folder / "run").history;
  for (const char* name :
       {"value:mass", "error:mass", "value:middle", "error:middle", "value:free"})
    CHECK(std::ranges::count(history.columns, name) == 1);
  CHECK(std::ranges::count(history.columns, "error:free") == 0);
  CHECK_THAT(metrics_of(folder / "run"), Contains("\"error:mass\":0.333333"));
  const BestModel best = saved_state(folder / "run").best;
  for (const FoundValue& v : result.values) {
    CHECK(best.values.at(v.name) == v.value);
    CHECK(best.errors.count(v.name) == (std::isnan(v.error) ? 0 : 1));
  }
  CHECK_THAT(status(folder / "run"), Contains("value      mass = 0.66666666"));

  run.reference.values[0].error = 0.5;
  CHECK_FALSE(train(run, request(folder / "kept")).failed);
}

TEST_CASE("values of a run in windows are of all time", "[train][values]") {
  Run run = run_with({"x", "t"}, {{"u", "x^2*t"}});
  run.windows.edges = {0.5};
  run.effective["windows.count"] = "2";
  ask(run, "all", "integral(u)");
  ask(run, "ends", "integral(u_n)", "boundary");
  const Folder folder;
  const TrainResult result = train(run, request(folder / "run"));
  CHECK(result.values[0].value == Approx(1. / 3).epsilon(1e-9));
  CHECK(result.values[1].value == Approx(2.).epsilon(1e-9));
}
