#include <fmt/format.h>

#include <cmath>
#include <set>

#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"
#include "tests/data/geometry/meshes.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

struct Format {
  std::string name, ending;
  std::string (*write)(const SurfaceMesh&);
  bool patches, floats;
};

std::vector<Format> formats() {
  return {{"STL as text", ".stl", stl_text, true, false},
          {"STL binary", ".STL", stl_binary, false, true},
          {"OBJ", ".obj", obj_text, true, false},
          {"PLY as text", ".ply", [](auto& m) { return ply_file(m, Bytes::text); }, false, false},
          {"PLY little-endian", ".ply", [](auto& m) { return ply_file(m, Bytes::little); }, false,
           false},
          {"PLY big-endian", ".ply", [](auto& m) { return ply_file(m, Bytes::big); }, false, false},
          {"Gmsh 2.2 as text", ".msh", [](auto& m) { return gmsh_2_file(m, false); }, true, false},
          {"Gmsh 2.2 binary", ".msh", [](auto& m) { return gmsh_2_file(m, true); }, true, false},
          {"Gmsh 4.1 as text", ".msh", [](auto& m) { return gmsh_4_file(m, false); }, true, false},
          {"Gmsh 4.1 binary", ".msh", [](auto& m) { return gmsh_4_file(m, true); }, true, false}};
}

/// Triangles by the coordinates of their corners, the least one first, with their patches.
std::multiset<std::pair<std::array<Point3, 3>, std::string>> triangles(const SurfaceMesh& mesh) {
  std::multiset<std::pair<std::array<Point3, 3>, std::string>> all;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<Point3, 3> c;
    for (int k = 0; k < 3; ++k) c[k] = mesh.points[mesh.triangles[t][k]];
    std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
    all.insert({c, mesh.patches[mesh.patch[t]]});
  }
  return all;
}

SurfaceMesh rounded_to_float(SurfaceMesh mesh) {
  for (Point3& p : mesh.points)
    for (double& c : p) c = float(c);
  return mesh;
}

SurfaceMesh without_patches(SurfaceMesh mesh) {
  mesh.patch.assign(mesh.triangles.size(), 0);
  return mesh;
}

std::string message_of(const std::string& name, const std::string& content) {
  const Folder folder;
  const std::string path = folder.file(name, content);
  try {
    read_mesh(path);
  } catch (const ConfigError& e) {
    CHECK_FALSE(e.report.fix.empty());
    std::string text = e.what();
    for (std::size_t at; (at = text.find(folder.path + "/")) != text.npos;)
      text.erase(at, folder.path.size() + 1);
    return text;
  }
  return "read";
}

}  // namespace

TEST_CASE("a mesh that was written is read again, in every format", "[data][geometry][mesh]") {
  const Folder folder;
  const SurfaceMesh box = moved(box_mesh(), 1.3, 0.4, 0.7, {0.1, -0.2, 1e-3}),
                    sphere = sphere_mesh(2);
  for (const Format& format : formats())
    for (const SurfaceMesh& mesh : {box, together(sphere, box)}) {
      INFO(format.name);
      SurfaceMesh expected = format.floats ? rounded_to_float(mesh) : mesh;
      if (!format.patches) expected = without_patches(expected);
      const SurfaceMesh read = read_mesh(folder.file("mesh" + format.ending, format.write(mesh)));
      CHECK(triangles(read) == triangles(expected));
      CHECK(read.points.size() == mesh.points.size());
    }
}

TEST_CASE("scale multiplies the coordinates", "[data][geometry][mesh]") {
  const Folder folder;
  const SurfaceMesh mesh = read_mesh(folder.file("m.obj", obj_text(box_mesh())), 1e-3);
  CHECK(moments(mesh).volume == Approx(1e-9).epsilon(1e-14));
  for (const double scale : {0.0, -1.0, double(NAN), double(INFINITY)})
    CHECK_THROWS_WITH(read_mesh(folder / "m.obj", scale), Contains("cannot be scaled by"));
}

