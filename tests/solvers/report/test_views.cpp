// Pictures of a run, held against fields that are known.
#include <algorithm>
#include <cmath>

#include "solvers/report/axis.h"
#include "solvers/report/views.h"
#include "solvers/report/words.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::pages;
using Catch::Matchers::Contains;

namespace {

/// A run whose field is a formula, whatever the network gives.
Run run_of_formula(const std::vector<std::string>& coordinates, const std::string& formula,
                   const std::string& exact = "") {
  auto p = test::problem(coordinates, {"u"}, {"u - 1"});
  Warnings none;
  const Scope output{*p, Scope::Use::output};
  p->outputs[0] = parse_expression(test::text(formula + " + 0*N"), output, none);
  Run run = test::run_of(*p, {});
  if (!exact.empty()) run.reference.quantities = {test::exact("u", exact, run.problem)};
  return run;
}

Views views(const Run& run) {
  ThreadPool pool(2);
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  return views_of(run, {{model, std::vector<double>(std::size_t(model->parameter_count()), 0.1)}},
                  pool);
}

const HeatMap& named(const Views& views, const std::string& title) {
  for (const HeatMap& map : views.maps)
    if (map.title == title) return map;
  FAIL("there is no map " + title);
  return views.maps[0];
}

}  // namespace

TEST_CASE("time runs from left to right, and curves show the field at five times") {
  const Views all = views(run_of_formula({"x", "t"}, "x + 10*t", "x + 10*t + 0.5"));
  const HeatMap& u = named(all, "u");
  CHECK(u.x_name == "t");
  CHECK(u.y_name == "x");
  CHECK(u.thirds.empty());
  for (std::size_t r = 0; r < u.y.size(); r += 20)
    for (std::size_t c = 0; c < u.x.size(); c += 20)
      CHECK(u.values[0][r * u.x.size() + c] == Approx(u.y[r] + 10 * u.x[c]));
  for (const double error : named(all, "error of u").values[0]) CHECK(error == Approx(-0.5));
  CHECK(named(all, "error of u").look == HeatMap::Look::difference);
  REQUIRE(all.charts.size() == 1);
  REQUIRE(all.charts[0].curves.size() == 5);
  const Curve& last = all.charts[0].curves[4];
  for (std::size_t i = 0; i < last.x.size(); i += 30)
    CHECK(last.values[i] == Approx(last.x[i] + 10 * u.x.back()));
}

TEST_CASE("two coordinates of space are the axes, and time is stepped through") {
  const Views all = views(run_of_formula({"x", "y", "t"}, "x + 10*y + 100*t"));
  const HeatMap& u = named(all, "u");
  CHECK(u.x_name == "x");
  CHECK(u.y_name == "y");
  CHECK(u.third == "t");
  REQUIRE(u.thirds.size() == u.values.size());
  CHECK(u.thirds.size() > 3);
  for (std::size_t k = 0; k < u.thirds.size(); ++k)
    for (std::size_t r = 0; r < u.y.size(); r += 20)
      for (std::size_t c = 0; c < u.x.size(); c += 20)
        CHECK(u.values[k][r * u.x.size() + c] == Approx(u.x[c] + 10 * u.y[r] + 100 * u.thirds[k]));
}

TEST_CASE("the residual is shown by its size") {
  const Views all = views(run_of_formula({"x", "y"}, "x"));
  const HeatMap* size = nullptr;
  for (const HeatMap& map : all.maps)
    if (map.look == HeatMap::Look::size) size = &map;
  REQUIRE(size != nullptr);
  CHECK_THAT(size->title, Contains("residual"));
  for (std::size_t c = 0; c < size->x.size(); c += 10)
    CHECK(size->values[0][c] == Approx(std::fabs(size->x[c] - 1)).margin(1e-12));
}

TEST_CASE("one coordinate has curves and no maps") {
  const Views all = views(run_of_formula({"x"}, "3*x"));
  CHECK(all.maps.empty());
  REQUIRE(!all.charts.empty());
  const Curve& u = all.charts[0].curves[0];
  for (std::size_t i = 0; i < u.x.size(); i += 40) CHECK(u.values[i] == Approx(3 * u.x[i]));
}

