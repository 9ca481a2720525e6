#pragma once
#include "tests/solvers/source/exported_run.h"

/// Runs that are exported as C, compiled, and held against the library.
namespace pinn::test {

/// The C compiler; empty where there is none.
std::string c_compiler();
std::string lack_of_c();

/// An exported run, compiled with these flags.
class ExportedC : public ExportedRun {
 public:
  ExportedC(const TrainedForExport& trained, const std::string& dtype, const std::string& flags);

  /// Largest distance, of all outputs, between the C file and the library, over the largest value
  /// of that output: in blocks, and point by point.
  struct Distance {
    double blocks = 0, points = 0;
  };
  Distance distance() const;

  /// Functions that the compiled C file takes from elsewhere.
  std::vector<std::string> undefined_symbols() const;
  std::string text() const { return read_file(folder() / "u.c"); }

 private:
  void compile(const std::string& dtype, const std::string& flags) const;
};

}  // namespace pinn::test
