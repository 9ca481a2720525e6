// The table of keys: what is asked of the fields, and at which points.
#include "configs/keys/bind.h"

namespace pinn::config {
namespace {

Requirement& requirement(Draft& d, std::size_t i) { return d.run.problem.requirements.at(i); }
SamplingOptions& points(Draft& d, std::size_t i) { return d.run.sampling.at(i); }
SamplingOptions& sampling(Draft& d, std::size_t) { return d.sampling; }

}  // namespace

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

/// What may stand beside or in place of a shape.
std::vector<Key> transform_keys() {
  const std::string at = "problem.regions.*.", each = at + "transform.#.";
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
       .syntax = syntax::string},
      {.path = at + "implicit.formula",
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
       .required = true},
      {.path = each + "move", .says = "a number per coordinate", .syntax = syntax::constants},
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

}  // namespace

std::vector<Key> problem_keys() {
  std::vector<Key> keys = {
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
  const std::vector<Key> shapes = shape_keys();
  keys.insert(keys.end(), shapes.begin(), shapes.end());
  const std::vector<Key> moves = transform_keys();
  keys.insert(keys.end(), moves.begin(), moves.end());
  keys.push_back({.path = "problem.patches.*",
                  .says = "a name for a formula of `on`: `\"boundary(hole) and y > 0\"`",
                  .syntax = syntax::string});
  return keys;
}

namespace {

Key name_key(const std::string& path) {
  Key key = bound({.path = path + ".name",
                   .says = "for messages, loss terms and `--set`",
                   .fallback = "kind and number, `" + path.substr(0, path.find('.')) + "_1`"},
                  requirement, &Requirement::name);
  key.get = [](const Draft& d, std::size_t i) {  // of one of many: without its indices
    return to_toml(base_of(d.run.problem.requirements.at(i).name));
  };
  return key;
}

}  // namespace

std::vector<Key> requirement_keys(const std::string& path, bool has_points) {
  std::vector<Key> keys = {
      name_key(path),
      {.path = path + ".residual",
       .says =
           "`lhs = rhs`, or an expression that vanishes; several make a system on one point set",
       .syntax = syntax::residual,
       .required = path != "condition.#"},
      {.path = path + ".for",
       .says =
           "`{ i = \"1:20\" }`: indices, each with its values; what it says holds for every one",
       .syntax = syntax::string_table,
       .fallback = "none"},
      {.path = path + ".weight",
       .says = "of its loss terms: one number or formula of the coordinates, or one per residual",
       .syntax = syntax::weights,
       .fallback = "1.0",
       .range = at_least(0),
       .get = weight_text},
      bound(
          {.path = path + ".adapt",
           .says = "whether a stage's `weighting`, `pointwise` and `causal` may change its weights",
           .came_later = true},
          requirement, &Requirement::adapt),
      {.path = path + ".quadrature",
       .says = "Gauss points of its integrals along each coordinate that they run over",
       .syntax = syntax::integer,
       .fallback = "16; over all of `on` 64, 32, 12 or 6, in one to four coordinates",
       .range = between(1, 1000),
       .came_later = true,
       .set = [](Draft& d, std::size_t i,
                 const Node& n) { requirement(d, i).quadrature = int(n.whole); },
       .get =
           [](const Draft& d, std::size_t i) {
             const int points = d.run.problem.requirements.at(i).quadrature;
             return points > 0 ? std::to_string(points) : "";
           }},
  };
  if (!has_points) return keys;
  keys.push_back({.path = path + ".on",
                  .says = "where: `\"t = 0\"`, `\"x = 1 and y < 0.5\"`, `\"boundary\"`, "
                          "`\"boundary(NAME)\"`, `\"initial\"`; a list is a union",
                  .syntax = syntax::texts,
                  .required = false,
                  .fallback = path == "equation.#" ? "the interior" : "none"});
  keys.push_back({.path = path + ".integrate",
                  .says = "coordinates over which alone `integral(e)` and `mean(e)` run, at every "
                          "point of the others",
                  .syntax = syntax::texts,
                  .fallback = "all that `on` leaves free"});
  keys.push_back(
      {.path = path + ".points",
       .says = "how many, when nothing else is said about them",
       .syntax = syntax::integer,
       .fallback = "1000, 200 on a face",
       .range = between(1, most_points),
       .set = [](Draft& d, std::size_t i, const Node& n) { points(d, i).count = int(n.whole); }});
  keys.push_back(bound({.path = path + ".points.count",
                        .says = "how many",
                        .fallback = "1000, 200 on a face",
                        .range = between(1, most_points)},
                       points, &SamplingOptions::count));
  keys.push_back(bound({.path = path + ".points.method",
                        .says = "how they are drawn",
                        .fallback = "that of [sampling]",
                        .choices = sampling_methods()},
                       points, &SamplingOptions::method));
  keys.push_back(bound({.path = path + ".points.redraw",
                        .says = "draw anew every so many steps; 0: never",
                        .fallback = "that of [sampling]",
                        .range = at_least(0)},
                       points, &SamplingOptions::redraw));
  keys.push_back({.path = path + ".points.density",
                  .says =
                      "how densely they lie, up to a factor: a formula of the coordinates above "
                      "0; means are weighted back",
                  .syntax = syntax::string,
                  .fallback = "even"});
  keys.push_back({.path = path + ".points.file",
                  .says = "they are those of a CSV or HDF5 file with a column per coordinate",
                  .syntax = syntax::string,
                  .fallback = "none"});
  keys.push_back(bound({.path = path + ".points.adaptive",
                        .says = "whether a stage's `sampling` may choose them",
                        .came_later = true},
                       points, &SamplingOptions::adaptive));
  return keys;
}

std::vector<Key> condition_keys() {
  return {
      {.path = "condition.#.periodic",
       .says = "a coordinate: both of its ends agree (instead of `residual` and `on`)",
       .syntax = syntax::string,
       .fallback = "none"},
      {.path = "condition.#.order",
       .says = "periodic conditions: derivatives up to this one agree",
       .syntax = syntax::integer,
       .fallback = "1",
       .range = between(0, max_order),
       .get = order_text},
  };
}

std::vector<Key> data_keys() {
  return {
      {.path = "data.#.file",
       .says = "HDF5 or CSV, relative to the problem file",
       .syntax = syntax::string,
       .required = true},
      {.path = "data.#.columns",
       .says =
           "`{ x = \"pos\", t = 0.5, u_obs = \"signal\" }`: every coordinate, and local names for "
           "the residual; a number is the same in all rows",
       .syntax = syntax::columns,
       .required = true},
      {.path = "data.#.sigma",
       .says = "noise of the data: the residual is divided by it; a text is the column that has it",
       .syntax = syntax::number_or_column,
       .fallback = "1.0",
       .range = above(0),
       .get = sigma_text},
      {.path = "data.#.missing",
       .says = "empty cells, `nan` and `NA`: an error, or left out of the residuals that use them",
       .syntax = syntax::string,
       .fallback = "\"error\"",
       .choices = {"error", "skip"},
       .came_later = true},
      {.path = "data.#.loss.kind",
       .says =
           "what counts of a residual: up to `width` its square, beyond it no more than its size",
       .syntax = syntax::string,
       .required = true,
       .choices = {"huber"},
       .came_later = true},
      {.path = "data.#.loss.width",
       .says = "of `huber`: in sigmas, or as the residual where there is no `sigma`",
       .syntax = syntax::number,
       .required = true,
       .range = above(0),
       .came_later = true},
  };
}

std::vector<Key> sampling_keys() {
  return {
      {.path = "sampling.count",
       .says = "points of a requirement that does not say",
       .syntax = syntax::integer,
       .fallback = "1000, 200 on a face",
       .range = between(1, most_points),
       .set = [](Draft& d, std::size_t, const Node& n) { d.sampling.count = int(n.whole); },
       .get = sampling_count_text},
      bound({.path = "sampling.method",
             .says = "how points are drawn",
             .choices = sampling_methods()},
            sampling, &SamplingOptions::method),
      bound({.path = "sampling.redraw",
             .says = "draw anew every so many steps; 0: never",
             .range = at_least(0)},
            sampling, &SamplingOptions::redraw),
  };
}

}  // namespace pinn::config
