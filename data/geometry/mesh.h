#pragma once
#include <array>
#include <string>
#include <vector>

#include "data/geometry/shape.h"

namespace pinn {

/// Triangles in space, as a file has them: corners counter-clockwise as seen from outside, each
/// point once, each triangle in one patch.
struct SurfaceMesh {
  std::string name;                           ///< the file's, for what is said of it
  std::vector<std::array<double, 3>> points;  ///< [points]
  std::vector<std::array<int, 3>> triangles;  ///< [triangles], numbers of points
  std::vector<int> patch;                     ///< [triangles], numbers in patches
  std::vector<std::string> patches = {""};    ///< names; the first one, "", is no patch
  bool oriented = true;  ///< whether the order of corners means the outside, and not a chart
};

/// Reads a surface from an STL (ASCII or binary), OBJ, PLY or Gmsh file (2.2 or 4.1, ASCII or
/// binary), told by its ending, and multiplies its coordinates. Polygons are cut into fans;
/// points with equal coordinates become one. Solids of an STL file, groups and objects of an OBJ
/// file and physical surfaces of a Gmsh file become patches.
///
///   errors   ConfigError with file and line, or byte, for whatever is wrong with the file
SurfaceMesh read_mesh(const std::string& path, double scale = 1);

/// The body within a closed surface. Distances are exact, and zero where rounding decides; the
/// pieces of the surface are its patches, in the order of their names in the file, each uniform by
/// area.
///
///   errors   ConfigError, one report for each kind of mistake, with where it is: no area, a corner
///            twice, open, three triangles at an edge, turned the wrong way round, crossing itself.
///            A surface that is turned inside out as a whole is turned, with a warning.
ShapePtr make_mesh(SurfaceMesh mesh);

}  // namespace pinn
