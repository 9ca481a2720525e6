#include <fmt/format.h>

#include <cmath>

#include "tests/data/geometry/meshes.h"

namespace pinn::test {
namespace {

/// The number of triangles of each patch, and then these, patch by patch.
template <class Begin, class Each>
void by_patch(const SurfaceMesh& mesh, Begin&& begin, Each&& each) {
  for (int p = 0; p < int(mesh.patches.size()); ++p) {
    const auto count = std::count(mesh.patch.begin(), mesh.patch.end(), p);
    if (count == 0) continue;
    begin(p, int(count));
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      if (mesh.patch[t] == p) each(mesh.triangles[t], int(t));
  }
}

/// Numbers as text, with blanks, or as bytes.
struct Out {
  bool binary;
  std::string text = {};
  template <class T> Out& operator()(T value) {
    if (binary)
      put(text, value);
    else
      text += fmt::format("{} ", value);
    return *this;
  }
  void line() {
    if (!binary) text += "\n";
  }
};

}  // namespace

std::string stl_text(const SurfaceMesh& mesh) {
  std::string text;
  by_patch(
      mesh,
      [&](int p, int) {
        if (!text.empty()) text += "endsolid\n";
        text += fmt::format("solid {}\n", mesh.patches[p]);
      },
      [&](const std::array<int, 3>& t, int) {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for (const int i : t)
          text += fmt::format("      vertex {} {} {}\n", mesh.points[i][0], mesh.points[i][1],
                              mesh.points[i][2]);
        text += "    endloop\n  endfacet\n";
      });
  return text + "endsolid\n";
}

std::string stl_binary(const SurfaceMesh& mesh) {
  std::string bytes = "solid by its first word, binary all the same";
  bytes.resize(80);
  put(bytes, std::uint32_t(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    bytes.append(12, '\0');
    for (const int i : t)
      for (const double c : mesh.points[i]) put(bytes, float(c));
    bytes.append(2, '\0');
  }
  return bytes;
}

std::string obj_text(const SurfaceMesh& mesh) {
  std::string text = "# a mesh\nmtllib none.mtl\n";
  for (const Point3& p : mesh.points) text += fmt::format("v {} {} {}\n", p[0], p[1], p[2]);
  by_patch(
      mesh, [&](int p, int) { text += p == 0 ? "g\n" : fmt::format("g {}\n", mesh.patches[p]); },
      [&](const std::array<int, 3>& t, int number) {
        const int n = int(mesh.points.size());
        text += number % 2 == 0 ? fmt::format("f {}/7/1 {}//2 {}/3\n", t[0] + 1, t[1] + 1, t[2] + 1)
                                : fmt::format("f {} {} \\\n {}\n", t[0] - n, t[1] - n, t[2] - n);
      });
  return text;
}

std::string ply_file(const SurfaceMesh& mesh, Bytes bytes) {
  std::string file = fmt::format(
      "ply\nformat {} 1.0\ncomment a mesh\nelement vertex {}\nproperty double x\nproperty uchar "
      "red\n"
      "property double y\nproperty double z\nelement edge 1\nproperty int vertex1\n"
      "property list uchar short weights\nelement face {}\nproperty float quality\n"
      "property list uchar int vertex_indices\nend_header\n",
      bytes == Bytes::text  ? "ascii"
      : bytes == Bytes::big ? "binary_big_endian"
                            : "binary_little_endian",
      mesh.points.size(), mesh.triangles.size());
  const bool big = bytes == Bytes::big;
  if (bytes == Bytes::text) {
    for (const Point3& p : mesh.points) file += fmt::format("{} 255 {} {}\n", p[0], p[1], p[2]);
    file += "7 2 -1 -2\n";
    for (const auto& t : mesh.triangles) file += fmt::format("0.5 3 {} {} {}\n", t[0], t[1], t[2]);
    return file;
  }
  for (const Point3& p : mesh.points) {
    put(file, p[0], big), put(file, std::uint8_t(255)), put(file, p[1], big), put(file, p[2], big);
  }
  put(file, std::int32_t(7), big), put(file, std::uint8_t(2)), put(file, std::int16_t(-1), big),
      put(file, std::int16_t(-2), big);
  for (const auto& t : mesh.triangles) {
    put(file, 0.5f, big), put(file, std::uint8_t(3));
    for (const int i : t) put(file, std::int32_t(i), big);
  }
  return file;
}

std::string gmsh_2_file(const SurfaceMesh& mesh, bool binary) {
  Out out{binary, fmt::format("$MeshFormat\n2.2 {} 8\n", int(binary))};
  if (binary) out(1), out.text += "\n";
  out.text += fmt::format("$EndMeshFormat\n$PhysicalNames\n{}\n", mesh.patches.size());
  for (std::size_t p = 1; p < mesh.patches.size(); ++p)
    out.text += fmt::format("2 {} \"{}\"\n", p, mesh.patches[p]);
  out.text += fmt::format("3 1 \"body\"\n$EndPhysicalNames\n$Nodes\n{}\n", mesh.points.size());
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    out(int(10 + 3 * i))(mesh.points[i][0])(mesh.points[i][1])(mesh.points[i][2]);
    out.line();
  }
  out.text += fmt::format("\n$EndNodes\n$Elements\n{}\n", mesh.triangles.size() + 1);
  if (binary)
    out(15)(1)(2)(1)(0)(1)(10);
  else
    out.text += "1 15 2 0 1 10\n";
  by_patch(
      mesh,
      [&](int, int count) {
        if (binary) out(2)(count)(2);
      },
      [&](const std::array<int, 3>& t, int number) {
        out(number + 2);
        if (!binary) out(2)(2);
        out(mesh.patch[number])(1);
        for (const int i : t) out(10 + 3 * i);
        out.line();
      });
  return out.text + "\n$EndElements\n";
}

std::string gmsh_4_file(const SurfaceMesh& mesh, bool binary) {
  using Size = std::uint64_t;
  Out out{binary, fmt::format("$MeshFormat\n4.1 {} 8\n", int(binary))};
  if (binary) out(1), out.text += "\n";
  out.text += fmt::format("$EndMeshFormat\n$PhysicalNames\n{}\n", mesh.patches.size() - 1);
  for (std::size_t p = 1; p < mesh.patches.size(); ++p)
    out.text += fmt::format("2 {} \"{}\"\n", p, mesh.patches[p]);
  out.text += "$EndPhysicalNames\n$Entities\n";
  const std::size_t n = mesh.patches.size(), points = mesh.points.size();
  out(Size(1))(Size(0))(Size(n))(Size(1)), out.line();
  out(1)(0.0)(0.0)(0.0)(Size(0)), out.line();
  for (std::size_t p = 0; p < n; ++p) {
    out(int(100 + p))(0.0)(0.0)(0.0)(1.0)(1.0)(1.0);
    if (p == 0)
      out(Size(0));
    else
      out(Size(1))(int(p));
    out(Size(2))(1)(-1), out.line();
  }
  out(1)(0.0)(0.0)(0.0)(1.0)(1.0)(1.0)(Size(0))(Size(0)), out.line();
  out.text += "\n$EndEntities\n$Nodes\n";
  const std::size_t half = points / 2;
  out(Size(2))(Size(points))(Size(10))(Size(10 + 3 * points)), out.line();
  for (const auto& [begin, end] : {std::array{std::size_t(0), half}, {half, points}}) {
    const bool parametric = begin > 0;
    out(2)(100)(int(parametric))(Size(end - begin)), out.line();
    for (std::size_t i = begin; i < end; ++i) out(Size(10 + 3 * i)), out.line();
    for (std::size_t i = begin; i < end; ++i) {
      out(mesh.points[i][0])(mesh.points[i][1])(mesh.points[i][2]);
      if (parametric) out(0.25)(0.75);
      out.line();
    }
  }
  out.text += "\n$EndNodes\n$Comments\nanything goes $here\n$EndComments\n$Elements\n";
  Size blocks = 1;
  by_patch(
      mesh, [&](int, int) { ++blocks; }, [](const std::array<int, 3>&, int) {});
  out(blocks)(Size(mesh.triangles.size() + 1))(Size(1))(Size(mesh.triangles.size() + 1)),
      out.line();
  out(0)(1)(15)(Size(1)), out.line();
  out(Size(1))(Size(10)), out.line();
  by_patch(
      mesh, [&](int p, int count) { out(2)(100 + p)(2)(Size(count)), out.line(); },
      [&](const std::array<int, 3>& t, int number) {
        out(Size(number + 2));
        for (const int i : t) out(Size(10 + 3 * i));
        out.line();
      });
  return out.text + "\n$EndElements\n";
}

}  // namespace pinn::test
