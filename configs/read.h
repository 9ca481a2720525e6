#pragma once
#include <map>
#include <string>
#include <vector>

#include "autograd/core/ranks.h"
#include "configs/override.h"
#include "solvers/problem/mistakes.h"
#include "solvers/state/run.h"

namespace pinn {

using Flag = config::Flag;

/// The beginning of a run that goes on, which it keeps: what a file leaves open may mean something
/// else by now. Empty: the run is new.
struct Begun {
  std::string chosen = {};                            ///< for it, where the file does not say; TOML
  std::map<std::string, std::string> effective = {};  ///< every key with its value in force
};

/// The text of a problem file, which is as long as one may be.
///
///   errors  ConfigError when it cannot be read, or is longer
std::string read_problem_text(const std::string& path);

/// Reads a problem file: its text, then the overrides ("stage.1.steps=200"), then the flags, each
/// over what came before. The run is complete: every default is filled in, every formula parsed,
/// every data file read.
///
/// `begun`: with what, where the run goes on; what is missing there is chosen now.
/// `ranks`: that are to train it, each within the limits of memory; null: nobody is, and memory is
/// no matter.
///
///   errors  ConfigError with every mistake in the order of the file
Run read_run(const std::string& path, const std::vector<std::string>& overrides = {},
             const std::vector<Flag>& flags = {}, const Begun& begun = {}, Ranks* ranks = &alone());

/// The same for a text that is, or was, the file at `path`: other files are relative to it. The
/// first `recorded` overrides are those the run was begun with; messages count the others from 1.
Run read_run_text(const std::string& text, const std::string& path,
                  const std::vector<std::string>& overrides = {},
                  const std::vector<Flag>& flags = {}, std::size_t recorded = 0,
                  const Begun& begun = {}, Ranks* ranks = &alone());

namespace config {

/// As read_run_text, but gives back what was found instead of throwing: a run that is whole only if
/// there are no findings.
Draft read_draft(const std::string& text, const std::string& path,
                 const std::vector<std::string>& overrides, const std::vector<Flag>& flags,
                 Warnings& warnings, std::size_t recorded = 0, const Begun& begun = {},
                 Ranks* ranks = &alone());

}  // namespace config
}  // namespace pinn
