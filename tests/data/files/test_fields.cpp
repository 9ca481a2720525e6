#include "data/files/fields.h"

#include <hdf5.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <regex>

#include "autograd/core/error.h"
#include "data/files/fields/formats.h"
#include "data/files/h5_reader.h"
#include "data/files/table.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

const Provenance provenance = {"burgers", "pinn-train 0.1.0", {{"config_toml", "format = 1\n"}}};

/// A field whose value tells where it stands: digit i is the index along axis i.
Fields grid(const std::vector<std::pair<std::string, std::size_t>>& axes) {
  Fields fields;
  std::size_t points = 1;
  for (const auto& [name, count] : axes) {
    Axis axis{name, "m", name == "t", {}};
    for (std::size_t i = 0; i < count; ++i) axis.values.push_back(0.5 * double(i));
    fields.axes.push_back(axis);
    points *= count;
  }
  FieldValues u{"u", "m/s", "velocity", {}};
  for (std::size_t p = 0; p < points; ++p) {
    double digits = 0, place = 1;
    std::size_t rest = p;
    for (std::size_t i = axes.size(); i-- > 0; rest /= axes[i].second, place *= 10)
      digits += place * double(rest % axes[i].second);
    u.values.push_back(digits);
  }
  fields.fields.push_back(u);
  return fields;
}

Fields cloud(const std::vector<std::string>& axes) {
  Fields fields{false, {}, {{"u", "", "", {7, 8, 9}}}};
  for (const std::string& name : axes)
    fields.axes.push_back({name, "", name == "t", {0.1, 0.2, 0.3}});
  return fields;
}

