#pragma once
#include <map>
#include <string>
#include <vector>

#include "data/files/fields.h"
#include "models/network.h"
#include "solvers/state/run.h"

namespace pinn {

class JsonObject;

/// Origin of a result, stored in every output: with it the run can be repeated.
struct RunRecord {
  std::string name;                              ///< of the problem
  std::string path;                              ///< of the problem file, when the run was started
  std::string from_folder = {};                  ///< the same, seen from the run's folder; or empty
  std::string program;                           ///< "pinn-train 0.1.0+9aed005"
  std::string instruction_set;                   ///< the program was built for
  std::string device;                            ///< the run computes on
  std::string processor = {};                    ///< of the machine, by its model; or empty
  std::string threads = {};                      ///< "4 threads", "2 ranks x 2 threads"; or empty
  std::string config;                            ///< the problem file as written
  std::vector<std::string> overrides;            ///< --set, in order
  std::string chosen = {};                       ///< by the program where the file lacks it; TOML
  std::map<std::string, std::string> effective;  ///< every key with its value in force
  std::map<std::string, std::string> hashes;     ///< SHA-256 of data and reference files
  std::string networks = {};                     ///< described in lines; empty: not known
};

/// The networks of a run, over all of time; in windows with the edges between these.
std::vector<Description> descriptions(const Run& run);

/// The part of the record that a run determines.
RunRecord record(const Run& run);

/// The record as texts by name, for /meta in every output file; and back.
///
///   errors   FileError when a text is missing
std::map<std::string, std::string> texts(const RunRecord& record);
RunRecord record(const std::map<std::string, std::string>& texts);

/// A problem file as seen from a run's folder, for `from_folder`.
std::string seen_from(const std::string& folder, const std::string& problem_file);

/// Path of the problem file of a record that was found in `folder`, wherever one stands now and
/// whether it is the folder or the whole project that was moved since. The file may be gone: other
/// files are named relative to it.
std::string problem_file(const RunRecord& record, const std::string& folder);

Provenance provenance(const RunRecord& record, const std::string& network);

/// Adds a run as it is described: name, file, coordinates, fields, constants, unknowns,
/// requirements with their places in the file, networks, stages, windows, and every key with its
/// value in force. For programs; AGENTS.md lists the entries.
void add_run(JsonObject& json, const Run& run);

/// Differences between the run that a checkpoint holds and the one that shall go on from it, as
/// "stage.1.steps: 100 -> 200". Steps, optimizer options, later stages, output, threads, device and
/// memory may change, and so may program, instruction set and device in use; physics, network,
/// points, data and the optimizers of stages begun may not.
struct Changes {
  std::vector<std::string> allowed, refused;
};
Changes changes(const RunRecord& before, const RunRecord& now, std::int64_t stages_begun);

}  // namespace pinn
