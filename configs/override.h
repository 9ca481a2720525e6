#pragma once
#include <string>
#include <vector>

#include "configs/draft.h"

namespace pinn::config {

/// An argument of the command line that stands for a key: --threads 4 is run.threads = 4. Where the
/// key is a list, --fields u,u_x, its items stand between commas; where it is a table, --grid
/// x=401, so do its pairs, which go over those of the file.
struct Flag {
  std::string name;   ///< "--threads"
  std::string key;    ///< "run.threads"
  std::string value;  ///< as given
};

/// Puts `KEY=VALUE` into the tree, over what is there. KEY is a path with stages, equations,
/// conditions and data by number from 1 or by name (stage.polish.rate); VALUE is TOML, or a bare
/// word that is a string. The place in messages is --set:NUMBER:COLUMN, for those of a run's record
/// "--set of the run".
void apply_override(const std::string& override_text, int number, Node& tree, Findings& findings,
                    const std::string& name = "--set");

/// The same for a flag; its place in messages is its name.
void apply_flag(const Flag& flag, Node& tree, Findings& findings);

}  // namespace pinn::config
