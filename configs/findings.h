#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "autograd/core/error.h"
#include "configs/node.h"

namespace pinn::config {

/// Every way in which a problem file or an override can be wrong, one per place in the code that
/// says so. The gallery in tests/configs/bad reaches all of them.
enum class Mistake {
  // the bytes
  too_large,
  not_utf8,
  control_character,
  stray_character,
  line_too_long,
  nested_too_deep,
  header_without_key,
  not_toml,
  // --set and flags
  not_key_and_value,
  unreadable_value,
  no_such_table,
  whole_table,
  override_below_value,
  override_too_deep,
  // the table of keys
  unknown_key,
  missing_key,
  not_a_table,
  not_an_array_of_tables,
  wrong_type,
  wrong_count,
  empty_value,
  not_finite,
  out_of_range,
  not_a_choice,
  key_not_yet,
  not_applicable,
  device,
  duration,
  // tables and their names
  empty_file,
  no_problem,
  no_fields,
  no_requirement,
  too_many_tables,
  bad_name,
  duplicate_name,
  network_name,
  network_twice,
  network_without_name,
  unknown_network,
  idle_network,
  network_inputs,
  network_output,
  piece_region,
  pieces,
  many_pieces,
  by_region,
  between,
  periodic_pieces,
  windows_of_pieces,
  metric_name,
  unknown_name,
  // formulas and what they add up to
  names,
  definitions,
  kind,
  kind_values,
  kind_file,
  for_values,
  for_many,
  for_names,
  for_unused,
  constant,
  coordinates,
  shape,
  shape_number,
  shape_constant,
  shape_count,
  shape_scale,
  shape_over,
  corners_file,
  where,
  implicit,
  cloud,
  transform,
  mirror,
  mesh,
  mesh_space,
  regions,
  domain,
  patches,
  region,
  residual,
  hard_constraint,
  rough_form,
  hard_name,
  soft_condition,
  output_field,
  output_name,
  value_name,
  value_region,
  value_between,
  value,
  value_nowhere,
  exact,
  quantity,
  problem,
  // what does not go together
  no_on,
  no_residual,
  order_without_periodic,
  periodic_and_more,
  periodic_region,
  periodic_weights,
  weight_count,
  weight,
  integral_mixed,
  integral_weight,
  integral_points,
  integral_nodes,
  integral_quadrature,
  integral_sequence,
  integral_windows,
  windows_elsewhere,
  integral_pieces,
  integrate_fixed,
  integrate_region,
  integrate_nothing,
  quadrature_nothing,
  network_options,
  density,
  points_file,
  file_and_points,
  adaptive_grid,
  adaptive_given,
  few_candidates,
  nothing_adaptive,
  nothing_to_weigh,
  weights_of_batches,
  drawn_directions,
  nothing_to_train,
  no_such_constant,
  ramp_by_region,
  ramp_start,
  no_time,
  windows,
  windows_length,
  initial,
  grid_and_points,
  grid_place,
  grid_constant,
  file_and_exact,
  reference_file,
  reference_coordinate,
  reference_quantity,
  reference_without_field,
  reference_columns,
  nothing_to_compare,
  error_without_reference,
  reference_value,
  reference_value_constant,
  // files and sizes
  no_such_file,
  function_inputs,
  function_axes,
  function_file,
  data_file,
  column_missing,
  no_value_there,
  column_names,
  grid_too_large,
  too_many_parameters,
  optimizer_memory,
  optimizer_precision,
  optimizer_order,
  count  // how many there are
};

/// A mistake and its place: `width` characters of a line, or a report that is complete already.
struct Finding {
  Mistake mistake;
  int rank = 0;  ///< of its source
  std::shared_ptr<const Source> source;
  int line = 0, column = 0, width = 1;
  Report report;  ///< where and excerpt are filled in when it is shown
};

/// All that is wrong with a problem file.
struct Findings {
  std::vector<Finding> all;

  /// `what` is wrong with this value; `fix` mends it.
  void add(Mistake mistake, const Node& at, std::string what, std::string fix);
  /// ... or with this key.
  void add(Mistake mistake, const Entry& at, std::string what, std::string fix);
  /// ... or with what a reader of formulas or files says about this value. A report whose place is
  /// the path of a key below `root` ("problem.fields") is given the place of that key.
  void add(Mistake mistake, const Node& at, const ConfigError& error, const Node* root = nullptr);

  /// Throws ConfigError with all of them in the order of the file, when there are any. Control and
  /// direction characters are replaced, so that a message shows what it says.
  void raise() const;
};

/// "write 'rate'" if there is a near neighbor, else "known are: a, b, c".
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

}  // namespace pinn::config