/// Any array of a file by plain HDF5 calls, virtual ones too, with its shape.
std::pair<std::vector<std::size_t>, std::vector<double>> raw(const std::string& file,
                                                             const std::string& path) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
              set = H5Dopen2(id, path.c_str(), H5P_DEFAULT);
  REQUIRE(set >= 0);
  const hid_t space = H5Dget_space(set);
  std::vector<hsize_t> shape(std::size_t(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::vector<double> values(std::size_t(H5Sget_simple_extent_npoints(space)));
  REQUIRE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  H5Sclose(space), H5Dclose(set), H5Fclose(id);
  return {{shape.begin(), shape.end()}, values};
}

/// True if every tag of an XML text is closed in the right order.
bool well_formed(const std::string& text) {
  static const std::regex tag("<(/?)([A-Za-z]+)([^<>]*?)(/?)>");
  std::vector<std::string> open;
  for (std::sregex_iterator at(text.begin(), text.end(), tag), end; at != end; ++at) {
    const auto& m = *at;
    if (m[1].length() == 0 && m[4].length() == 0) open.push_back(m[2]);
    if (m[1].length() > 0) {
      if (open.empty() || open.back() != m[2]) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

/// Every array that an XDMF text names: file and path, with the shape it claims.
std::vector<std::array<std::string, 3>> items(const std::string& xdmf) {
  static const std::regex item(
      "<DataItem Dimensions=\"([0-9 ]+)\"[^>]*>([^:<]+):([^<]+)</DataItem>");
  std::vector<std::array<std::string, 3>> found;
  for (std::sregex_iterator at(xdmf.begin(), xdmf.end(), item), end; at != end; ++at)
    found.push_back({(*at)[1], (*at)[2], (*at)[3]});
  return found;
}

std::string joined(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t n : shape) text += (text.empty() ? "" : " ") + std::to_string(n);
  return text;
}

using Shape = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a grid is stored time first and x last, with scales, units and provenance",
          "[data][files]") {
  const Folder folder;
  write_fields(folder / "fields.h5", grid({{"x", 4}, {"y", 3}, {"t", 2}}), provenance);

  const H5Reader file(folder / "fields.h5");
  const auto u = file.read<double>("/u");
  CHECK(u.shape == Shape{2, 3, 4});
  CHECK(u.values[(1 * 3 + 2) * 4 + 3] == 321);  // x index 3, y index 2, t index 1
  CHECK(u.values[(1 * 3 + 0) * 4 + 2] == 201);
  CHECK(file.read<double>("/t").values == std::vector<double>{0, 0.5});
  CHECK(file.text_attribute("/u", "units") == "m/s");
  CHECK(file.text_attribute("/u", "long_name") == "velocity");
  CHECK(file.text_attribute("/x", "CLASS") == "DIMENSION_SCALE");
  CHECK(file.has_attribute("/u", "DIMENSION_LIST"));
  CHECK(file.text_attribute("/", "source") == "pinn-train 0.1.0");
  CHECK(file.text("/meta/config_toml") == "format = 1\n");
}

TEST_CASE("the XDMF file names arrays that exist, with their shapes, in every number of axes",
          "[data][files]") {
  const auto fields = GENERATE(values<Fields>(
      {grid({{"x", 4}}), grid({{"t", 5}}), grid({{"x", 4}, {"t", 3}}), grid({{"t", 3}, {"x", 4}}),
       grid({{"x", 4}, {"y", 3}}), grid({{"x", 4}, {"y", 3}, {"t", 2}}),
       grid({{"x", 4}, {"y", 3}, {"z", 2}}), grid({{"t", 3}, {"x", 4}, {"y", 3}, {"z", 2}}),
       grid({{"x", 400}, {"y", 300}, {"t", 2}}), cloud({"x"}), cloud({"x", "y", "t"}),
       cloud({"x", "y", "z", "t"})}));
  const Folder folder;
  const Written written = write_fields(folder / "fields.h5", fields, provenance);

  CHECK(written.files == std::vector<std::string>{folder / "fields.h5", folder / "fields.xdmf"});
  const std::string xdmf = read_file(folder / "fields.xdmf");
  CHECK(well_formed(xdmf));
  CHECK_THAT(xdmf, !Contains("HyperSlab"));
  CHECK(items(xdmf).size() >= 2);
  for (const auto& [dimensions, name, path] : items(xdmf)) {
    INFO(path);
    CHECK(name == "fields.h5");
    CHECK(joined(raw(folder / name, path).first) == dimensions);
  }
}

TEST_CASE("each moment of a plane field is an array of its own", "[data][files]") {
  const Folder folder;
  write_fields(folder / "fields.h5", grid({{"x", 4}, {"y", 3}, {"t", 2}}), provenance);

  const auto [shape, values] = raw(folder / "fields.h5", "/xdmf/00001/u");
  CHECK(shape == Shape{12});
  CHECK(values[2 * 4 + 3] == 321);
  const std::string xdmf = read_file(folder / "fields.xdmf");
  CHECK_THAT(xdmf, Contains("CollectionType=\"Temporal\"") && Contains("<Time Value=\"0.5\"/>"));
  CHECK_THAT(xdmf, Contains("TopologyType=\"Quadrilateral\" NumberOfElements=\"6\""));
}

TEST_CASE("every XDMF file is a collection of moments, and every moment has its time",
          "[data][files]") {
  const auto fields =
      GENERATE(values<Fields>({grid({{"x", 4}}), grid({{"x", 4}, {"y", 3}}),
                               grid({{"x", 4}, {"y", 3}, {"z", 2}, {"t", 2}}), cloud({"x", "t"})}));
  const Folder folder;
  write_fields(folder / "fields.h5", fields, provenance);
  const std::string xdmf = read_file(folder / "fields.xdmf");
  const std::regex moment("GridType=\"Uniform\">\\s*<Time Value="), any("GridType=\"Uniform\"");
  const auto count = [&](const std::regex& what) {
    return std::distance(std::sregex_iterator(xdmf.begin(), xdmf.end(), what), {});
  };
  CHECK(count(moment) == count(any));
  CHECK(count(any) == (fields.axes.size() == 4 ? 2 : 1));
  CHECK_THAT(xdmf, Contains("CollectionType=\"Temporal\""));
}

TEST_CASE("the points of the mesh run as the values of a moment do", "[data][files]") {
  const Folder folder;
  write_fields(folder / "fields.h5", grid({{"x", 4}, {"y", 3}, {"z", 2}, {"t", 2}}), provenance);
  const std::vector<double> points = raw(folder / "fields.h5", "/xdmf/points").second,
                            values = raw(folder / "fields.h5", "/xdmf/00001/u").second;
  REQUIRE(points.size() == 3 * values.size());
  for (std::size_t p = 0; p < values.size(); ++p)  // positions are 0.5 * index, u has their digits
    CHECK(values[p] ==
          2 * (points[3 * p] * 1000 + points[3 * p + 1] * 100 + points[3 * p + 2] * 10) + 1);
}

TEST_CASE("a field of x and t is shown as a plane", "[data][files]") {
  const Folder folder;
  write_fields(folder / "fields.h5", grid({{"x", 4}, {"t", 3}}), provenance);
  const std::string xdmf = read_file(folder / "fields.xdmf");
  CHECK_THAT(xdmf, Contains("TopologyType=\"Quadrilateral\" NumberOfElements=\"6\"") &&
                       Contains("<Time Value=\"0\"/>") && !Contains("<Time Value=\"0.5\"/>"));
}

TEST_CASE("more than three axes in space are plain arrays, and the note says why",
          "[data][files]") {
  const Folder folder;
  const Written written = write_fields(
      folder / "fields.h5", grid({{"a", 2}, {"b", 2}, {"c", 3}, {"d", 2}, {"e", 2}}), provenance);

  CHECK(written.files == std::vector<std::string>{folder / "fields.h5"});
  CHECK_THAT(written.note, Contains("no XDMF file") && Contains("5 axes"));
  CHECK(H5Reader(folder / "fields.h5").shape("/u") == Shape{2, 2, 3, 2, 2});
}

TEST_CASE("a slice is no axis of a mesh that would have too many", "[data][files]") {
  const Folder folder;
  const Fields fields = grid({{"x", 3}, {"y", 2}, {"z", 2}, {"t", 1}});
  write_fields(folder / "u.vtu", fields, provenance);
  CHECK_THAT(read_file(folder / "u.vtu"), Contains("NumberOfPoints=\"12\" NumberOfCells=\"2\""));
  write_fields(folder / "u.xdmf", grid({{"a", 1}, {"x", 3}, {"y", 2}, {"z", 2}, {"t", 2}}),
               provenance);
  CHECK_THAT(read_file(folder / "u.xdmf"),
             Contains("TopologyType=\"Hexahedron\" NumberOfElements=\"2\""));
}

// An array of HDF5 has at most 32 axes.
TEST_CASE("of a grid with a hundred axes those of one position are beside the arrays",
          "[data][files]") {
  std::vector<std::pair<std::string, std::size_t>> axes;
  for (int i = 1; i <= 98; ++i) axes.push_back({"x" + std::to_string(i), 1});
  axes.push_back({"y", 2});
  axes.push_back({"z", 3});
  const Folder folder;
  write_fields(folder / "fields.h5", grid(axes), provenance);

  const auto [shape, values] = raw(folder / "fields.h5", "/u");
  CHECK(shape == std::vector<std::size_t>{3, 2});
  CHECK(values == std::vector<double>{0, 10, 1, 11, 2, 12});
  CHECK(raw(folder / "fields.h5", "/x98").first == std::vector<std::size_t>{1});
}

TEST_CASE("points keep their coordinates, up to three of them as a cloud", "[data][files]") {
  const Folder folder;
  write_fields(folder / "p.xdmf", cloud({"x", "t"}), provenance);

  const H5Reader file(folder / "p.h5");
  CHECK(file.read<double>("/t").values == std::vector<double>{0.1, 0.2, 0.3});
  CHECK(file.text_attribute("/u", "coordinates") == "x t");
  CHECK(file.read<double>("/xdmf/points").values ==
        std::vector<double>{0.1, 0.1, 0, 0.2, 0.2, 0, 0.3, 0.3, 0});
  CHECK_THAT(read_file(folder / "p.xdmf"), Contains("Polyvertex"));
  const auto cells = file.read<std::int64_t>("/xdmf/cells");
  CHECK(cells.shape == Shape{3, 1});
  CHECK(cells.values == std::vector<std::int64_t>{0, 1, 2});
}

TEST_CASE("expressions and names of our own groups are no trouble as field names",
          "[data][files]") {
  Fields fields = grid({{"x", 2}});
  for (const char* name : {"meta", "xdmf", "d(u/x, x)", "u < 1 & \"x\""}) {
    fields.fields.push_back(fields.fields[0]);
    fields.fields.back().name = name;
  }
  const Folder folder;
  write_fields(folder / "fields.h5", fields, provenance);

  const H5Reader file(folder / "fields.h5");
  CHECK(file.has("/meta_"));
  CHECK(file.has("/d(u_over_x, x)"));
  CHECK(well_formed(read_file(folder / "fields.xdmf")));
  CHECK_THAT(read_file(folder / "fields.xdmf"), Contains("Name=\"u &lt; 1 &amp; &quot;x&quot;\""));
}

TEST_CASE("CSV holds every point and is read back exactly", "[data][files]") {
  const Folder folder;
  Fields fields = grid({{"x", 3}, {"t", 2}});
  fields.fields[0].name = "d(u, x)";
  fields.fields[0].values = {0.1, 1e-300, -2, 1.0 / 3, 5, 6};
  write_fields(folder / "u.csv", fields, provenance);

  const Table table = read_table(folder / "u.csv");
  CHECK(table.names == std::vector<std::string>{"x", "t", "d(u, x)"});
  CHECK(table.column("x") == std::vector<double>{0, 0, 0.5, 0.5, 1, 1});
  CHECK(table.column("t") == std::vector<double>{0, 0.5, 0, 0.5, 0, 0.5});
  CHECK(table.column("d(u, x)") == fields.fields[0].values);

  write_fields(folder / "p.csv", cloud({"x", "t"}), provenance);
  CHECK(read_file(folder / "p.csv") == "x,t,u\n0.1,0.1,7\n0.2,0.2,8\n0.3,0.3,9\n");
}

TEST_CASE("VTU holds points, cells of the right kind and fields", "[data][files]") {
  const Folder folder;
  write_fields(folder / "u.vtu", grid({{"x", 2}, {"y", 2}}), provenance);
  const std::string square = read_file(folder / "u.vtu");

  CHECK(well_formed(square));
  CHECK_THAT(square, Contains("NumberOfPoints=\"4\" NumberOfCells=\"1\""));
  // base64 of 8 bytes of size (1) and the type of VTK's quadrilateral (9)
  CHECK_THAT(square, Contains("Name=\"types\" format=\"binary\">AQAAAAAAAAAJ<"));
  // size 32, then corners that go round: 0 2 3 1 (y runs fastest)
  CHECK_THAT(square, Contains(">IAAAAAAAAAAAAAAAAAAAAAIAAAAAAAAAAwAAAAAAAAABAAAAAAAAAA==<"));

  write_fields(folder / "v.vtu", grid({{"x", 3}, {"y", 4}, {"t", 5}}), provenance);
  CHECK_THAT(read_file(folder / "v.vtu"), Contains("NumberOfPoints=\"60\" NumberOfCells=\"24\""));
  write_fields(folder / "w.vtu", cloud({"x", "y"}), provenance);
  CHECK_THAT(read_file(folder / "w.vtu"), Contains("NumberOfPoints=\"3\" NumberOfCells=\"3\""));
}

TEST_CASE("what is missing is NaN in HDF5, in no cell, and in no line of a grid", "[data][files]") {
  const Folder folder;
  Fields fields = grid({{"x", 3}, {"y", 3}});
  fields.fields[0].values[8] = std::nan("");  // the last corner
  fields.fields.push_back({"v", "", "", std::vector<double>(9, 1.)});
  fields.fields[1].values[0] = std::nan("");  // of one field only: it is not missing
  fields.fields[1].values[8] = std::nan("");
  write_fields(folder / "u.vtu", fields, provenance);
  CHECK_THAT(read_file(folder / "u.vtu"), Contains("NumberOfPoints=\"9\" NumberOfCells=\"3\""));
  write_fields(folder / "u.xdmf", fields, provenance);
  CHECK_THAT(read_file(folder / "u.xdmf"), Contains("\"Quadrilateral\" NumberOfElements=\"3\""));
  CHECK(std::isnan(raw(folder / "u.h5", "/u").second[8]));
  CHECK(H5Reader(folder / "u.h5").has_attribute("/u", "_FillValue"));
  write_fields(folder / "u.csv", fields, provenance);
  const std::string text = read_file(folder / "u.csv");
  CHECK(std::count(text.begin(), text.end(), '\n') == 9);
  CHECK_THAT(text, Contains("\n0,0,0,nan\n") && !Contains("\n1,1,"));

  Fields points = cloud({"x", "y"});
  points.fields[0].values[1] = std::nan("");
  write_fields(folder / "p.csv", points, provenance);
  CHECK_THAT(read_file(folder / "p.csv"), Contains("\n0.2,0.2,\n"));
  write_fields(folder / "p.vtu", points, provenance);
  CHECK_THAT(read_file(folder / "p.vtu"), Contains("NumberOfPoints=\"3\" NumberOfCells=\"2\""));
}

TEST_CASE("a cell of a grid is shown that is whole at some moment", "[data][files]") {
  const Folder folder;
  Fields fields = grid({{"x", 3}, {"y", 2}, {"t", 2}});
  const auto leave_out = [&](std::size_t x, std::size_t t) {
    for (std::size_t y = 0; y < 2; ++y) fields.fields[0].values[(x * 2 + y) * 2 + t] = std::nan("");
  };
  leave_out(0, 0), leave_out(0, 1), leave_out(2, 1);
  write_fields(folder / "u.xdmf", fields, provenance);
  CHECK_THAT(read_file(folder / "u.xdmf"), Contains("\"Quadrilateral\" NumberOfElements=\"1\""));
  CHECK(raw(folder / "u.h5", "/xdmf/cells").second == std::vector<double>{1, 2, 5, 4});
}

namespace {

/// A triangle at one time, two of them at another.
Fields triangles() {
  Fields fields{.grid = false, .axes = {}, .fields = {{"u", "", "", {1, 2, 3, 4, 5, 6, 7}}}};
  fields.axes = {{"x", "m", false, {0, 1, 0, 0, 1, 0, 1}},
                 {"y", "m", false, {0, 0, 1, 0, 0, 1, 1}},
                 {"t", "s", true, {0, 0, 0, 2, 2, 2, 2}}};
  fields.cells = Cells{3, {0, 1, 2, 0, 1, 2, 1, 3, 2}, {{0, 3, 1}, {2, 4, 2}}};
  return fields;
}

}  // namespace

TEST_CASE("simplices are a mesh of their own at each moment", "[data][files]") {
  const Folder folder;
  write_fields(folder / "u.xdmf", triangles(), provenance);
  const std::string xdmf = read_file(folder / "u.xdmf");
  CHECK(well_formed(xdmf));
  CHECK_THAT(xdmf, Contains("TopologyType=\"Triangle\" NumberOfElements=\"1\"") &&
                       Contains("TopologyType=\"Triangle\" NumberOfElements=\"2\"") &&
                       Contains("<Time Value=\"2\"/>"));
  for (const auto& [shape, file, path] : items(xdmf)) {
    INFO(path);
    CHECK(joined(raw(folder / "u.h5", path).first) == shape);
  }
  CHECK(raw(folder / "u.h5", "/xdmf/00001/u").second == std::vector<double>{4, 5, 6, 7});
  CHECK(raw(folder / "u.h5", "/xdmf/00001/cells").second == std::vector<double>{0, 1, 2, 1, 3, 2});
  CHECK(raw(folder / "u.h5", "/u").second == std::vector<double>{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("a .vtu file shows one moment of simplices", "[data][files][errors]") {
  const Folder folder;
  CHECK_THROWS_WITH(write_fields(folder / "u.vtu", triangles(), provenance),
                    Contains("one moment, but this mesh has 2") && Contains("--grid t=0.5"));
  Fields one = triangles();
  one.cells = Cells{3, {0, 1, 2}, {{0, 7, 1}}};
  write_fields(folder / "u.vtu", one, provenance);
  CHECK_THAT(read_file(folder / "u.vtu"), Contains("NumberOfPoints=\"7\" NumberOfCells=\"1\""));
}

TEST_CASE("a format that does not fit is refused in words", "[data][files][errors]") {
  const Folder folder;
  const Fields fields = grid({{"x", 2}, {"y", 2}, {"z", 2}, {"t", 2}});
  CHECK_THROWS_WITH(write_fields(folder / "u.vtu", fields, provenance),
                    Contains("three axes") && Contains("have 4"));
  CHECK_THROWS_WITH(write_fields(folder / "u.png", fields, provenance),
                    Contains("'.png'") && Contains(".h5, .xdmf, .vtu or .csv"));

  Fields wrong = grid({{"x", 2}});
  wrong.fields[0].values.pop_back();
  CHECK_THROWS_AS(write_fields(folder / "u.h5", wrong, provenance), ShapeError);
}

namespace {

/// u = x + 10 y + 100 z + 1000 t on a grid or at points, named by its axes.
Fields linear(const std::string& axes, bool on_grid) {
  Fields fields = on_grid ? grid([&] {
    std::vector<std::pair<std::string, std::size_t>> counts;
    for (const char axis : axes) counts.push_back({std::string(1, axis), 3 + counts.size()});
    return counts;
  }())
                          : Fields{false, {}, {{"u", "", "", {}}}};
  for (const char axis : axes)
    if (!on_grid)
      fields.axes.push_back({std::string(1, axis), "", axis == 't', {0.1, 0.5 + axis, 0.3}});
  std::vector<double>& u = fields.fields[0].values;
  u.assign(points_of(fields), 0);
  for (std::size_t p = 0; p < u.size(); ++p)
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::vector<double>& at = fields.axes[i].values;
      u[p] +=
          std::pow(10, std::string("xyzt").find(axes[i])) * at[p / stride(fields, i) % at.size()];
    }
  return fields;
}

}  // namespace

// For open_xdmf.py, which names the folder.
TEST_CASE("fields for the readers of others", "[.]") {
  const char* folder = std::getenv("PINN_FIELDS");
  REQUIRE(folder);
  for (const char* axes : {"x", "t", "xt", "tx", "xy", "xyt", "yxt", "xyz", "txyz"}) {
    write_fields(std::string(folder) + "/" + axes + ".xdmf", linear(axes, true), provenance);
    if (std::string(axes).size() < 4)
      write_fields(std::string(folder) + "/" + axes + ".vtu", linear(axes, true), provenance);
  }
  for (const char* axes : {"x", "xt", "xyz", "xyt", "xyzt"})
    for (const char* end : {"_cloud.xdmf", "_cloud.vtu"})
      if (axes != std::string("xyzt") || end == std::string("_cloud.xdmf"))
        write_fields(std::string(folder) + "/" + axes + end, linear(axes, false), provenance);
}

TEST_CASE("a CSV file with any names is read back as it was written", "[data][files]") {
  const Folder folder;
  Fields fields{.grid = true, .axes = {{"x", "", false, {0, 1}}}, .fields = {}};
  const std::vector<std::string> names = {"d(u, x)", "\"u\"", " u", "u ", "#u", "u +\nv", "a\r\nb"};
  double value = 0;
  for (const std::string& name : names)
    fields.fields.push_back({name, "", "", {value, value + 0.5}}), ++value;
  write_fields(folder / "a.csv", fields, {});
  fields.axes[0].name = "# x";
  write_fields(folder / "b.csv", fields, {});

  for (const char* file : {"a.csv", "b.csv"}) {
    const Table table = read_table(folder / file);
    REQUIRE(table.names.size() == 1 + names.size());
    CHECK(table.rows == 2);
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string line = names[i];
      std::replace_if(
          line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
      CHECK(table.names[i + 1] == line);
      CHECK(table.columns[i + 1] == fields.fields[i].values);
    }
  }
}
