#pragma once
#include <string>
#include <vector>

#include "solvers/problem/differentiate.h"
#include "solvers/problem/mistakes.h"
#include "solvers/problem/names.h"
#include "solvers/problem/needs.h"
#include "solvers/problem/problem.h"

namespace pinn {

/// Coordinates a problem can have: one to six, finite intervals, at most one time.
///
///   errors   ConfigError with all that is wrong
void check_coordinates(const std::vector<Coordinate>& coordinates);

/// Checks a problem as a whole, once all its parts are read: something is asked of every field,
/// every residual asks something, data columns and N are used, names of requirements differ.
///
///   errors   ConfigError with all that is wrong; what is only suspicious goes to `warnings`
void validate(const Problem& problem, Warnings& warnings);

/// True where training can move a residual: an inequality, which is no residual yet, and what else
/// changes by jumps alone it cannot.
///
///   errors   ConfigError with its place, and what to write instead
void require_slope(const Text& text, const Expression& residual, const Scope& scope);

/// True if the hard constraint of a field decides the value of the field, or of its derivative of
/// this order by a coordinate, at the points of a region, whatever the network gives there. False
/// without a hard constraint.
bool decides(const Problem& problem, std::size_t field, const Region& region, int coordinate = 0,
             int order = 0);

/// Names of the residuals on regions that hard constraints make exact, whatever the network gives:
/// they vanish with two arbitrary functions in its place.
std::vector<std::string> exact_residuals(const Problem& problem);

/// A warning per residual on a region that hard constraints keep away from 0, whatever the network
/// and the unknowns are.
Warnings contradictions(const Problem& problem);

/// A face of the domain where the equations leave room for a condition, and what is known there.
struct Face {
  int coordinate = 0;
  bool upper = false;
  std::string text;                     ///< "x = -1"
  std::vector<std::string> covered_by;  ///< names of conditions, "the hard constraint of u"
};

/// True if a part of the region is a piece of that face of the domain, of the face's dimension.
bool lies_in_face(const Region& region, const Problem& problem, int coordinate, bool upper);

/// The highest derivative of any field by a coordinate in the equations.
int highest_order(const Problem& problem, int coordinate);

/// The derivatives by a coordinate that agree across a seam where the equations hold on both sides:
/// up to the highest they have less one, and to 1 at least.
int order_of_seam(const Problem& problem, int coordinate);

/// A warning per periodic condition that asks for fewer.
Warnings open_seams(const Problem& problem);

/// A line per periodic condition that asks for more than slopes; for --check and the log.
std::string seams_text(const Problem& problem);

/// True where what is known of a field at one value of a coordinate, at an end or within, is as
/// much as the order of its equations along it: they carry it to both sides from there.
bool is_carried(const Problem& problem, const FieldUses& uses, int coordinate, int field);
/// The same of all fields, where equations may do so: along time, along the one coordinate that
/// they differentiate by, and where they are of first order.
bool is_carried(const Problem& problem, const FieldUses& uses, int coordinate);

/// The faces of every coordinate in space that the equations differentiate by, the lower one of
/// time, and the upper one where something is asked there. A coordinate that is periodic by
/// embedding has none. For --check.
std::vector<Face> faces(const Problem& problem);

/// A warning per face that nothing covers; data that lie along it do. An equation of first order
/// along a coordinate carries its information one way: there one of the two faces is enough. So is
/// the end of time, or a moment within, where enough is known there.
Warnings uncovered_faces(const Problem& problem);

/// A warning where more than a hundredth of the boundary of a domain that is no box has no
/// condition and no hard constraint, and an equation is of second order or higher in space.
Warnings uncovered_boundary(const Problem& problem);

/// A warning per shape that lies beyond the box of the coordinates, where nothing is.
Warnings regions_beyond(const Problem& problem);

/// Two residuals of conditions that ask for one thing on a piece that their regions share: of the
/// same fields and derivatives, whatever these are.
struct Overlap {
  std::string a, b;   ///< their names
  double gap = 0;     ///< by how much a misses b at most; 0: they ask the same
  std::string place;  ///< where that is
};

/// All pairs that evenly spread points of the regions show. What faces share at an edge is no
/// piece.
std::vector<Overlap> overlaps(const Problem& problem);

/// A warning per pair that differs; a line for --check of those that ask the same.
Warnings contradictory_conditions(const Problem& problem);
std::string overlaps_text(const Problem& problem);

/// A warning per field of second order in time, or a higher one, whose time derivatives at the
/// start nothing decides: no condition, no hard constraint, no data, nothing at the end of time.
Warnings missing_velocities(const Problem& problem);

/// A function that may be added to a field: nothing that is asked sees it, whatever it is of these
/// coordinates (ascending; none: a constant), as far as it is 0 where they end. What is asked on
/// such an end alone, as at the start of time, does not count.
struct GaugeMode {
  int field = 0;
  std::vector<int> coordinates;
};

/// Those that the network can add, of each field and of as many coordinates as there are. The
/// pressure of a flow that changes with time has one of time.
std::vector<GaugeMode> gauge_modes(const Problem& problem);

/// A warning per gauge mode.
Warnings open_constants(const Problem& problem);

/// A report per residual that has no value at points where it is asked, whatever the fields are: of
/// its own formulas, with their limit there, and of the forms of its fields. Places on the rim of a
/// region that no point is drawn at are none.
std::vector<Report> undefined_values(const Problem& problem);

/// A warning where a root, a logarithm or a broken power is taken of what the network may make
/// negative, with forms of the fields that keep it positive.
Warnings negative_powers(const Problem& problem);

/// A warning per equation whose factor of a highest derivative jumps, or changes as steeply, within
/// what one network has to follow, with the pieces written out.
Warnings jumping_coefficients(const Problem& problem);
/// The tables that cut fields in two, "low" and "high", at a plane of a coordinate.
std::string halves_text(const Problem& problem, const std::vector<std::string>& fields, int along,
                        double place);
/// "u_xx"
std::string derivative_text(const Problem& problem, int field, int by, int order);

/// A warning per condition on a plane within the domain that asks for more than the equations take
/// beside what is asked at the ends of that coordinate: fields have kinks or jumps there, and the
/// pieces are written out.
Warnings crowded_planes(const Problem& problem);

/// A warning per face and field of fourth order in space, or a higher even one, that asks for
/// something, but for less than half of that order: a plate that is held and may turn.
Warnings half_held_faces(const Problem& problem);

/// A warning per coordinate that is called and used as time is, but counts as space because it was
/// given no role.
Warnings times_in_space(const Problem& problem);

/// A few points of a region without pattern, to try formulas at. A region of dimension 0 has one.
std::vector<std::vector<double>> some_points(const Region& part);

/// Corners of a box in so many coordinates, true where a coordinate is at its upper end: all of
/// them, or where these are too many the two outermost, their neighbors, and a thousand others.
std::vector<std::vector<bool>> some_corners(std::size_t coordinates);

/// A function of all coordinates that satisfies nothing by chance, one per field and variant; those
/// of odd variants are negative, and the later ones are larger.
ExpressionPtr arbitrary(const Problem& problem, std::size_t field, int variant);

/// An arbitrary function in the place of every field, or of the network's output where the field
/// has a hard constraint: all that the network could give. The problem is kept by reference.
FieldFormulas possible_fields(const Problem& problem, int variant);

/// Start values of the unknowns.
std::vector<double> starts(const Problem& problem);

/// A formula of the coordinates (and of normals and unknowns) at some points of a part of a region.
std::vector<double> values_on(const Region& part, const Expression& formula,
                              const std::vector<double>& unknowns);

}  // namespace pinn
