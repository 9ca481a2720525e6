#include "data/tables/table_function.h"

#include <fmt/format.h>

#include <cmath>

#include "autograd/core/error.h"
#include "data/files/h5_writer.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

const TableOptions of_x_and_y = {"a", {"x", "y"}, Interpolation::linear, Outside::error};

double a(double x, double y) { return 1 + 2 * x - 3 * y + x * y; }

/// a on y x x, [3, 4] in that order, with scales where they are asked for.
std::string grid_file(const Folder& folder, const std::vector<std::string>& scales = {}) {
  const std::vector<double> x = {0, 1, 2, 4}, y = {0, 0.5, 1};
  std::vector<double> values;
  for (const double v : y)
    for (const double u : x) values.push_back(a(u, v));
  H5Writer file;
  file.array("/x", x);
  file.array("/y", y);
  file.array("/a", {3, 4}, values.data());
  for (std::size_t k = 0; k < scales.size(); ++k) {
    if (k == 0)
      for (const auto& name : scales) file.scale("/" + name, name);
    file.attach_scale("/a", k, "/" + scales[k], scales[k]);
  }
  const std::string path = folder / "a.h5";
  folder.file("a.h5", file.image());
  return path;
}

}  // namespace

TEST_CASE("a grid of a file is read in the order of its dimensions, called in that of its inputs",
          "[data][tables]") {
  const Folder folder;
  const TableSource source{grid_file(folder), "a", {"x", "y"}, {1, 0}};  // y first
  const TablePtr table = read_table_function(source, of_x_and_y);
  CHECK((*table)({{3, 0.75}}) == Approx(a(3, 0.75)));
  CHECK((*table)({{3, 0.75}}, {1, 0}) == Approx(2.75));
  CHECK(table->extent() == "4 x 3 grid");
  CHECK(table->ranges() == std::vector<std::vector<double>>{{0, 4}, {0, 1}});
}

TEST_CASE("axes in an order that their lengths deny are refused, with the order that fits",
          "[data][tables]") {
  const Folder folder;
  const TableSource source{grid_file(folder), "a", {"x", "y"}, {0, 1}};
  CHECK_THROWS_WITH(read_table_function(source, of_x_and_y),
                    Contains("'a' is an array of [3, 4], but its axes are x 4, y 3 long") &&
                        Contains("write axes = [\"y\", \"x\"]"));
}

TEST_CASE("axes in an order that attached scales deny are refused", "[data][tables]") {
  const Folder folder;
  H5Writer file;
  const std::vector<double> x = {0, 1, 2}, y = {0, 0.5, 1}, values(9, 1.0);
  file.array("/x", x);
  file.array("/y", y);
  file.array("/a", {3, 3}, values.data());
  for (const std::string name : {"y", "x"}) file.scale("/" + name, name);
  file.attach_scale("/a", 0, "/y", "y");
  file.attach_scale("/a", 1, "/x", "x");
  const std::string path = folder / "a.h5";
  folder.file("a.h5", file.image());
  CHECK_NOTHROW(read_table_function({path, "a", {"x", "y"}, {1, 0}}, of_x_and_y));
  CHECK_THROWS_WITH(read_table_function({path, "a", {"x", "y"}, {0, 1}}, of_x_and_y),
                    Contains("the scale of dimension 1 of 'a' is 'y', and `axes` says 'x'"));
}

TEST_CASE("axes that run downwards are turned around", "[data][tables]") {
  const Folder folder;
  H5Writer file;
  const std::vector<double> x = {2, 1, 0}, y = {1, 0};
  std::vector<double> values;
  for (const double u : x)
    for (const double v : y) values.push_back(a(u, v));
  file.array("/x", x);
  file.array("/y", y);
  file.array("/a", {3, 2}, values.data());
  const std::string path = folder / "a.h5";
  folder.file("a.h5", file.image());
  const TablePtr table = read_table_function({path, "a", {"x", "y"}, {0, 1}}, of_x_and_y);
  CHECK((*table)({{0.5, 0.25}}) == Approx(a(0.5, 0.25)));
}

