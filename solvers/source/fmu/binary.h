#pragma once
#include <string>
#include <utility>
#include <vector>

#include "solvers/source/fmu/description.h"

namespace pinn {

/// Files of an FMU, by their place in the archive.
using FmuFiles = std::vector<std::pair<std::string, std::string>>;

/// Compiles the sources among the files with the `cc` of PATH, for every processor of this kind and
/// on x86-64 for those with FMA, too. Adds the binary, or returns why there is none.
///
///   errors   FileError
std::string add_binary(const Fmu& fmu, FmuFiles& files);

}  // namespace pinn
