// The table of keys: what is asked of the fields, and at which points.
#include "configs/keys/bind.h"

namespace pinn::config {
namespace {

Requirement& requirement(Draft& d, std::size_t i) { return d.run.problem.requirements.at(i); }
SamplingOptions& points(Draft& d, std::size_t i) { return d.run.sampling.at(i); }
SamplingOptions& sampling(Draft& d, std::size_t) { return d.sampling; }

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

std::vector<Key> common_keys(const std::string& path) {
  return {
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
}

/// Places where it is asked.
std::vector<Key> place_keys(const std::string& path) {
  std::vector<Key> keys;
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
  return keys;
}

/// Points at which it is asked.
std::vector<Key> point_keys(const std::string& path) {
  std::vector<Key> keys;
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

}  // namespace

std::vector<Key> requirement_keys(const std::string& path, bool has_points) {
  if (!has_points) return common_keys(path);
  return joined({common_keys(path), place_keys(path), point_keys(path)});
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
       .fallback = "the highest order of that coordinate in the equations less one, at least 1",
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