TEST_CASE("points with equal coordinates become one, and no others", "[data][geometry][mesh]") {
  const Folder folder;
  const double off = std::nextafter(1.0, 2.0);
  const std::string text = fmt::format(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0.0 0 -0\nv {} 0 0\nv 0 1e0 0\nf 1 2 3\nf 4 5 6\n", off);
  const SurfaceMesh mesh = read_mesh(folder.file("m.obj", text));
  CHECK(mesh.points.size() == 4);
  CHECK(mesh.triangles == std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 3, 2}});
}

TEST_CASE("polygons are cut into fans", "[data][geometry][mesh]") {
  const Folder folder;
  const SurfaceMesh obj = read_mesh(
      folder.file("m.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 2 0\nv -1 1 0\nf -5 -4 -3 -2 -1\n"));
  CHECK(obj.triangles == std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}});
  const SurfaceMesh msh =
      read_mesh(folder.file("m.msh",
                            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 "
                            "1 1 0\n4 0 1 0\n$EndNodes\n"
                            "$Elements\n1\n1 3 2 7 7 1 2 3 4\n$EndElements\n"));
  CHECK(msh.triangles == std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}});
  CHECK(msh.patches == std::vector<std::string>{"", "7"});  // a group without a name has its number
}

TEST_CASE("groups and objects of an OBJ file are patches, and one name is one patch",
          "[data][geometry][mesh]") {
  const Folder folder;
  const SurfaceMesh mesh =
      read_mesh(folder.file("m.obj",
                            "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no a\nf 1 2 3\ng b other\nf 1 2 "
                            "3\ng\nf 1 2 3\ng a\nf 1 2 3\n"));
  CHECK(mesh.patches == std::vector<std::string>{"", "a", "b"});
  CHECK(mesh.patch == std::vector<int>{0, 1, 2, 0, 1});
}

TEST_CASE("an STL file is told to be binary by its length, whatever it begins with",
          "[data][geometry][mesh]") {
  const Folder folder;
  const std::string bytes = stl_binary(box_mesh());
  REQUIRE(bytes.starts_with("solid"));
  CHECK(read_mesh(folder.file("m.stl", bytes)).triangles.size() == 12);
}

