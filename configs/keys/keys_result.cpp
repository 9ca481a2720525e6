// The table of keys: memory, outputs and the reference.
#include "configs/keys/bind.h"

namespace pinn::config {
namespace {

OutputOptions& output(Draft& d, std::size_t) { return d.run.output; }
SavedOptions& memory(Draft& d, std::size_t) { return d.run.memory; }

std::vector<Key> memory_keys() {
  return {
      bound(
          {.path = "memory.saved",
           .says = "what becomes of tensors saved for the backward pass: kept, moved to the "
                   "host's memory or a disk, rounded, or computed again; the compiled step keeps "
                   "or rounds them",
           .choices = {"keep", "cpu", "disk", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2", "recompute"}},
          memory, &SavedOptions::kind),
      bound({.path = "memory.threshold",
             .says = "bytes of the smallest tensor that is moved or rounded",
             .range = between(0, many)},
            memory, &SavedOptions::threshold),
      bound({.path = "memory.device_limit",
             .says = "the most bytes of a GPU's memory to take; 0: as much as there is",
             .range = between(0, 1e15)},
            run, &RunOptions::device_limit),
  };
}

std::vector<Key> output_keys() {
  return {
      {.path = "output.grid",
       .says = "`{ x = 201, t = 101 }`: points per coordinate, at most 10 million in all; "
               "`{ x = 201, t = 1.0 }`, `{ x = \"pi/2\" }`: a float or a text is a place, where "
               "the grid is cut",
       .syntax = syntax::grid,
       .fallback = "101 per coordinate; where that is too many, of the first two",
       .range = {.lower = 2, .upper = 1e7, .of_integers = true},
       .get = grid_text},
      {.path = "output.points",
       .says = "a file of points instead of a grid",
       .syntax = syntax::string,
       .fallback = "none"},
      {.path = "output.fields",
       .says =
           "what to write, each once: fields, derivatives, expressions, `residual` (all of them)",
       .syntax = syntax::strings,
       .fallback = "all fields",
       .get = output_fields_text},
  };
}

std::vector<Key> record_keys() {
  return {
      bound({.path = "output.training_points",
             .says = "also write the points at which the last step was trained, and their weights"},
            output, &OutputOptions::training_points),
      bound({.path = "output.trust",
             .says = "at the end, tell what is known without a reference: residuals by place, an "
                     "estimate of the error, standard errors of unknowns; it takes seconds"},
            output, &OutputOptions::trust),
      bound({.path = "output.report",
             .says = "at the end, write `report.html` into the run's folder: a page to look at",
             .came_later = true},
            output, &OutputOptions::report),
      bound({.path = "output.metrics",
             .says = "`csv`: the records of the training as `metrics.csv`, too, a table beside "
                     "`metrics.jsonl`",
             .choices = {"jsonl", "csv"},
             .came_later = true},
            output, &OutputOptions::metrics),
      bound({.path = "output.tensorboard",
             .says = "write the records of the training also as event files, for TensorBoard",
             .came_later = true},
            output, &OutputOptions::tensorboard),
      {.path = "output.values.*.value",
       .says =
           "a number by name: `integral(e)`, `mean(e)`, `max(e)`, `min(e)` over `on`, `at(e, x = "
           "1, t = 0)`; constants, unknowns, and arithmetic of all these",
       .syntax = syntax::string,
       .required = true},
      {.path = "output.values.*.on",
       .says = "where it is taken, as in a condition; all coordinates count, time too",
       .syntax = syntax::texts,
       .fallback = "the interior"},
  };
}

std::vector<Key> reference_keys() {
  return {
      {.path = "reference.file",
       .says = "a solution to compare with, CSV or HDF5, relative to the problem file",
       .syntax = syntax::string,
       .fallback = "none"},
      {.path = "reference.columns",
       .says =
           "`{ x = \"pos\", u = \"velocity\" }`: columns of the file with other names than here",
       .syntax = syntax::string_table,
       .fallback = "as named here"},
      {.path = "reference.exact.*",
       .says =
           "or a formula per field, derivative or define: `{ u = \"sin(x)\", u_x = \"cos(x)\" }`",
       .syntax = syntax::string},
      {.path = "reference.gauge",
       .says = "`\"mean\"`: fields are known up to a constant, so means are taken out before",
       .syntax = syntax::string,
       .fallback = "none",
       .choices = {"mean"},
       .get = gauge_text},
      {.path = "reference.gauge.mean",
       .says = "`[\"x\", \"y\"]`: up to a function of the other coordinates, as a pressure may be",
       .syntax = syntax::strings,
       .required = true},
      {.path = "reference.error.*",
       .says = "the promised relative L2 error of each, or relative error of a value; a run that "
               "breaks it says so at its end",
       .syntax = syntax::number,
       .range = above(0)},
      {.path = "reference.values.*",
       .says = "what a number of `[output.values]`, or an unknown, ought to be; `error` may "
               "promise it, "
               "relative to this",
       .syntax = syntax::constant},
      {.path = "reference.strict",
       .says = "a run that breaks a promise ends with exit code 8, as with `--strict`",
       .syntax = syntax::boolean,
       .fallback = "false"},
  };
}

}  // namespace

std::vector<Key> result_keys() {
  return joined({memory_keys(), output_keys(), record_keys(), reference_keys()});
}

}  // namespace pinn::config
