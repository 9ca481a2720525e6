#include "tests/solvers/source/exported_run.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "configs/read.h"
#include "tests/catch.h"
#include "tests/larger.h"

namespace pinn::test {

void shell(const Folder& place, const std::string& command) {
  INFO(command);
  const int code =
      std::system(fmt::format("cd '{}' && ({}) > shell.txt 2>&1", place.path, command).c_str());
  INFO(read_file(place / "shell.txt"));
  REQUIRE(code == 0);
}

ExportedRun::ExportedRun(const TrainedForExport& trained) : fields_(trained.fields) {
  train(trained);
  write_points();
  run({"runs", "--on", "points.csv", "-o", "values.csv"});
  values_ = read_csv(place_ / "values.csv", {}, true);
}

std::string ExportedRun::write(const std::string& dtype, const std::string& file) const {
  run({"runs", "--dtype", dtype, "-o", file});
  return place_ / file;
}

void ExportedRun::run(std::vector<std::string> arguments) const {
  if (!fields_.empty()) arguments.insert(arguments.end(), {"--fields", fields_});
  const Outcome outcome = pinn_export(place_, arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
}

void ExportedRun::train(const TrainedForExport& trained) {
  const bool is_text = trained.problem.find('\n') != std::string::npos;
  problem_ = is_text ? place_.file("problem.toml", trained.problem)
                     : PINN_SOURCE_DIR "/configs/" + trained.problem;
  sets_ = trained.sets;
  const Run run = read_run(problem_, sets_);
  for (std::size_t k = 0; k < run.stages.size(); ++k)
    sets_.push_back(fmt::format("stage.{}.steps=2", k + 1));
  std::vector<std::string> arguments = {problem_, "--quiet", "--out", "runs"};
  for (const std::string& set : sets_) arguments.insert(arguments.end(), {"--set", set});
  for (const char* off : {"output.trust=false", "output.report=false"})
    arguments.insert(arguments.end(), {"--set", off});
  const Outcome outcome = pinn_train(place_, arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
}

void ExportedRun::write_points() {
  const std::vector<Coordinate> coordinates = read_run(problem_, sets_).problem.coordinates;
  inputs_ = coordinates.size();
  std::string csv;
  for (const Coordinate& c : coordinates) csv += (csv.empty() ? "" : ",") + c.name;
  std::mt19937_64 random(7);
  for (int p = 0; p < 10000; ++p) {
    std::string row;
    for (const Coordinate& c : coordinates)
      row += fmt::format("{}{}", row.empty() ? "" : ",",
                         std::uniform_real_distribution(c.lower, c.upper)(random));
    csv += "\n" + row;
  }
  place_.file("points.csv", csv + "\n");
}

double ExportedRun::distance(const Found& found) const {
  REQUIRE(found.size() == outputs());
  double all = 0;
  std::size_t compared = 0;
  for (std::size_t k = 0; k < outputs(); ++k) {
    const std::vector<double>& values = values_.columns[inputs_ + k];
    REQUIRE(found[k].size() == points());
    double largest = 1e-300, most = 0;
    for (std::size_t p = 0; p < points(); ++p) {
      if (std::isnan(values[p])) continue;  // outside of the domain
      largest = larger(largest, std::fabs(values[p]));
      most = larger(most, std::fabs(found[k][p] - values[p]));
      ++compared;
    }
    UNSCOPED_INFO(
        fmt::format("{}: {:.2e} of {:.3g}", values_.names[inputs_ + k], most / largest, largest));
    all = larger(all, most / largest);
  }
  REQUIRE(compared > 0);
  return all;
}

}  // namespace pinn::test
