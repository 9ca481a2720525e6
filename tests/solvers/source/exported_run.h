#pragma once
#include <string>
#include <vector>

#include "data/files/table.h"
#include "tests/apps/program.h"

/// Runs that are exported for other programs, and held against what pinn-export writes of them.
namespace pinn::test {

/// A shipped problem or a text, trained for a few steps.
struct TrainedForExport {
  std::string problem;  ///< of configs/, or TOML
  std::vector<std::string> sets = {};
  std::string fields = {};  ///< empty: those of [output]
};

/// A run, with what the library says of it at 10 000 points of the domain's box.
class ExportedRun {
 public:
  explicit ExportedRun(const TrainedForExport& trained);

  /// Exports it in another format, and says to which path.
  std::string write(const std::string& dtype, const std::string& file) const;

  /// Numbers found by other means: [outputs][points].
  using Found = std::vector<std::vector<double>>;
  /// Largest distance from the library, of all outputs, over the largest value of that output.
  double distance(const Found& found) const;

  const Folder& folder() const { return place_; }
  std::size_t points() const { return values_.rows; }
  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return values_.names.size() - inputs_; }
  /// Names and columns of coordinates, and behind these of the library's values.
  const Table& values() const { return values_; }

 private:
  void train(const TrainedForExport& trained);
  void write_points();
  void run(std::vector<std::string> arguments) const;

  Folder place_;
  std::string problem_, fields_;  ///< path, and --fields
  std::vector<std::string> sets_;
  std::size_t inputs_ = 0;
  Table values_;
};

/// A command of the shell in a folder; its output is in there, too.
void shell(const Folder& place, const std::string& command);

}  // namespace pinn::test
