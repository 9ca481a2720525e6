#pragma once
#include <string>

#include "configs/draft.h"
#include "solvers/problem/mistakes.h"

namespace pinn::config {

// The parts of a problem file, in the order in which they may refer to one another. Each reads
// sound values of the tree into the run and reports what is wrong with their meaning.

/// Coordinates, fields, constants, unknowns, defines. False when so much of them is wrong that
/// there is no telling what the rest would mean.
bool read_problem(Draft& draft, Warnings& warnings);

/// Equations, conditions and data, in the order of the file.
void read_requirements(Draft& draft, Warnings& warnings);

/// The observations of a [[data]] table. False when they could not be read.
bool read_data(Draft& draft, const Node& node, Requirement& requirement);

/// What of the network depends on coordinates and fields.
void read_network(Draft& draft, Warnings& warnings);

/// Output and reference.
void read_results(Draft& draft, Warnings& warnings);
void read_reference(Draft& draft, const Node& reference, Warnings& warnings);

/// The file a value names, relative to the problem file; empty, with a report, when there is none.
/// Its hash goes into the run.
std::string resolved_file(Draft& draft, const Node& value);

/// The number of the coordinate or field that a string or a key names, or -1 with a report.
int coordinate_named(Draft& draft, const Node& string);
int coordinate_named(Draft& draft, const Entry& key);
int field_named(Draft& draft, const Entry& key);
/// The same for a field, a define, or a derivative of one; null with a report.
ExpressionPtr quantity_named(Draft& draft, const Entry& key);

/// Whether a name may be used in --set and in outputs: letters, digits, _ and -, a letter first.
bool is_plain_name(const std::string& name);

/// Calls a reader of formulas, files or options; a ConfigError becomes findings of this kind. False
/// when it threw one.
template <class Act> bool reading(Draft& draft, const Node& at, Mistake mistake, Act act) {
  try {
    act();
    return true;
  } catch (const ConfigError& error) {
    draft.findings.add(mistake, at, error, &draft.tree);
    return false;
  }
}

}  // namespace pinn::config
