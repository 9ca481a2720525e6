#pragma once
#include <set>
#include <string>
#include <vector>

#include "autograd/core/numbers.h"
#include "solvers/records/checkpoints/checkpoint.h"
#include "solvers/records/fields/output.h"
#include "solvers/source/parts.h"

namespace pinn {

/// The functions of a C file that others call, NAME_at and NAME_block. They take points to the
/// parts `part_0`, `part_1` ... (autograd/c_text) by windows of time and by `distances`, block by
/// block.
std::string c_entries(const std::string& name, std::size_t inputs, std::size_t outputs,
                      const SourceParts& parts, DType dtype);

/// Contents of a C file beyond its run.
struct CFileFacts {
  std::string name;  ///< of its functions
  DType dtype = DType::float64;
  std::vector<NamedFormula> formulas = {};
  std::set<std::string> libm = {};  ///< functions of C's mathematics library that it calls
  std::size_t stack = 0;            ///< bytes
  std::size_t windows = 1;          ///< of time, that have a network
  bool pieces = false;
};

/// Comment at the head of a C file: the problem, what goes in and comes out with units and ranges,
/// how far it is wrong as the run estimates that, and what made the file.
std::string c_head(const Run& run, const Checkpoint& checkpoint, const std::string& status,
                   const CFileFacts& facts);

/// The header: the functions with what they take and give.
std::string c_header(const Run& run, const CFileFacts& facts);

/// A text that ends no comment and begins none.
std::string in_comment(std::string text);

}  // namespace pinn
