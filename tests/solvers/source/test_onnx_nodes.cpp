#include <fmt/format.h>

#include <cmath>
#include <random>

#include "autograd/core/error.h"
#include "autograd/onnx/model.h"
#include "configs/read.h"
#include "data/tables/table_function.h"
#include "solvers/source/onnx/onnx_file.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"
#include "tests/solvers/source/onnx_model.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// A grid of few knots, unevenly apart, with a period in both inputs if it is to have one.
TablePtr grid(Interpolation interpolation, Outside outside, std::size_t inputs) {
  const std::vector<std::vector<double>> all = {{-1, -0.7, 0.1, 0.4, 1}, {0, 2, 3}};
  const std::vector<std::vector<double>> knots(all.begin(), all.begin() + std::ptrdiff_t(inputs));
  std::vector<double> values;
  for (const double x : all[0])
    for (const double y : inputs > 1 ? all[1] : std::vector<double>{0.0})
      values.push_back(std::sin(M_PI * x) + 0.3 * std::cos(2 * M_PI * y / 3) * std::cos(M_PI * x));
  return grid_table({"k", {"x", "y"}, interpolation, outside}, knots, values);
}

/// Holds a derivative against the table itself: within its range, beyond it, at knots, and where a
/// place is no number.
void check_table(TablePtr table, std::size_t inputs, const MultiIndex& order) {
  std::vector<std::vector<double>> columns(inputs);
  std::mt19937_64 random(3);
  for (int p = 0; p < 400; ++p)
    for (std::size_t i = 0; i < inputs; ++i)
      columns[i].push_back(std::uniform_real_distribution(-2.5, 4.5)(random));
  for (const double at : {-1.0, 0.1, 1.0, 2.0, 3.0, std::nan(""), 0.0})
    for (std::size_t i = 0; i < inputs; ++i) columns[i].push_back(i == 0 ? at : 0.5);
  onnx::Nodes nodes(DType::float64);
  std::vector<onnx::Num> x;
  for (std::size_t i = 0; i < inputs; ++i) x.push_back(nodes.input(i == 0 ? "x" : "y"));
  nodes.output("k", onnx_table(*table, order, x, nodes));
  const std::vector<double> found =
      computed(onnx_model(onnx::model_of(nodes, {"table", "", {}, {}})), columns)[0];
  REQUIRE(found.size() == columns[0].size());
  for (std::size_t p = 0; p < found.size(); ++p) {
    std::vector<double> place;
    for (const std::vector<double>& column : columns) place.push_back(column[p]);
    INFO(place[0]);
    double right = 0;
    const double* const places[] = {&place[0], &place.back()};
    table->evaluate(order, places, 1, &right);
    CHECK((std::isnan(right) ? std::isnan(found[p])
                             : std::fabs(found[p] - right) <= 1e-12 * (1 + std::fabs(right))));
  }
}

}  // namespace

TEST_CASE("a table on a grid is an ONNX graph with the same values and derivatives",
          "[source][onnx]") {
  for (const Interpolation kind :
       {Interpolation::nearest, Interpolation::linear, Interpolation::cubic})
    for (const Outside outside : {Outside::clamp, Outside::periodic})
      for (const int by_x : {0, 1, 2, 3, 4}) {
        INFO(name_of(kind) << ", " << name_of(outside) << ", derivative " << by_x);
        MultiIndex order{};
        order[0] = decltype(order[0] + 0)(by_x);
        const TablePtr line =
            grid_table({"k", {"x"}, kind, outside}, {{-1, -0.7, 0.1, 0.4, 1}}, {1, 3, 2, -0.5, 1});
        check_table(line, 1, order);
        check_table(grid(kind, outside, 2), 2, order);
        order[1] = 1;
        check_table(grid(kind, outside, 2), 2, order);
      }
}

TEST_CASE("a table that is no grid, or too large for float32, becomes no ONNX",
          "[source][onnx][errors]") {
  const auto refused = [](const TablePtr& table, DType dtype) {
    onnx::Nodes nodes(dtype);
    const onnx::Num x = nodes.input("x");
    try {
      onnx_table(*table, {}, {x}, nodes);
    } catch (const ConfigError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const TablePtr nearest =
      nearest_table({"k", {"x"}, Interpolation::nearest, Outside::clamp}, {0, 1, 3}, {1, 2, 3});
  CHECK_THAT(refused(nearest, DType::float64),
             Contains("not yet: the table 'k' as ONNX") && Contains("put it on a grid"));
  std::vector<double> knots((std::size_t(1) << 24) + 1);
  for (std::size_t k = 0; k < knots.size(); ++k) knots[k] = double(k);
  const TablePtr large =
      grid_table({"k", {"x"}, Interpolation::linear, Outside::clamp}, {knots}, knots);
  CHECK_THAT(refused(large, DType::float32), Contains("float32") && Contains("float64"));
}

TEST_CASE("a program that is more than formulas of the place becomes no ONNX",
          "[source][onnx][errors]") {
  const auto refused = [](const pinn::Program& program) {
    onnx::Nodes nodes(DType::float64);
    try {
      outputs_of(program, {}, {}, onnx_table, nodes);
    } catch (const ConfigError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  pinn::Program rounds;
  rounds.body.emplace_back().opcode = Opcode::pack;
  CHECK_THAT(refused(rounds), Contains("not yet: the instruction 'pack") && Contains("as ONNX"));
  pinn::Program more;
  more.rows = {{"points", {}}, {"weights", {}}};
  CHECK_THAT(refused(more), Contains("'weights', which is more than a formula of the place"));
}

TEST_CASE("an ONNX model has no number where the window of a time has no network yet",
          "[source][onnx]") {
  const Folder place;
  const Run run = read_run(
      place.file("p.toml",
                 "[problem]\ncoordinates = { x = [0, 1], t = [0, 3] }\nfields = [\"u\"]\n"
                 "[[equation]]\nresidual = \"u_t = u_xx\"\npoints = 9\n"
                 "[[condition]]\non = \"initial\"\nresidual = \"u = x\"\npoints = 9\n"
                 "[windows]\ncount = 3\n[network]\nlayers = [4]\n"
                 "[[stage]]\noptimizer = \"adam\"\nsteps = 1\n[output]\nfields = [\"u\"]\n"),
      {});
  ThreadPool pool(1);
  Windows windows(run, pool);
  windows.finish(windows.model()->initial_parameters(3));
  const std::vector<TrainedNetwork> two = windows.networks(windows.model()->initial_parameters(4));
  const std::vector<NamedFormula> formulas = output_formulas(run);

  onnx::Nodes nodes(DType::float64);
  const std::vector<onnx::Num> columns = {nodes.input("x"), nodes.input("t")};
  nodes.output("u", onnx_values(source_parts(run, two, formulas), columns, nodes)[0]);
  const std::vector<double> found = computed(onnx_model(onnx::model_of(nodes, {"u", "", {}, {}})),
                                             {{0.2, 0.2, 0.2, 0.2}, {1, 1.5, 2, 2.5}})[0];

  PointSet points;
  points.count = 4;
  points.x = {0.2, 1, 0.2, 1.5, 0.2, 2, 0.2, 2.5};
  const std::vector<double> right =
      RunFormulas(run, two, {formulas[0].expression})(points, pool)[0];
  for (std::size_t p = 0; p < 3; ++p) CHECK(found[p] == Approx(right[p]).epsilon(1e-12));
  CHECK(std::isnan(right[3]));
  CHECK(std::isnan(found[3]));
}