TEST_CASE("what is wrong with a mesh file is told with line or byte",
          "[data][geometry][mesh][errors]") {
  struct Case {
    std::string name, content, where, what;
  };
  const std::string facet =
      "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
      "0\nendloop\nendfacet\n";
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float "
      "z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
  const std::string format_2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
                    nodes_2 = "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n",
                    format_4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
  const Case c = GENERATE_COPY(values<Case>({
      {"m.off", "OFF\n", "m.off", "no format of meshes is known by the ending '.off'"},
      {"mesh", "", "mesh", "by the ending ''"},
      {"m.stl", "", "m.stl, byte 0", "this is no STL file"},
      {"m.stl", "solid a\nendsolid a\n", "m.stl", "holds no triangles"},
      {"m.stl", "solid a\n" + facet, "m.stl:9:1", "the file ends here"},
      {"m.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", "m.stl:4:12",
       "'nan' is no finite number"},
      {"m.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e999\n", "m.stl:4:12",
       "no finite number"},
      {"m.stl",
       "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex "
       "0 0 0\n",
       "m.stl:7:1", "wants 'endloop'"},
      {"m.stl", "solid a\nfacet " + std::string(100000, 'x'), "m.stl:2, byte 7 of the line",
       "wants 'normal'"},
      {"m.obj", "v 0 0 0\nf 1 2 3\n", "m.obj:2:5", "a face asks for point 2, but there are 1"},
      {"m.obj", "v 0 0 0\nf 1 1 0\n", "m.obj:2:7", "asks for point 0"},
      {"m.obj", "v 0 0 0\nf 1 1 -2\n", "m.obj:2:7", "asks for point -2"},
      {"m.obj", "v 0 0 0\nf 1 1 99999999999999999999\n", "m.obj:2:7", "is no number of a point"},
      {"m.obj", "v 0 0 0\nf 1 1\n", "m.obj:2", "a face has 2 corners"},
      {"m.obj", "v 0 0\n", "m.obj:1", "where a coordinate is expected"},
      {"m.obj", "v 0 0 inf\n", "m.obj:1:7", "'inf' is no finite number"},
      {"m.obj", "cstype bezier\n", "m.obj:1:1", "curved surfaces"},
      {"m.obj", "# nothing\n", "m.obj", "holds no triangles"},
      {"m.obj", "v 0 0 0\nv 1e51 0 0\nv 0 1 0\nf 1 2 3\n", "m.obj",
       "a coordinate of the mesh is 1e+51"},
      {"m.ply", "plx\n", "m.ply:1:1", "does not begin with 'ply'"},
      {"m.ply", "ply\nelement vertex 3\nend_header\n", "m.ply:3:1", "names no format"},
      {"m.ply", "ply\nformat ascii 1.0\nproperty float x\n", "m.ply:3:1", "before any element"},
      {"m.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty quad x\n", "m.ply:4:10",
       "'quad' is no type"},
      {"m.ply", "ply\nformat mixed 1.0\n", "m.ply:2:8", "'mixed' is no format"},
      {"m.ply", "ply\nformat ascii 1.0\nhello\n", "m.ply:3:1",
       "'hello' is no line of a PLY header"},
      {"m.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", "m.ply:4", "the file ends here"},
      {"m.ply",
       "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nend_header\n0\n",
       "m.ply:3:9", "states 99999999999 of 'vertex', but only 2 bytes follow"},
      {"m.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
       "m.ply:3", "no x, y and z"},
      {"m.ply", ply + "3 0 1 3\n", "m.ply:13:7", "asks for point 3, but there are 3"},
      {"m.ply", ply + "3 0 1 0.5\n", "m.ply:13:7", "asks for point 0.5"},
      {"m.ply", ply + "2 0 1\n", "m.ply:13", "a face has 2 corners"},
      {"m.ply", ply + "250 0 1 2\n", "m.ply:13:1", "a list has 250 entries, but only"},
      {"m.ply", ply + "-3 0 1 2\n", "m.ply:13:1", "a list has -3 entries"},
      {"m.ply", ply + "3 0 1", "m.ply:13", "the file ends here"},
      {"m.msh", "hello", "m.msh:1:1", "begins no section"},
      {"m.msh", nodes_2, "m.msh:1:1", "begins with $MeshFormat"},
      {"m.msh", "$MeshFormat\n4.0 0 8\n", "m.msh:2:1", "version 4 of the format is not read"},
      {"m.msh", "$MeshFormat\n4.1 0 4\n", "m.msh:2:7", "the size of a number, 8 is 4"},
      {"m.msh", format_2 + "$Nodes\n99999999999\n1 0 0 0\n", "m.msh:5",
       "states 99999999999 nodes, but only 8 bytes follow"},
      {"m.msh", format_2 + "$Nodes\n1\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "m.msh:7:1",
       "stands where '$EndNodes' is expected"},
      {"m.msh", format_2 + "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "m.msh:7",
       "node 1 occurs twice"},
      {"m.msh", format_2 + nodes_2 + "$Elements\n1\n1 2 0 1 2 4\n", "m.msh:12:11",
       "asks for node 4, which is not there"},
      {"m.msh", format_2 + nodes_2 + "$Elements\n1\n1 9 0 1 2 3 1 2 3\n", "m.msh:12:3",
       "curved elements (type 9)"},
      {"m.msh", format_2 + nodes_2 + "$Elements\n1\n1 77 0 1\n", "m.msh:12:3",
       "77 is no known type"},
      {"m.msh", format_2 + nodes_2 + "$Elements\n1\n1 4 0 1 2 3 1\n$EndElements\n", "m.msh",
       "1 elements of volume and no triangles"},
      {"m.msh", format_2 + nodes_2, "m.msh", "holds no triangles"},
      {"m.msh", format_2 + "$Other\nno end\n", "m.msh", "the section $Other does not end"},
      {"m.msh", format_4 + "$Nodes\n1 1000000000000 1 1\n2 1 0 1000000000000\n", "m.msh:6:7",
       "but only 1 bytes follow"},
      {"m.msh", format_4 + "$Nodes\n1 1 1 1\n2 1 0 -1\n", "m.msh:6:7", "lies beyond"},
      {"m.msh", format_2 + "$PhysicalNames\n1\n2 1 inlet\n", "m.msh:6", "stands in no quotes"},
  }));
  const std::string message = message_of(c.name, c.content);
  INFO(c.content.substr(0, 400));
  CHECK_THAT(message, Contains(c.what));
  CHECK_THAT(message, Contains("where: " + c.where));
}

