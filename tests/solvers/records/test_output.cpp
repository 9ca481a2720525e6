#include "solvers/records/fields/output.h"

#include "data/files/h5_reader.h"
#include "solvers/points/point_sets.h"
#include "solvers/results/reference_error.h"
#include "tests/catch.h"
#include "tests/larger.h"
#include "tests/measure.h"
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
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
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
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
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

namespace {

/// A network whose field is x + 2y + 4t on a square with a hole, at times from 0 to 1.
struct Holed {
  Run run = made();
  std::shared_ptr<const Model> model =
      std::make_shared<const Model>(std::make_shared<const Problem>(run.problem), run.networks);
  ThreadPool pool{1};

  static Run made() {
    const auto p = problem({"x", "y", "t"}, {"u"}, {"u"});
    Warnings warnings;
    p->outputs[0] =
        parse_expression(text("x + 2*y + 4*t + 0*N"), Scope{*p, Scope::Use::output}, warnings);
    declare_regions({{text("hole"),
                      {},
                      {.name = "hole",
                       .shape = make_shape({"disk", {{"center", {0, 0}}, {"radius", {0.5}}}}, 2)}}},
                    *p);
    declare_domain(text("box - hole"), *p);
    p->requirements[0].region = interior(*p);
    Run run = run_of(*p, {});
    run.output.grid = {31, 31, 3};
    return run;
  }

  Fields on(const Region& region, const std::string& formula) {
    Warnings none;
    const Scope scope{.problem = run.problem, .has_normal = region.has_normal()};
    return fields_on_mesh(run, {{model, model->initial_parameters(1)}},
                          {{formula, "", parse_expression(text(formula), scope, none)}},
                          region_meshes(run.problem, region, run.output.grid), pool);
  }
};

double measure(const RegionMesh& mesh) {
  Simplices all{3, mesh.corners, mesh.points.x, mesh.cells, {}};
  return measure_of(all);
}

}  // namespace

TEST_CASE("the domain is a mesh of triangles whose boundary is the domain's",
          "[train][output][geometry]") {
  Holed holed;
  const auto region = interior(holed.run.problem);
  const std::vector<RegionMesh> meshes =
      region_meshes(holed.run.problem, *region, holed.run.output.grid);
  REQUIRE(meshes.size() == 3);
  CHECK(meshes[1].time == 0.5);
  CHECK(meshes[1].corners == 3);
  CHECK(measure(meshes[1]) == Approx(4 - 3.14159265 / 4).epsilon(2e-3));
  int at_hole = 0;
  for (std::size_t n = 0; n < meshes[1].points.count; ++n) {
    const double r = std::hypot(meshes[1].points.x[3 * n], meshes[1].points.x[3 * n + 1]);
    CHECK(r > 0.5 - 1e-9);
    at_hole += r < 0.5 + 1e-9;
  }
  CHECK(at_hole > 40);

  const Fields fields = holed.on(*region, "u");
  for (std::size_t n = 0; n < fields.axes[0].values.size(); ++n)
    CHECK(fields.fields[0].values[n] ==
          Approx(fields.axes[0].values[n] + 2 * fields.axes[1].values[n] +
                 4 * fields.axes[2].values[n])
              .margin(1e-12));
}

TEST_CASE("a slice of time is one mesh, and so is a region at one time",
          "[train][output][geometry]") {
  Holed holed;
  const Problem& p = holed.run.problem;
  CHECK(region_meshes(p, *parse_region({text("t = 1")}, p), holed.run.output.grid).size() == 1);
  const auto late = region_meshes(p, *parse_region({text("t > 0.4")}, p), holed.run.output.grid);
  REQUIRE(late.size() == 2);
  CHECK(late[0].time == 0.5);
  holed.run.output.grid[2] = GridAxis::at(0.25);
  CHECK(region_meshes(p, *interior(p), holed.run.output.grid).at(0).time == 0.25);
}

