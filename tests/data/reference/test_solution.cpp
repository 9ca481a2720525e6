#include "data/reference/solution.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "autograd/core/error.h"
#include "data/files/fields.h"
#include "data/files/h5_writer.h"
#include "data/reference/reference.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

const SolutionColumns plane{{"x", "t"}, {"u"}, {-1, 0}, {1, 2}};
const std::vector<double> x_axis = {-1, -0.5, 0, 1}, t_axis = {0, 0.5, 2};

double u_at(double x, double t) { return 10 * x + t; }

/// True if every point of the grid is there once, with its value.
bool is_grid(const Solution& s, const std::vector<double>& xs, const std::vector<double>& ts) {
  std::vector<std::vector<double>> found, expected;
  for (std::size_t n = 0; n < s.count; ++n)
    found.push_back({s.x[2 * n], s.x[2 * n + 1], s.values.at(0)[n]});
  for (const double x : xs)
    for (const double t : ts) expected.push_back({x, t, u_at(x, t)});
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  return found == expected;
}

/// u on a grid, its dimensions being x and t or t and x.
std::vector<double> values(const std::vector<double>& xs, const std::vector<double>& ts,
                           bool t_first) {
  std::vector<double> u(xs.size() * ts.size());
  for (std::size_t i = 0; i < xs.size(); ++i)
    for (std::size_t k = 0; k < ts.size(); ++k)
      u[t_first ? k * xs.size() + i : i * ts.size() + k] = u_at(xs[i], ts[k]);
  return u;
}

struct GridFile {
  std::vector<double> xs = x_axis, ts = t_axis;
  bool t_first = false, with_order = false, with_scales = false;
};

std::string write(const Folder& folder, const GridFile& f) {
  H5Writer file;
  file.array("/x", f.xs);
  file.array("/t", f.ts);
  if (f.with_order) file.text_attribute("/", "order", f.t_first ? "t x" : "x t");
  const std::size_t n = f.xs.size(), m = f.ts.size();
  const std::vector<std::size_t> shape = f.t_first ? std::vector{m, n} : std::vector{n, m};
  file.array("/u", shape, values(f.xs, f.ts, f.t_first).data(), Packing::plain);
  if (f.with_scales)
    for (const std::string& name : {std::string("x"), std::string("t")}) {
      file.scale("/" + name, name);
      file.attach_scale("/u", (name == "t") != f.t_first, "/" + name, name);
    }
  write_atomically(folder / "u.h5", {file.image()});
  return folder / "u.h5";
}

