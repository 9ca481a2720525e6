#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "autograd/core/error.h"
#include "configs/node.h"

namespace pinn::config {

/// Every way in which a problem file or an override can be wrong. The gallery in tests/configs/bad
/// has a file for each, with the message a user reads.
enum class Mistake {
  unreadable,  // the file
  too_large,   // guard: the text
  not_utf8,
  control_character,
  stray_character,
  header_without_key,
  nested_too_deep,
  line_too_long,
  not_toml,     // the TOML library
  unknown_key,  // the table of keys
  missing_key,
  wrong_type,
  wrong_count,
  out_of_range,
  not_finite,
  not_a_choice,
  not_yet,
  not_applicable,
  bad_name,  // meaning
  duplicate_name,
  unknown_name,
  bad_duration,
  conflict,
  formula,   // text that solvers/problem refuses
  problem,   // what it refuses of the problem as a whole
  bad_file,  // data and reference files
  too_many_points,
  too_many_parameters,
  override_form,  // --set and flags
  override_target,
  count  // how many there are
};

std::string to_string(Mistake mistake);

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
