#pragma once
#include <string>
#include <utility>
#include <vector>

#include "data/files/fields.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/source/fmu/description.h"
#include "solvers/state/run.h"

namespace pinn {

/// The functions of FMI of one version in C, over the numbers (description.h) and the functions of
/// the fields.
std::string fmi_text(int version);

/// Writes formulas of a run's best model as an FMU for model exchange and co-simulation, without
/// states: sources, and the binary for this machine where `cc` is there to make it.
///
///   fields    names and expressions between commas; empty: those of `[output]`
///   path      ends in .fmu
///   version   of FMI: 2 or 3
///   status    text of the run's status.json, for the estimated errors; may be empty
///   errors    as export_c (solvers/source/c_file.h); also ConfigError for formulas whose
///             derivatives have too high an order
///   source    FMI 3.0.2 and FMI 2.0.5, https://fmi-standard.org
Written export_fmu(const Run& run, const Checkpoint& checkpoint, const std::string& fields,
                   const std::string& path, int version, const std::string& status);

/// Files of an FMU, by their place in the archive.
using FmuFiles = std::vector<std::pair<std::string, std::string>>;

/// Compiles the sources among the files with the `cc` of PATH, for every processor of this kind and
/// on x86-64 for those with FMA, too. Adds the binary, or returns why there is none.
///
///   errors   FileError
std::string add_binary(const Fmu& fmu, FmuFiles& files);

}  // namespace pinn