TEST_CASE("other coordinates stay in their middle, or where the grid is cut, and it is said") {
  Run run = run_of_formula({"x", "y", "z", "t"}, "z");
  const Coordinate& z = run.problem.coordinates[2];
  CHECK_THAT(fixed_text(run, layout_of(run)), Contains("z = "));
  CHECK(layout_of(run).at[2] == Approx((z.lower + z.upper) / 2));
  run.output.grid[2] = GridAxis::at(0.25);
  CHECK_THAT(fixed_text(run, layout_of(run)), Contains("z = 0.25"));
  const Views all = views(run);
  const HeatMap& u = named(all, "u, at z = 0.25");
  CHECK(u.values[0][0] == Approx(0.25));
}

TEST_CASE("a map of errors in a file shows some of its nodes, next to where maps are cut") {
  Run run = run_of_formula({"x", "y", "z", "t"}, "x + 10*y");
  Solution& file = run.reference.solution.emplace();
  file.values.resize(1);
  for (int k = 0; k < 200 * 5 * 3 * 2; ++k) {
    const double x = k / 30 / 199.0, y = k / 6 % 5 / 4.0, z = k / 2 % 3 / 2.0, t = k % 2;
    file.x.insert(file.x.end(), {x, y, z, t});
    file.values[0].push_back(x + 10 * y + z + 100 * t);
    ++file.count;
  }
  run.reference.quantities = {{"u", test::exact("u", "0", run.problem).expression, nullptr}};
  run.output.grid[2] = GridAxis::at(0.9);
  const Views all = views(run);
  const HeatMap& map = named(all, "error of u, at z = 1");
  CHECK(map.x.size() == 61);
  CHECK(map.x.front() == 0);
  CHECK(map.x.back() == 1);
  CHECK(map.y == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
  REQUIRE(map.thirds == std::vector<double>{0, 1});
  for (const double error : map.values[0]) CHECK(error == Approx(-1));
  for (const double error : map.values[1]) CHECK(error == Approx(-101));
}

TEST_CASE("over one coordinate the error against a file is a curve at its nodes") {
  Run run = run_of_formula({"x"}, "3*x");
  Solution& file = run.reference.solution.emplace();
  for (int k = 1000; k >= 0; --k) file.x.push_back(k / 1000.0);
  file.count = file.x.size();
  file.values = {std::vector<double>(file.count)};
  for (std::size_t n = 0; n < file.count; ++n) file.values[0][n] = 3 * file.x[n] - 0.25;
  run.reference.quantities = {{"u", test::exact("u", "0", run.problem).expression, nullptr}};
  const Chart error = views(run).charts.back();
  CHECK(error.title == "error of u");
  REQUIRE(error.curves.size() == 1);
  CHECK(error.curves[0].x.size() <= 401);
  CHECK(error.curves[0].x.front() == 0);
  CHECK(error.curves[0].x.back() == 1);
  for (const double value : error.curves[0].values) CHECK(value == Approx(0.25));
}

TEST_CASE("points of a file that fill no grid have no map of errors, and the page says so") {
  Run run = run_of_formula({"x", "y"}, "x + 10*y");
  Solution& file = run.reference.solution.emplace();
  file.values.resize(1);
  for (int k = 0; k < 500; ++k) {
    file.x.insert(file.x.end(), {k / 499.0, k * 7 % 500 / 499.0});
    file.values[0].push_back(0);
    ++file.count;
  }
  run.reference.quantities = {{"u", test::exact("u", "0", run.problem).expression, nullptr}};
  const Views all = views(run);
  CHECK(std::ranges::none_of(all.maps, [](auto& map) { return map.title == "error of u"; }));
  CHECK_THAT(all.notes.back(), Contains("fill no grid"));
}

TEST_CASE("a residual that cannot be read once more stands as it was written") {
  Run run = run_of_formula({"x"}, "3*x");
  CHECK_THAT(requirements_html(run), Contains("<math"));
  run.problem.requirements[0].residuals[0].text.value = "u_q < <b>1";
  CHECK_THAT(requirements_html(run), Contains("<code>u_q &lt; &lt;b&gt;1</code>"));
}
