#pragma once
#include <functional>
#include <optional>

#include "solvers/residual/model.h"
#include "solvers/train/files/folder.h"
#include "solvers/train/run.h"
#include "solvers/train/run/state.h"

namespace pinn {

/// Where a new run begins: parameters as initialized, and nothing recorded.
TrainState first_state(const Run& run, const Model& model, const std::vector<LossTerm>& terms);

/// What a run records: the loss and its terms at the training points; at held-out points the loss,
/// its terms, and the largest residual of each; the errors of the fields that have a reference; the
/// unknowns; how concentrated the residual was when points were last chosen by it; the weights of
/// the terms where they change.
std::vector<std::string> history_columns(const Run& run, const std::vector<LossTerm>& terms,
                                         const std::vector<std::string>& reference_fields);

/// Gives the state the network of another run: its best model, or else its latest. Returns the file
/// that it came from.
///
///   errors   ConfigError when the folder holds no checkpoint, or one of another network;
///   FileError when that has another number of parameters than its network needs
std::string adopt(TrainState& state, const Model& model, const std::string& run_folder);

/// Where a run goes on: the newest good checkpoint of its folder, if there is one. `tell` gets what
/// was passed over and what changed since.
///
///   errors   ConfigError when something changed that may not, FileError when the checkpoint's own
///   sizes or counts are not those of the problem
std::optional<TrainState> resumed_state(const Run& run, const Model& model,
                                        const std::vector<LossTerm>& terms, RunFolder& folder,
                                        const std::function<void(const std::string&)>& tell);

}  // namespace pinn
