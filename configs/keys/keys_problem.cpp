// The table of keys: the names of a problem, its regions and functions.
#include "configs/keys/bind.h"

namespace pinn::config {
namespace {

/// The shapes that a region may be, an argument each.
std::vector<Key> shape_keys() {
  std::vector<Key> keys;
  using Form = ShapeArgument::Form;
  for (const ShapeKind& kind : shape_kinds())
    for (const ShapeArgument& argument : kind.arguments) {
      const std::string path = "problem.regions.*." + kind.name;
      const bool alone = argument.form == Form::corners && kind.arguments.size() == 1;
      const bool listed = argument.form == Form::points || argument.form == Form::corners;
      keys.push_back({.path = alone ? path : path + "." + argument.name,
                      .says = &argument == &kind.arguments[0] ? kind.what : argument.name,
                      .syntax = alone && kind.name == "polygon" ? syntax::corners
                                : listed                        ? syntax::points
                                : argument.form == Form::number ? syntax::constant
                                                                : syntax::constants,
                      .required = !alone && !argument.optional,
                      .fallback = argument.optional ? "none" : ""});
    }
  return keys;
}

/// Keys that may stand beside or in place of a shape.
std::vector<Key> body_keys() {
  const std::string at = "problem.regions.*.";
  return {
      {.path = at + "region",
       .says = "a formula of regions, to be moved by `transform`",
       .syntax = syntax::string},
      {.path = at + "mesh",
       .says = "a file with a closed surface of triangles: STL, OBJ, PLY or Gmsh",
       .syntax = syntax::string},
      {.path = at + "scale",
       .says = "of a mesh: what its coordinates are multiplied by",
       .syntax = syntax::constant,
       .fallback = "1.0"},
      {.path = at + "over",
       .says = "the coordinates that a shape speaks of, where these are not all of space; of an "
               "`interval` also time or a parameter",
       .syntax = syntax::strings,
       .fallback = "all of space"},
      {.path = at + "where",
       .says = "a condition on coordinates, `x > 0 and y < x^2`: a region without a surface",
       .syntax = syntax::string}};
}

/// Bodies by a function, and by points of a boundary.
std::vector<Key> implicit_keys() {
  const std::string at = "problem.regions.*.";
  return {{.path = at + "implicit.formula",
           .says = "a formula of the coordinates in space, negative inside",
           .syntax = syntax::string,
           .required = true},
          {.path = at + "implicit.lower",
           .says = "of a box that holds the body",
           .syntax = syntax::constants,
           .required = true},
          {.path = at + "implicit.upper",
           .says = "of that box",
           .syntax = syntax::constants,
           .required = true},
          {.path = at + "cloud.file",
           .says = "points of a boundary: CSV or HDF5, with a column for each coordinate of space",
           .syntax = syntax::string,
           .required = true},
          {.path = at + "cloud.normals",
           .says = "the columns of the outward normal",
           .syntax = syntax::strings,
           .required = true}};
}

/// Moves of a region, one after another.
std::vector<Key> move_keys() {
  const std::string each = "problem.regions.*.transform.#.";
  return {{.path = each + "move", .says = "a number per coordinate", .syntax = syntax::constants},
          {.path = each + "rotate",
           .says = "an angle in radians, to the left; in space about `axis`",
           .syntax = syntax::constant},
          {.path = each + "axis",
           .says = "of `rotate` in space",
           .syntax = syntax::constants,
           .fallback = "none"},
          {.path = each + "scale", .says = "a factor above 0", .syntax = syntax::constant},
          {.path = each + "mirror",
           .says = "the coordinate whose sign is reversed",
           .syntax = syntax::string},
          {.path = each + "about",
           .says = "the place that `rotate`, `scale` and `mirror` leave alone",
           .syntax = syntax::constants,
           .fallback = "the origin"},
          {.path = each + "repeat",
           .says = "how many copies there are, one `by` from the next",
           .syntax = syntax::integer,
           .range = between(1, 10000)},
          {.path = each + "by", .says = "of `repeat`", .syntax = syntax::constants}};
}

std::vector<Key> coordinate_keys() {
  return {
      {.path = "problem.coordinates.*",
       .says =
           "the inputs of the network, in the order written: `x = [a, b]`; `\"x[1:4]\"` is four",
       .syntax = syntax::interval,
       .required = true},
      {.path = "problem.coordinates.*.range",
       .says = "lower and upper end",
       .syntax = syntax::interval,
       .required = true},
      {.path = "problem.coordinates.*.role",
       .says = "`laplacian`, `div`, `grad`, `boundary` and `u_n` act on space only",
       .syntax = syntax::string,
       .fallback = "time for `t`, else space",
       .choices = {"space", "time", "parameter"}},
      {.path = "problem.coordinates.*.unit",
       .says = "written into the outputs",
       .syntax = syntax::string,
       .fallback = "none"},
  };
}

std::vector<Key> field_keys() {
  return {
      {.path = "problem.fields",
       .says = "the unknown functions: `[\"u\", \"v\"]`, or tables `[problem.fields.u]`; "
               "`\"c[1:20]\"` is twenty",
       .syntax = syntax::strings,
       .required = true},
      {.path = "problem.fields.*.unit",
       .says = "written into the outputs",
       .syntax = syntax::string,
       .fallback = "none"},
      {.path = "problem.fields.*.scale",
       .says = "the network's output times this is the field",
       .syntax = syntax::number,
       .fallback = "1.0",
       .range = above(0)},
      {.path = "problem.fields.*.inputs",
       .says = "`[\"x\"]`: a field of fewer coordinates, an unknown function of x; those of one "
               "network have the same",
       .syntax = syntax::strings,
       .fallback = "all coordinates"},
      {.path = "problem.fields.*.network",
       .says = "the network that it comes from, by its name; or one for each region, "
               "`{ steel = \"a\", air = \"b\" }`: pieces, see docs/pieces.md",
       .syntax = {"a string or a table of strings", Node::string | Node::table, 0, Node::string},
       .fallback = "the first"},
  };
}

std::vector<Key> constant_keys() {
  return {
      {.path = "problem.constants.*",
       .says = "a known number, or an expression of other constants; an array: numbers k[1], k[2], "
               "..., of arrays k[1,1], ...",
       .syntax = syntax::array_or_constant},
      {.path = "problem.constants.*.file",
       .says = "CSV, all rows, or HDF5: numbers k[1], k[2], ..., or k[1,1], ... by row and column",
       .syntax = syntax::string,
       .fallback = "none"},
      {.path = "problem.constants.*.value",
       .says = "of HDF5: the array",
       .syntax = syntax::string,
       .fallback = "that of the constant's name"},
      {.path = "problem.constants.*.*",
       .says = "`k = { steel = 50, air = 0.5 }`: what it is in each region",
       .syntax = syntax::constant},
  };
}

std::vector<Key> unknown_keys() {
  return {
      {.path = "problem.unknowns.*",
       .says = "a number to be found, by its start; an array: numbers k[1], k[2], ...; or a table",
       .syntax = syntax::array_or_constant},
      {.path = "problem.unknowns.*.start",
       .says = "where training starts",
       .syntax = syntax::constant,
       .required = true},
      {.path = "problem.unknowns.*.min",
       .says = "it stays above",
       .syntax = syntax::constant,
       .fallback = "none"},
      {.path = "problem.unknowns.*.max",
       .says = "it stays below",
       .syntax = syntax::constant,
       .fallback = "none"},
      {.path = "problem.unknowns.*.scale",
       .says = "`log` trains its logarithm: for a positive number of unknown magnitude",
       .syntax = syntax::string,
       .fallback = "linear",
       .choices = {"linear", "log"}},
      {.path = "problem.define.*",
       .says = "a named sub-expression, may use fields and derivatives",
       .syntax = syntax::string},
      {.path = "problem.define.*.*",
       .says = "`f = { steel = \"k*u_x\", air = \"0\" }`: what it is in each region",
       .syntax = syntax::constant},
  };
}

std::vector<Key> function_keys() {
  return {
      {.path = "problem.functions.*.file",
       .says = "a function from data, called as `a(x, y)`: HDF5 or CSV, relative to the problem "
               "file",
       .syntax = syntax::string,
       .required = true},
      {.path = "problem.functions.*.axes",
       .says = "of a table on a grid: its axes, in the order of the array's dimensions",
       .syntax = syntax::strings,
       .fallback = "none: one row per point"},
      {.path = "problem.functions.*.inputs",
       .says = "`{ x = \"xs\" }`: the inputs in the order of arguments, by their columns or axes",
       .syntax = syntax::string_table,
       .fallback = "the axes: coordinates in their order, then fields, then others"},
      {.path = "problem.functions.*.value",
       .says = "the column or array of its values",
       .syntax = syntax::string,
       .fallback = "the function's name"},
      {.path = "problem.functions.*.interpolation",
       .says = "`cubic` has two continuous derivatives, `linear` a slope in every cell, `nearest` "
               "none",
       .syntax = syntax::string,
       .fallback = "linear",
       .choices = {"nearest", "linear", "cubic"}},
      {.path = "problem.functions.*.outside",
       .says = "beyond the range: an `error` for what coordinates decide, the value at the edge "
               "with `clamp`, the value a period before with `periodic`",
       .syntax = syntax::string,
       .fallback = "error",
       .choices = {"error", "clamp", "periodic"}},
      later("problem.functions.*.random", "a random function", "random functions"),
      later("problem.functions.*.length", "its correlation length", "random functions"),
      later("problem.functions.*.sensors", "where it is known", "random functions"),
      later("problem.functions.*.samples", "how many of them", "random functions"),
  };
}

std::vector<Key> domain_keys() {
  return {
      {.path = "problem.domain",
       .says = "a region of space: a formula of `box` and of regions, `+` their union, `-` "
               "difference, `*` intersection",
       .syntax = syntax::string,
       .fallback = "box, of the coordinates in space",
       .came_later = true},
      {.path = "problem.regions.*",
       .says = "a set of points of space by name: a formula as for `domain`, or a shape",
       .syntax = syntax::string},
  };
}

}  // namespace

std::vector<Key> problem_keys() {
  const Key patches{.path = "problem.patches.*",
                    .says = "a name for a formula of `on`: `\"boundary(hole) and y > 0\"`",
                    .syntax = syntax::string};
  return joined({coordinate_keys(),
                 field_keys(),
                 constant_keys(),
                 unknown_keys(),
                 function_keys(),
                 domain_keys(),
                 shape_keys(),
                 body_keys(),
                 implicit_keys(),
                 move_keys(),
                 {patches}});
}

}  // namespace pinn::config