TEST_CASE("a binary STL that lies about its count is refused before memory is taken",
          "[data][geometry][mesh][errors]") {
  std::string bytes = stl_binary(box_mesh());
  CHECK_THAT(
      message_of("m.stl", bytes.substr(0, bytes.size() - 1)),
      Contains(
          "the header states 12 triangles, for which the file would have 684 bytes; it has 683") &&
          Contains("m.stl, byte 80"));
  CHECK_THAT(message_of("m.stl", bytes + "\n"), Contains("it has 685"));
  for (int k = 80; k < 84; ++k) bytes[k] = char(0xff);
  CHECK_THAT(message_of("m.stl", bytes), Contains("states 4294967295 triangles"));
}

TEST_CASE("numbers that are not finite are found in binary files",
          "[data][geometry][mesh][errors]") {
  SurfaceMesh mesh = box_mesh();
  mesh.points[5][1] = NAN;
  CHECK_THAT(message_of("m.stl", stl_binary(mesh)),
             Contains("a coordinate of triangle") && Contains(", byte "));
  CHECK_THAT(message_of("m.ply", ply_file(mesh, Bytes::big)),
             Contains("a coordinate of point 6 is nan"));
  CHECK_THAT(message_of("m.msh", gmsh_2_file(mesh, true)), Contains("a coordinate is nan"));
  CHECK_THAT(message_of("m.msh", gmsh_4_file(mesh, true)), Contains("a coordinate is nan"));
}

TEST_CASE("a mesh file that is cut off anywhere is refused", "[data][geometry][mesh][errors]") {
  const SurfaceMesh mesh = moved(box_mesh(), 1, 0.3, 0.2, {0, 0, 0});
  for (const Format& format : formats()) {
    if (format.ending == ".obj") continue;  // which has no end
    // A text of several solids is whole behind each of them, and without its last blanks.
    const std::string whole = format.write(format.ending == ".stl" ? without_patches(mesh) : mesh);
    const std::size_t last = whole.find_last_not_of("\n ");
    for (std::size_t size = 0; size < last; ++size) {
      const std::string message = message_of("m" + format.ending, whole.substr(0, size));
      INFO(format.name << " cut to " << size << " of " << whole.size());
      REQUIRE_THAT(message, Contains("error: "));
    }
  }
}

TEST_CASE("a mesh file that is not there is the user's mistake", "[data][geometry][mesh][errors]") {
  const Folder folder;
  CHECK_THROWS_AS(read_mesh(folder / "absent.stl"), ConfigError);
  CHECK_THROWS_WITH(read_mesh(folder / "absent.stl"),
                    Contains("absent.stl") && Contains("No such file"));
}

TEST_CASE("the work to read a mesh grows with its groups, not with their square",
          "[data][geometry][mesh]") {
  const Folder folder;
  std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  constexpr int groups = 200000;
  for (int i = 0; i < groups; ++i) text += fmt::format("g part{}\nf 1 2 3\n", i);
  CHECK(read_mesh(folder.file("m.obj", text)).patches.size() == groups + 1);
}
