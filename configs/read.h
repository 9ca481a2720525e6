#pragma once
#include <string>
#include <vector>

#include "autograd/core/ranks.h"
#include "configs/override.h"
#include "solvers/problem/mistakes.h"
#include "solvers/train/run.h"

namespace pinn {

using Flag = config::Flag;

/// A text is read for the first time, or again for a run that has begun: its form of the fields
/// stays allowed, whatever a newer program would refuse.
enum class Occasion { first, again };

/// Reads a problem file: its text, then the overrides ("stage.1.steps=200"), then the flags, each
/// over what came before. The run is complete: every default is filled in, every formula parsed,
/// every data file read.
///
/// `chosen`: what was chosen for the run when it was begun; empty: it is chosen now.
/// `ranks`: that are to train it, each within the limits of memory; null: nobody is, and memory is
/// no matter.
///
///   errors  ConfigError with every mistake in the order of the file
Run read_run(const std::string& path, const std::vector<std::string>& overrides = {},
             const std::vector<Flag>& flags = {}, const std::string& chosen = {},
             Ranks* ranks = &alone());

/// The same for a text that is, or was, the file at `path`: other files are relative to it. The
/// first `recorded` overrides are those the run was begun with; messages count the others from 1.
Run read_run_text(const std::string& text, const std::string& path,
                  const std::vector<std::string>& overrides = {},
                  const std::vector<Flag>& flags = {}, std::size_t recorded = 0,
                  const std::string& chosen = {}, Ranks* ranks = &alone(),
                  Occasion when = Occasion::first);

namespace config {

/// As read_run_text, but gives back what was found instead of throwing: a run that is whole only if
/// there are no findings.
Draft read_draft(const std::string& text, const std::string& path,
                 const std::vector<std::string>& overrides, const std::vector<Flag>& flags,
                 Warnings& warnings, std::size_t recorded = 0, const std::string& chosen = {},
                 Ranks* ranks = &alone(), Occasion when = Occasion::first);

}  // namespace config
}  // namespace pinn