TEST_CASE("a missing value is named with its place", "[data][tables]") {
  const Folder folder;
  H5Writer file;
  const std::vector<double> x = {0, 1, 2}, y = {0, 0.5}, values = {1, 1, 1, 1, NAN, 1};
  file.array("/x", x);
  file.array("/y", y);
  file.array("/a", {2, 3}, values.data());
  const std::string path = folder / "a.h5";
  folder.file("a.h5", file.image());
  CHECK_THROWS_WITH(read_table_function({path, "a", {"x", "y"}, {1, 0}}, of_x_and_y),
                    Contains("'a' is nan at y = 0.5, x = 1"));
}

TEST_CASE("points that fill a grid are one, in any order of the rows", "[data][tables]") {
  const Folder folder;
  std::string rows = "y,a,x\n";
  for (const double x : {2.0, 0.0, 1.0})
    for (const double y : {1.0, 0.5, 0.0}) rows += fmt::format("{},{},{}\n", y, a(x, y), x);
  const std::string path = folder.file("a.csv", rows);
  TableOptions options = of_x_and_y;
  options.interpolation = Interpolation::cubic;
  const TablePtr table = read_table_function({path, "a", {"x", "y"}}, options);
  CHECK(table->extent() == "3 x 3 grid");
  CHECK((*table)({{1.7, 0.2}}, {1, 1}) == Approx(1));
  CHECK((*table)({{1.7, 0.2}}) == Approx(a(1.7, 0.2)));
}

TEST_CASE("points of one input are sorted, and refused where two are at one place",
          "[data][tables]") {
  const Folder folder;
  const TableOptions options{"k", {"T"}, Interpolation::linear, Outside::clamp};
  const std::string path = folder.file("k.csv", "T,k\n3,9\n1,1\n2,4\n");
  CHECK((*read_table_function({path, "k", {"T"}}, options))({{2.5}}) == Approx(6.5));
  const std::string twice = folder.file("twice.csv", "T,k\n3,9\n1,1\n3,4\n");
  CHECK_THROWS_WITH(read_table_function({twice, "k", {"T"}}, options),
                    Contains("has two points at T = 3: rows 1 and 3"));
}

TEST_CASE("points that fill no grid are read as planes, or by the nearest one", "[data][tables]") {
  const Folder folder;
  const std::string path =
      folder.file("a.csv", "x,y,a\n0,0,1\n1,0.1,2\n0.4,1,3\n0.7,0.5,2\n0.2,0.6,2\n");
  TableOptions options = of_x_and_y;
  CHECK((*read_table_function({path, "a", {"x", "y"}}, options))({{0.7, 0.5}}) == Approx(2));
  CHECK_THROWS_WITH(read_table_function({path, "a", {"x", "y"}, {0, 1}}, options),
                    Contains("the points of the table 'a' do not fill a grid"));
  options.interpolation = Interpolation::nearest;
  const TablePtr table = read_table_function({path, "a", {"x", "y"}}, options);
  CHECK((*table)({{0.9, 0.2}}) == 2);
  CHECK(table->extent() == "5 points");
  options.interpolation = Interpolation::cubic;
  CHECK_THROWS_WITH(read_table_function({path, "a", {"x", "y"}}, options),
                    Contains("the cubic table 'a' has 5 points"));
}

TEST_CASE("what a file lacks is a mistake of the user", "[data][tables]") {
  const Folder folder;
  CHECK_THROWS_AS(read_table_function({grid_file(folder), "b", {"x", "y"}, {1, 0}}, of_x_and_y),
                  ConfigError);
  CHECK_THROWS_AS(read_table_function({folder / "none.h5", "a", {"x", "y"}, {1, 0}}, of_x_and_y),
                  ConfigError);
  CHECK_THROWS_AS(read_table_function({folder / "none.csv", "a", {"x", "y"}}, of_x_and_y),
                  ConfigError);
}