TEST_CASE("a place on an axis of space cuts the domain", "[train][output][geometry]") {
  Holed holed;
  holed.run.output.grid[1] = GridAxis::at(0);
  holed.run.output.grid[2] = GridAxis::at(0.25);
  const Problem& p = holed.run.problem;
  const std::vector<RegionMesh> cut = region_meshes(p, *interior(p), holed.run.output.grid);
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].corners == 2);
  CHECK(measure(cut[0]) == Approx(1).epsilon(1e-9));  // less the hole
  for (std::size_t n = 0; n < cut[0].points.count; ++n) {
    const double* x = cut[0].points.x.data() + 3 * n;
    CHECK((std::fabs(x[0]) >= 0.5 - 1e-9 && x[1] == 0 && x[2] == 0.25));
  }
  CHECK_THROWS_WITH(region_meshes(p, *parse_region({text("boundary")}, p), holed.run.output.grid),
                    Catch::Matchers::Contains("a surface is shown whole") &&
                        Catch::Matchers::Contains("holds y at one place"));
}

TEST_CASE("a boundary is a mesh of curves with normals", "[train][output][geometry]") {
  Holed holed;
  holed.run.output.grid[2] = GridAxis::at(0);
  const Problem& p = holed.run.problem;
  const auto hole = parse_region({text("boundary(hole)")}, p);
  const std::vector<RegionMesh> meshes = region_meshes(p, *hole, holed.run.output.grid);
  CHECK(meshes[0].corners == 2);
  CHECK(measure(meshes[0]) == Approx(3.14159265).epsilon(1e-3));
  const Fields flux = holed.on(*hole, "u_n");
  for (std::size_t n = 0; n < flux.axes[0].values.size();
       ++n)  // out of the domain is to the center
    CHECK(flux.fields[0].values[n] ==
          Approx(-2 * (flux.axes[0].values[n] + 2 * flux.axes[1].values[n])).margin(1e-9));
  const RegionMesh whole =
      region_meshes(p, *parse_region({text("boundary")}, p), holed.run.output.grid).at(0);
  CHECK(measure(whole) == Approx(8 + 3.14159265).epsilon(1e-3));
}

TEST_CASE("bodies in space have tetrahedra within and triangles around",
          "[train][output][geometry]") {
  const auto p = problem({"x", "y", "z"}, {"u"}, {"u"});
  declare_regions(
      {{text("core"),
        {},
        {.name = "core",
         .shape = make_shape({"ball", {{"center", {0, 0, 0}}, {"radius", {0.6}}}}, 3)}}},
      *p);
  declare_domain(text("box - core"), *p);
  const std::vector<GridAxis> grid(3, 17);
  const RegionMesh whole = region_meshes(*p, *interior(*p), grid).at(0);
  CHECK(whole.corners == 4);
  CHECK(measure(whole) == Approx(8 - 4. / 3 * 3.14159265 * 0.216).epsilon(1e-2));
  const RegionMesh core =
      region_meshes(*p, *parse_region({text("boundary(core)")}, *p), grid).at(0);
  CHECK(core.corners == 3);
  CHECK(measure(core) == Approx(4 * 3.14159265 * 0.36).epsilon(2e-2));
  for (std::size_t n = 0; n < core.points.count; ++n) {
    const double* x = core.points.x.data() + 3 * n;
    CHECK(std::hypot(x[0], x[1], x[2]) == Approx(0.6).epsilon(1e-9));
    CHECK(core.points.normals[3 * n] == Approx(-x[0] / 0.6).margin(1e-6));
  }
  const RegionMesh wall = region_meshes(*p, *parse_region({text("x = 1")}, *p), grid).at(0);
  CHECK(measure(wall) == Approx(4).epsilon(1e-12));
}

TEST_CASE("a mesh shows one value of a parameter", "[train][output][errors]") {
  Holed holed;
  holed.run.problem.coordinates[2].role = Role::parameter;
  const auto region = interior(holed.run.problem);
  CHECK_THROWS_WITH(region_meshes(holed.run.problem, *region, holed.run.output.grid),
                    Catch::Matchers::Contains("one value of the parameter t") &&
                        Catch::Matchers::Contains("--grid t=0"));
  holed.run.output.grid[2] = GridAxis::at(0.5);
  CHECK(region_meshes(holed.run.problem, *region, holed.run.output.grid).size() == 1);
}
