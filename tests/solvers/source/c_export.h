#pragma once
#include <string>
#include <vector>

#include "tests/apps/program.h"

/// Runs that are exported as C, compiled, and held against what pinn-export writes of them.
namespace pinn::test {

/// The C compiler; empty where there is none.
std::string c_compiler();
std::string lack_of_c();

/// A shipped problem or a text, trained for a few steps.
struct TrainedForC {
  std::string problem;  ///< of configs/, or TOML
  std::vector<std::string> sets = {};
  std::string fields = {};  ///< empty: those of [output]
};

/// An exported run, compiled with these flags.
class ExportedC {
 public:
  ExportedC(const TrainedForC& trained, const std::string& dtype, const std::string& flags);

  /// Largest distance, of all outputs, between the C file and the library at many points of the
  /// domain's box, over the largest value of that output: in blocks, and point by point.
  struct Distance {
    double blocks = 0, points = 0;
    std::size_t compared = 0;  ///< values
  };
  Distance distance() const;

  const Folder& folder() const { return place_; }
  /// Functions that the compiled C file takes from elsewhere.
  std::vector<std::string> undefined_symbols() const;
  std::string text() const { return read_file(place_ / "u.c"); }

 private:
  void train(const TrainedForC& trained);
  void write_points() const;
  void compile(const std::string& dtype, const std::string& flags) const;

  Folder place_;
  std::string problem_;  ///< path
  std::vector<std::string> sets_;
};

}  // namespace pinn::test
