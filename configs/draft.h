#pragma once
#include <map>
#include <string>
#include <vector>

#include "autograd/core/ranks.h"
#include "configs/findings.h"
#include "configs/node.h"
#include "solvers/problem/mistakes.h"
#include "solvers/problem/names.h"
#include "solvers/problem/text/indices.h"
#include "solvers/state/run.h"

namespace pinn::config {

/// A table of the file that stands for one thing of the run: stage 2, condition "walls".
struct Item {
  std::string path;       ///< "stage.2": where its keys stand in `tree` and in effective values
  std::string section;    ///< "stage.#": where they stand in the table of keys
  std::size_t index = 0;  ///< in run.stages or run.problem.requirements
  const Node* node = nullptr;
  std::vector<Indices> members = {};  ///< of `for`: its residuals are read once for each
};

/// A run in the making: the file as a tree, what it has been understood to say, what is wrong.
struct Draft {
  Run run;
  Node tree;
  std::vector<Declared> names;     ///< of coordinates, fields, constants, unknowns, defines
  SamplingOptions sampling;        ///< [sampling]: where requirements start from
  bool read = false;               ///< far enough to tell what the rest means
  bool counted = false;            ///< [sampling] says how many points
  std::vector<Item> requirements;  ///< in the order of the file
  std::vector<Item> stages;
  std::vector<std::string> exact;  ///< conditions that the form of the network made exact
  /// Keys of all requirements with their values in force, where some are not in the run any more.
  std::map<std::string, std::string> asked;
  /// Keys with the values that were in force when the run was begun; empty: it is new.
  std::map<std::string, std::string> before;
  Findings findings;
  Ranks* ranks = &alone();  ///< that are to train it; null: nobody is, as far as is known
};

// The parts of a problem file, in the order in which they may refer to one another. Each reads
// sound values of the tree into the run and reports what is wrong with their meaning.

/// Coordinates, fields, constants, unknowns, defines. False when so much of them is wrong that
/// there is no telling what the rest would mean.
bool read_problem(Draft& draft, Warnings& warnings);

/// The names that a declared one stands for: itself, or many of a kind. Nothing with a report at
/// `at` where it cannot be told.
std::vector<Text> names_of(Draft& draft, const Text& declared, const Node& at);
/// The entries of a table, those for many of a kind one by one: "c[i=1:20]" = "1/i" are twenty.
/// With `arrays`, an array or a file gives a value to each as well.
std::vector<Entry> entries_of(Draft& draft, const Node& table, bool arrays = false);

/// Reads `for`: a requirement whose place or points speak of an index becomes one for each of its
/// values, of others the residuals alone are repeated.
void unfold_requirements(Draft& draft);

/// The functions that come from files. False when some could not be read: formulas that call them
/// would seem to be wrong.
bool read_functions(Draft& draft);

/// The regions of space that have names, the domain, and the patches.
void read_regions(Draft& draft);
/// Checks that every patch is a part of the domain, once it is known what is periodic.
void check_patches(Draft& draft);

/// Finds the fields of a periodic condition, whose region is known.
///
///   errors   ConfigError without a place where a piece has several opposite to it
void settle_periodic(const Problem& problem, Requirement& requirement);

/// Equations, conditions and data, in the order of the file.
void read_requirements(Draft& draft, Warnings& warnings);

/// The defaults of what stages adapt while they train, and whether it fits the requirements.
void read_adaptive_stages(Draft& draft);

/// The observations of a [[data]] table. False when they could not be read.
bool read_data(Draft& draft, const Node& node, Requirement& requirement);
/// Settles the observations: what of them is missing counts for no residual that asks for it, once
/// these are read; and a column of sigmas divides them.
void settle_data(Draft& draft, const Node& node, Requirement& requirement);

/// By what density the points of a requirement on a region are drawn, or the file they stand in.
void read_points(Draft& draft, const Node& node, const Requirement& requirement,
                 SamplingOptions& sampling, Warnings& warnings);

/// Reads `integrate`: the places over which integrals run, and the region of the others, once they
/// are taken out of it. False where it could not be read.
bool read_places(Draft& draft, const Node& node, Requirement& requirement);
/// True if the text of residuals, even one that cannot be read, asks for integral(...) or
/// mean(...).
bool says_integral(const Node& residual);
/// Checks that integrals over all of a region go with what else is said, and settles by how many
/// nodes they are taken.
void settle_integrals(Draft& draft, const Node& node, Requirement& requirement,
                      SamplingOptions& sampling);

/// Part of the network that depends on coordinates and fields.
void read_network(Draft& draft, Warnings& warnings);

/// Cuts of time, and a check that what is asked can be cut.
void read_windows(Draft& draft, Warnings& warnings);
/// Windows know their own times alone: no formula may ask for fields at others.
void refuse_other_times(Draft& draft);

/// Output and reference.
void read_results(Draft& draft, Warnings& warnings);
void read_values(Draft& draft, const Node& values, Warnings& warnings);
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

/// Drops reports that follow from others: of a region or patch whose own report says what is wrong
/// nobody need hear that there is none, nor anything twice.
void drop_followers(Draft& draft);

/// True if a name may be used in --set and in outputs: letters, digits, _ and -, a letter first.
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

/// Holds every value of the tree against the table of keys: unknown and missing keys, types,
/// counts, ranges, choices, what is not built yet, options that do not apply. Values with a mistake
/// are marked as not sound.
void check_keys(Node& tree, Findings& findings);

/// Every key with its value in force; those of requirements alone.
std::map<std::string, std::string> effective_values(const Draft& draft);
std::map<std::string, std::string> requirement_values(const Draft& draft);

}  // namespace pinn::config
