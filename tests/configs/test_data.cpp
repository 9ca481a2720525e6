#include <fmt/format.h>

#include <cmath>

#include "solvers/points/point_sets.h"
#include "solvers/problem/evaluate.h"
#include "solvers/problem/parse.h"
#include "solvers/train/train.h"
#include "tests/catch.h"
#include "tests/configs/small.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

const std::string rest =
    "[network]\nlayers = [8]\n[[stage]]\noptimizer = \"adam\"\nsteps = 20\n[run]\nthreads = 1\n";
const std::string head =
    "[problem]\ncoordinates = { x = [0, 1], t = [0, 2] }\nfields = [\"u\", \"v\"]\n"
    "[[equation]]\nresidual = \"u_t + v = u_xx\"\npoints = 20\n";

Run run_of(const Folder& folder, const std::string& csv, const std::string& data) {
  folder.file("d.csv", csv);
  return read_run_text(head + "[[data]]\nname = \"seen\"\nfile = \"d.csv\"\n" + data + rest,
                       folder / "p.toml");
}

std::vector<double> trained(const Run& run, const Folder& folder, const std::string& name) {
  train(run, test::request(folder / name));
  return test::saved_state(folder / name).parameters.values();
}

}  // namespace

TEST_CASE("missing values count for no residual that asks for them", "[configs][data]") {
  const Folder folder;
  const Run run = run_of(folder, "x,t,a,b\n0.1,0.2,1,5\n0.2,,2,6\n0.3,0.4,NA,7\n0.4,0.5,4,nan\n",
                         "columns = { x = \"x\", t = \"t\", a = \"a\", b = \"b\" }\n"
                         "missing = \"skip\"\nresidual = [\"u = log(a)\", \"v = b\"]\n");
  const DataSet& data = *run.problem.requirements[1].data;
  CHECK(data.count == 3);  // one row has no place
  CHECK(data.missing == 3);
  CHECK(data.weights == std::vector<double>{1.5, 1.5, 0, 1.5, 1.5, 0});
  CHECK(points_of(run, 1, "points", 0).weights == data.weights);
  for (const double value : data.values) CHECK(value > 0);
}

TEST_CASE("a residual with gaps trains as one without the rows that have them", "[configs][data]") {
  const Folder folder;
  const Run gaps = run_of(folder, "x,t,a\n0.1,0.2,1\n0.3,0.4,\n0.4,0.5,4\n",
                          "columns = { x = \"x\", t = \"t\", a = \"a\" }\nmissing = \"skip\"\n"
                          "residual = \"u = a\"\n");
  const std::vector<double> with = trained(gaps, folder, "gaps");
  const Run whole = run_of(folder, "x,t,a\n0.1,0.2,1\n0.4,0.5,4\n",
                           "columns = { x = \"x\", t = \"t\", a = \"a\" }\nresidual = \"u = a\"\n");
  const std::vector<double> without = trained(whole, folder, "whole");
  REQUIRE(with.size() == without.size());
  for (std::size_t i = 0; i < with.size(); ++i) CHECK(with[i] == Approx(without[i]).epsilon(1e-9));
}

TEST_CASE("a column of sigmas divides each row by its own", "[configs][data]") {
  const Folder folder;
  const std::string csv = "x,t,a,s\n0.1,0.2,1,0.5\n0.4,0.5,4,0.5\n";
  const Run by_column = run_of(folder, csv,
                               "columns = { x = \"x\", t = \"t\", a = \"a\" }\n"
                               "sigma = \"s\"\nresidual = \"u = a\"\n");
  CHECK(by_column.problem.requirements[1].data->sigma_known());
  const Run by_number = run_of(folder, csv,
                               "columns = { x = \"x\", t = \"t\", a = \"a\" }\n"
                               "sigma = 0.5\nresidual = \"u = a\"\n");
  const std::vector<double> a = trained(by_column, folder, "column"),
                            b = trained(by_number, folder, "number");
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).epsilon(1e-9));
}

TEST_CASE("a number in the place of a column is that in all rows", "[configs][data]") {
  const Folder folder;
  const Run run = run_of(folder, "t,a\n0.2,1\n0.5,4\n",
                         "columns = { x = 0.25, t = \"t\", a = \"a\", g = 9.81 }\n"
                         "residual = \"u_x + g = a\"\n");
  const DataSet& data = *run.problem.requirements[1].data;
  CHECK(data.rows == std::vector<double>{0.25, 0.2, 0.25, 0.5});
  CHECK(data.values == std::vector<double>{1, 9.81, 4, 9.81});
}

TEST_CASE("the square of a residual with Huber's loss is that loss", "[configs][data]") {
  const Folder folder;
  const Run run = run_of(folder, "x,t,a,s\n0.1,0.2,1,1\n",
                         "columns = { x = \"x\", t = \"t\", a = \"a\" }\nsigma = 0.5\n"
                         "loss = { kind = \"huber\", width = 3 }\nresidual = \"u = a\"\n");
  const ExpressionPtr root = run.problem.requirements[1].residuals[0].expression;
  const auto squared = [&](double u) {
    const std::vector<double> a{1};
    const double r =
        evaluate(*root, {.columns = a, .field = [&](int, const MultiIndex&) { return u; }}) /
        run.problem.requirements[1].data->sigma;
    return r * r;
  };
  for (const double e : {0.0, 0.3, 1.4, 1.5})
    for (const double sign : {-1.0, 1.0}) CHECK(squared(1 + sign * e) == Approx(e * e / 0.25));
  for (const double e : {1.5, 1.6, 30.0})
    for (const double sign : {-1.0, 1.0})
      CHECK(squared(1 + sign * e) == Approx(3 * (2 * e / 0.5 - 3)));
}

TEST_CASE("Huber's loss finds what outliers leave", "[configs][data]") {
  // of nine ones and a hundred: 9 (k - 1) = width
  const Folder folder;
  std::string csv = "x,a\n0.05,100\n";
  for (int k = 1; k < 10; ++k) csv += fmt::format("0.{},1\n", k);
  folder.file("d.csv", csv);
  const auto found = [&](const std::string& loss, const std::string& optimizer, bool eager) {
    const Run run = read_run_text(
        "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\nunknowns = { k = 0.5 }\n"
        "[[equation]]\nresidual = \"u = 0\"\npoints = 5\n"
        "[[data]]\nfile = \"d.csv\"\ncolumns = { x = \"x\", a = \"a\" }\nresidual = \"k = a\"\n" +
            loss + "[network]\nlayers = [4]\n[[stage]]\noptimizer = \"" + optimizer +
            "\"\nsteps = 200\n[run]\nthreads = 1\n",
        folder / "p.toml");
    TrainRequest asked =
        test::request(folder / (optimizer + (eager ? "e" : "") + loss.substr(0, 2)));
    asked.eager = eager;
    return train(run, asked).unknowns.at(0).second;
  };
  const std::string huber = "loss = { kind = \"huber\", width = 0.5 }\n";
  CHECK(found(huber, "lbfgs", false) == Approx(1 + 0.5 / 9).epsilon(1e-6));
  CHECK(found(huber, "ssbroyden", false) == Approx(1 + 0.5 / 9).epsilon(1e-6));
  CHECK(found(huber, "lbfgs", true) == Approx(1 + 0.5 / 9).epsilon(1e-6));
  CHECK(found("", "lbfgs", false) == Approx(10.9).epsilon(1e-6));
}
