#pragma once
#include <string>
#include <vector>

#include "solvers/problem/mistakes.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// A face of the domain where the equations leave room for a condition, and what is known there.
struct Face {
  int coordinate = 0;
  bool upper = false;
  std::string text;                     ///< "x = -1"
  std::vector<std::string> covered_by;  ///< names of conditions, "the hard constraint of u"
};

/// Whether a part of the region is a piece of that face of the domain, of the face's dimension.
bool lies_in_face(const Region& region, const Problem& problem, int coordinate, bool upper);

/// The highest derivative by a coordinate in the equations: of one field, or of any.
int highest_order(const Problem& problem, int coordinate, int field = -1);

/// The faces of every coordinate in space that the equations differentiate by, and the lower one of
/// time. A coordinate that is periodic by embedding has none. For --check.
std::vector<Face> faces(const Problem& problem);

/// A warning per face that nothing covers; data that lie along it do. An equation of first order
/// along a coordinate carries its information one way: there one of the two faces is enough.
Warnings uncovered_faces(const Problem& problem);

}  // namespace pinn
