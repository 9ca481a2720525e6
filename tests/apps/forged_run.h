#pragma once
#include <optional>

#include "solvers/state/state.h"
#include "tests/apps/forge.h"
#include "tests/apps/program.h"

namespace pinn::test {

/// A run whose checkpoint is forged, and what the programs make of it.
class ForgedRun {
 public:
  /// Trains a small inverse problem whose second stage is `optimizer`, up to the middle of it.
  /// Or the second of two windows of time, with a ramp.
  explicit ForgedRun(const std::string& optimizer, bool in_windows = false);

  const std::vector<Forgery>& forgeries() const { return forgeries_; }

  /// Runs status, resume, --init-from and export on the forged checkpoint. Empty when each of them
  /// does what it does without the forgery, or refuses it with exit code 1 or 5; else what was
  /// found: a crash, a bug of ours, a result that changed without a word.
  std::string finding(const Forgery& forgery) const;

 private:
  /// Answer of a command, and what it leaves.
  struct Done {
    Outcome outcome;
    std::optional<TrainState> state;
    std::string table;
    std::string unreadable = {};  ///< why the checkpoint that it left cannot be read
  };
  Done resumed() const;
  Done begun() const;
  Done exported() const;
  Done shown() const;
  void restore(const std::string& image) const;

  Folder folder_;
  std::string checkpoint_, image_;  ///< as trained
  std::vector<Forgery> forgeries_;
  Done resumed_, begun_, exported_;  ///< without a forgery
};

}  // namespace pinn::test
