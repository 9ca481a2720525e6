#pragma once
#include <string>
#include <vector>

#include "autograd/core/numbers.h"
#include "data/files/fields.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/records/fields/output.h"
#include "solvers/state/run.h"

namespace pinn {

/// Formulas as C99 text, and the header of its functions, NAME_at for one point and NAME_block for
/// many.
struct CSource {
  std::string text, header;
};

/// That of a run's best model.
///
///   status   text of the run's status.json, for the estimated errors; may be empty
///   errors   ConfigError for formulas and regions that do not fit; ConfigError for what has no C
///            text yet
CSource c_source(const Run& run, const Checkpoint& checkpoint, const std::string& status,
                 const std::string& name, const std::vector<NamedFormula>& formulas, DType dtype);

/// Name of the functions in a file: its own, without the ending that it has to have.
///
///   errors   ConfigError where it is none for C
std::string function_name(const std::string& path, const std::string& ending);

/// Writes that of formulas as a C file called after the functions, and the header beside it.
///
///   fields   names and expressions between commas; empty: those of `[output]`
///   path     ends in .c
///   errors   also ConfigError for names; FileError
Written export_c(const Run& run, const Checkpoint& checkpoint, const std::string& fields,
                 const std::string& path, DType dtype, const std::string& status);

}  // namespace pinn
