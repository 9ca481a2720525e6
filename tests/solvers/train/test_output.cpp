#include "solvers/train/output.h"

#include "data/files/h5_reader.h"
#include "solvers/train/point_sets.h"
#include "solvers/train/watch/reference_error.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

TEST_CASE("fields.h5 holds the points of the last step where that is asked for",
          "[train][output]") {
  Run run = inverse_run({stage("adam", 20)});
  run.stages[0].sampling = {.kind = "rad", .every = 5, .candidates = 100};
  run.stages[0].pointwise = {.kind = "rba", .every = 1, .rate = 0.1};
  const Folder folder;
  train(run, request(folder / "without"));
  CHECK(!H5Reader(folder / "without/fields.h5").has("/training_points"));
  run.output.training_points = true;
  train(run, request(folder / "with"));
  const H5Reader file(folder / "with/fields.h5");
  const Draw draw = saved_state(folder / "with").draws[0];
  CHECK(file.read<double>("/training_points/equations/x").values == draw.x);
  CHECK(file.read<double>("/training_points/equations/weights").values == draw.weights);
  CHECK(file.read<double>("/training_points/readings/x").values.size() == 10);
  CHECK(!file.has("/training_points/readings/weights"));
}

TEST_CASE("a grid that is evaluated piece by piece has the values of its points",
          "[train][output]") {
  Run run = run_of(*problem({"x", "t"}, {"u"}, {"u_t = u_xx"}), {});
  run.output.grid = {301, 300};  // 90 300 points: more than one piece, and not a whole number
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.network);
  const std::vector<double> p = model->initial_parameters(3);
  ThreadPool pool(2);

  const std::vector<NamedFormula> formulas = output_formulas(run);
  const Fields fields = fields_on_grid(run, {{model, p}}, formulas, pool);

  const PointSet points = grid_points(grid_axes(run.problem, run.output.grid));
  REQUIRE(points.count == 90300);
  const std::vector<double> expected =
      Formulas(model, {formulas[0].expression})(p, points, pool)[0];
  REQUIRE(fields.fields[0].values.size() == expected.size());
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    most = larger(most, std::abs(fields.fields[0].values[i] - expected[i]));
  CHECK(most < 1e-15);
}

TEST_CASE("a part of a grid holds the points that the whole has there", "[train][output]") {
  const std::vector<std::vector<double>> axes = {{0, 1, 2}, {5, 6}};
  CHECK(grid_points(axes).x == std::vector<double>{0, 5, 0, 6, 1, 5, 1, 6, 2, 5, 2, 6});
  CHECK(grid_points(axes, 1, 3).x == std::vector<double>{0, 6, 1, 5});
  CHECK(grid_points(axes, 5, 100).x == std::vector<double>{2, 6});
}

TEST_CASE("outside of the domain fields are missing, and errors know nothing",
          "[train][output][geometry]") {
  Run run = run_of(*problem({"x", "t"}, {"u"}, {"u_t = u_xx"}), {});
  run.problem.coordinates[1].role = Role::space;
  declare_regions({{text("disk"),
                    {},
                    {"disk", make_shape({"disk", {{"center", {0, 0.5}}, {"radius", {0.4}}}}, 2)}}},
                  run.problem);
  declare_domain(text("disk"), run.problem);
  run.output.grid = {21, 11};
  const auto model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.network);
  const std::vector<double> p = model->initial_parameters(3);
  ThreadPool pool(1);
  const auto is_inside = [](double x, double t) { return std::hypot(x, t - 0.5) < 0.4 + 1e-9; };

  const Fields fields = fields_on_grid(run, {{model, p}}, output_formulas(run), pool);
  int inside = 0;
  for (std::size_t i = 0; i < 21; ++i)
    for (std::size_t k = 0; k < 11; ++k) {
      const bool here = is_inside(fields.axes[0].values[i], fields.axes[1].values[k]);
      CHECK(std::isnan(fields.fields[0].values[i * 11 + k]) == !here);
      inside += here;
    }
  CHECK(inside > 10);

  run.reference.quantities = {
      exact("u", "log(0.5 - x^2 - (t - 0.5)^2)", run.problem)};  // not finite at corners
  const Known known = known_of(run);
  double sum = 0;
  for (std::size_t n = 0; n < known.points.count; ++n) {
    CHECK(is_inside(known.points.x[2 * n], known.points.x[2 * n + 1]));
    sum += known.weights[n];
  }
  CHECK(known.points.count > 500);
  CHECK(sum == Approx(1));
}