std::string refusal(const std::string& path, const SolutionColumns& columns = plane) {
  try {
    read_solution(path, columns);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a solution is read from columns, of CSV and of HDF5", "[reference]") {
  const Folder folder;
  const std::string csv = folder.file("u.csv", "t,u,note,x\n0,10,a,1\n2,-3,b,-0.5\n0.5,0.5,c,0\n");
  H5Writer file;
  file.array("/where/x", std::vector<double>{1, -0.5, 0});
  file.array("/where/t", std::vector<double>{0, 2, 0.5});
  file.array("/u", std::vector<double>{10, -3, 0.5});
  write_atomically(folder / "u.h5", {file.image()});

  const Solution a = read_solution(csv, plane);
  SolutionColumns in_groups = plane;
  in_groups.coordinates = {"where/x", "where/t"};
  const Solution b = read_solution(folder / "u.h5", in_groups);

  CHECK(a.count == 3);
  CHECK(a.x == std::vector<double>{1, 0, -0.5, 2, 0, 0.5});
  CHECK(a.values == std::vector<std::vector<double>>{{10, -3, 0.5}});
  CHECK(b.x == a.x);
  CHECK(b.values == a.values);
  CHECK(a.outside + b.outside == 0);
}

TEST_CASE("axes may come in any order that lengths, scales or an attribute tell", "[reference]") {
  const Folder folder;
  GridFile f;
  f.t_first = GENERATE(false, true);
  CHECK(is_grid(read_solution(write(folder, f), plane), f.xs, f.ts));  // 4 and 3 values
  CHECK(read_solution(write(folder, f), plane).guessed.empty());
  f.ts = {0, 0.5, 1, 2};
  f.with_order = GENERATE(false, true);
  f.with_scales = !f.with_order;
  const Solution s = read_solution(write(folder, f), plane);
  CHECK(is_grid(s, f.xs, f.ts));
  CHECK(s.guessed.empty());
}

TEST_CASE("axes of one length without a word on their order are taken as in the problem, and told",
          "[reference]") {
  const Folder folder;
  GridFile f;
  f.ts = {0, 0.5, 1, 2};
  const Solution s = read_solution(write(folder, f), plane);
  CHECK(is_grid(s, f.xs, f.ts));
  CHECK(s.guessed == std::vector<std::string>{"u"});
}

TEST_CASE("a shipped reference and the fields of a run are solutions to compare with",
          "[reference]") {
  const SolutionColumns burgers{{"x", "t"}, {"u"}, {-1, 0}, {1, 1}};
  const std::string path = PINN_SOURCE_DIR "/data/reference/burgers.h5";
  const Reference stored = load_reference(path);
  const Solution s = read_solution(path, burgers);
  const std::vector<double> x = stored.points({"x", "t"});
  std::map<std::pair<double, double>, double> u;
  for (std::size_t n = 0; n < stored.count(); ++n)
    u[{x[2 * n], x[2 * n + 1]}] = stored.fields.at("u")[n];
  REQUIRE(s.count == stored.count());
  std::size_t same = 0;
  for (std::size_t n = 0; n < s.count; ++n)
    same += u.at({s.x[2 * n], s.x[2 * n + 1]}) == s.values[0][n];
  CHECK(same == s.count);

  const Folder folder;
  Fields fields{.grid = true,
                .axes = {{"x", "", false, x_axis}, {"t", "", true, {0, 0.5, 1, 2}}},
                .fields = {{"u", "", "", values(x_axis, {0, 0.5, 1, 2}, false)}}};
  write_fields(folder / "fields.h5", fields, {});
  const Solution again = read_solution(folder / "fields.h5", plane);
  CHECK(is_grid(again, x_axis, {0, 0.5, 1, 2}));
  CHECK(again.guessed.empty());
}

TEST_CASE("points outside of the domain are left out and counted, those at its ends are not",
          "[reference]") {
  const Folder folder;
  SolutionColumns columns = plane;
  columns.lower = {-0.5 + 1e-12, 0};
  const Solution s = read_solution(write(folder, {}), columns);
  CHECK(s.outside == 3);
  CHECK(is_grid(s, {-0.5, 0, 1}, t_axis));
}

TEST_CASE("nodes of a grid share the domain by the trapezoidal rule, in any order of points",
          "[reference]") {
  // x: 0, 1, 4 of 4; y: even.
  const std::vector<double> x = {4, 0.2, 0, 0.1, 1, 0.1, 4, 0.1, 1, 0.2, 0, 0.2};
  const std::vector<double> expected = {0.375, 0.125, 0.5, 0.375, 0.5, 0.125};
  const std::vector<double> found = shares_of(x, 2);
  for (std::size_t n = 0; n < 6; ++n) CHECK(found[n] == Approx(expected[n] / 2).epsilon(1e-14));

  for (const double share : shares_of(std::vector<double>{0, 0.3333, 0.6667, 1}, 1))
    CHECK(share == 0.25);  // even but for the rounding of a text file
  for (const double share : shares_of(std::vector<double>{0, 0, 1, 5, 3, 2, 0, 0}, 2))
    CHECK(share == 0.25);  // no grid: a point is there twice
  for (const double share : shares_of(std::vector<double>{0, 0, 1, 5, 3, 2}, 2))
    CHECK(share == Approx(1. / 3));
}

TEST_CASE("a solution that cannot be read says what is wrong, and where", "[reference][errors]") {
  const Folder folder;
  const std::string path = write(folder, {});
  CHECK_THAT(refusal(path, {{"x", "time"}, {"u"}, {-1, 0}, {1, 2}}),
             Contains("there is no array 'time'") && Contains("name one of: t, u, x"));
  CHECK_THAT(refusal(folder.file("bad.h5", "no HDF5")), Contains("cannot open the HDF5 file"));
  CHECK_THAT(refusal(folder.file("nan.csv", "x,t,u\n0,1,2\n0,1,nan\n")),
             Contains("nan.csv:3:5") && Contains("'nan' in column 'u' is not a finite number"));
  CHECK_THAT(refusal(folder.file("few.csv", "x,u\n0,1\n")),
             Contains("there is no column 't'") && Contains("name one of: x, u"));

  const auto with = [&](const std::vector<double>& u, std::vector<std::size_t> shape) {
    H5Writer file;
    file.array("/x", x_axis);
    file.array("/t", t_axis);
    file.array("/u", std::move(shape), u.data(), Packing::plain);
    write_atomically(folder / "u.h5", {file.image()});
    return refusal(folder / "u.h5");
  };
  std::vector<double> u(12, 1.0);
  CHECK_THAT(with(u, {2, 6}), Contains("the dimensions of an array do not fit the coordinates: "
                                       "'u' is [2, 6], 'x' is [4], 't' is [3]"));
  u[7] = NAN;
  CHECK_THAT(with(u, {4, 3}),
             Contains("the value at [2, 1] of the array is nan, which is not finite") &&
                 Contains("u.h5:u"));

  H5Writer file;
  file.array("/x", std::vector<double>{0, 1});
  file.array("/t", std::vector<double>{0, 1});
  file.array("/u", std::vector<double>{0, 1});
  file.array("/v", std::vector<std::size_t>{2, 2}, std::vector<double>(4).data(), Packing::plain);
  write_atomically(folder / "mixed.h5", {file.image()});
  CHECK_THAT(refusal(folder / "mixed.h5", {{"x", "t"}, {"u", "v"}, {-1, 0}, {1, 2}}),
             Contains("some arrays have a value per point, others one per node of a grid"));
}
