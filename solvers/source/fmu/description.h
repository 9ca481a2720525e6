#pragma once
#include <string>
#include <vector>

#include "solvers/problem/problem.h"
#include "solvers/records/fields/output.h"
#include "solvers/state/run.h"

namespace pinn {

/// A variable of an FMU, numbered by its place among all.
struct FmuVariable {
  std::string name, causality;  ///< independent, input, parameter or output
  std::string unit;
  double lower = 0, upper = 0;
  std::vector<std::size_t> depends = {};  ///< of an output: the variables that it changes with

  double start() const { return lower + (upper - lower) / 2; }
};

/// An FMU as modelDescription.xml tells of it.
struct Fmu {
  int version = 3;    ///< of FMI: 2 or 3
  std::string name;   ///< an identifier of C
  std::string token;  ///< identifies the content
  /// Coordinates of the problem, time behind them where it is none of these, outputs.
  std::vector<FmuVariable> variables;
  std::size_t coordinates = 0;            ///< of the problem
  std::size_t time = 0;                   ///< place of the independent variable
  std::vector<std::string> sources = {};  ///< names of C files
};

/// Variables for formulas of a problem.
Fmu fmu_of(const Run& run, const std::vector<NamedFormula>& formulas);

/// modelDescription.xml.
std::string model_description(const Fmu& fmu);
/// buildDescription.xml of FMI 3, which tells how the sources are compiled.
std::string build_description(const Fmu& fmu);

}  // namespace pinn
