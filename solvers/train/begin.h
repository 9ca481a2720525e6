#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/parallel.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/records/folder/folder.h"
#include "solvers/residual/model.h"
#include "solvers/state/run.h"
#include "solvers/state/state.h"
#include "solvers/state/windows.h"
#include "solvers/train/train.h"

namespace pinn {

/// Initial state of a new run: parameters as initialized, and nothing recorded.
TrainState first_state(const Run& run, const Model& model, const std::vector<LossTerm>& terms);

/// Columns of the numbers that are asked for, "value:drag" and, where it is known what they ought
/// to be, "error:drag".
std::vector<std::string> value_columns(const Run& run);

/// Columns that a run records: the loss and its terms at the training points; at held-out points
/// the loss, its terms, and the largest residual of each; the errors of the fields that have a
/// reference; the numbers that are asked for; the unknowns; how concentrated the residual was when
/// points were last chosen by it; the weights of the terms where they change.
std::vector<std::string> history_columns(const Run& run, const std::vector<LossTerm>& terms,
                                         const std::vector<std::string>& reference_fields);

/// Gives the state the network of another run: its best model, or else its latest; of one in
/// windows of time, that of the first. Returns the file that it came from.
///
///   is_other   parameters that fit are taken from a network that is another function of them, too
///   recorded   reads the other run again, for a network of another kind or size to be fitted to its
///              fields (transfer.h); null: such a network is an error
///   errors     ConfigError when the folder holds no checkpoint, or one of another network;
///   FileError when that has another number of parameters than its network needs
std::string adopt(TrainState& state, const Run& run, const Windows& windows,
                  const std::string& run_folder, bool is_other, const ReadAgain& recorded,
                  ThreadPool& pool);

/// Checkpoint found in a run's folder, if there is one to go on from. `tell` gets what was passed
/// over and what changed since.
///
///   errors   ConfigError when something changed that may not, FileError when its windows are not
///   those of the run
std::optional<Found> found_state(const Run& run, Found found, const std::string& folder,
                                 const std::function<void(const std::string&)>& tell);

/// State that a run goes on with, out of what was found; run, model and terms are of the window at
/// work. All ranks call it.
///
///   errors   FileError when the checkpoint's own sizes or counts are not those of the problem
TrainState resumed_state(Found& found, const Run& run, const Model& model,
                         const std::vector<LossTerm>& terms, Ranks& ranks);

/// Initial state of the next window, with what the one before ended with. Run, model and terms are
/// the next one's.
TrainState next_state(TrainState before, const Run& run, const Model& model,
                      const std::vector<LossTerm>& terms);

/// Requires what must be true of the windows of time that it says are done, before one looks at
/// that at work.
///
///   errors   FileError that names what is not
void require_windows(const Checkpoint& checkpoint, const Run& run, const std::string& file);

/// Requires that its points and weights are those of a run; run and terms are of the window at work.
///
///   errors   FileError that names what is not
void require_points(const Checkpoint& checkpoint, const Run& run,
                    const std::vector<LossTerm>& terms, const std::string& file);

/// Requires what must be true for a run to go on from it: every size is that of the problem, or of
/// the part of this rank. Run, model and terms are of the window at work.
///
///   errors   FileError that names what is not
void require_fit(const Checkpoint& checkpoint, const Run& run, const Model& model,
                 const std::vector<LossTerm>& terms, const std::string& file,
                 Ranks& ranks = alone());

/// Parameters that bring a network close to another run's fields, and what was done, in words.
struct Transfer {
  std::vector<double> parameters;
  std::string text;
};

/// Fits the networks of a model to the fields of another run that it has too, by name, and to the
/// derivatives of these that its requirements ask for: least squares at points of all requirements,
/// each quantity over its root mean square. Where this problem has more coordinates, the fields do
/// not depend on them at first; places beyond the other run's are left out.
///
///   start    [P]: parameters to begin with
///   other    the run as its checkpoint has it, and the state out of that
///   errors   ConfigError where there is no such field, coordinate or place; for pieces
Transfer transferred(const Run& run, const Model& model, std::span<const double> start,
                     const Run& other, const TrainState& state, ThreadPool& pool);

}  // namespace pinn
