#include "tests/solvers/source/c_export.h"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <sstream>

#include "configs/read.h"
#include "data/files/table.h"
#include "tests/catch.h"

namespace pinn::test {
namespace {

constexpr int point_count = 10000;

/// Program that reads points and prints the outputs of each, in blocks and by themselves; the
/// compiler is told to include u.h.
constexpr const char* driver = R"(#include <stdio.h>
enum { n = POINTS };
static REAL x[u_inputs][n], y[u_outputs][n];
int main(void) {
  const REAL* in[u_inputs];
  REAL* out[u_outputs];
  for (int i = 0; i < u_inputs; ++i) in[i] = x[i];
  for (int k = 0; k < u_outputs; ++k) out[k] = y[k];
  for (int p = 0; p < n; ++p)
    for (int i = 0; i < u_inputs; ++i) {
      double number;
      if (scanf("%lf", &number) != 1) return 1;
      x[i][p] = (REAL)number;
    }
  u_block(n, in, out);
  for (int p = 0; p < n; ++p) {
    REAL at[u_inputs], one[u_outputs];
    for (int i = 0; i < u_inputs; ++i) at[i] = x[i][p];
    u_at(at, one);
    for (int k = 0; k < u_outputs; ++k) printf("%.17g %.17g\n", (double)y[k][p], (double)one[k]);
  }
  return 0;
}
)";

/// A command of the shell in a folder; its output is in there, too.
void shell(const Folder& place, const std::string& command) {
  INFO(command);
  const int code =
      std::system(fmt::format("cd '{}' && ({}) > shell.txt 2>&1", place.path, command).c_str());
  INFO(read_file(place / "shell.txt"));
  REQUIRE(code == 0);
}

}  // namespace

std::string c_compiler() {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char* name : {"/cc", "/gcc"})
      if (::access((folder + name).c_str(), X_OK) == 0) return folder + name;
  return {};
}
std::string lack_of_c() { return c_compiler().empty() ? "there is no C compiler" : ""; }

ExportedC::ExportedC(const TrainedForC& trained, const std::string& dtype,
                     const std::string& flags) {
  train(trained);
  write_points();
  std::vector<std::string> arguments = {"runs", "--dtype", dtype, "-o", "u.c"};
  std::vector<std::string> values = {"runs", "--on", "points.csv", "-o", "values.csv"};
  if (!trained.fields.empty())
    for (std::vector<std::string>* all : {&arguments, &values})
      all->insert(all->end(), {"--fields", trained.fields});
  for (const auto& all : {arguments, values}) {
    const Outcome run = pinn_export(place_, all);
    INFO(run.err);
    REQUIRE(run.code == 0);
  }
  compile(dtype, flags);
}

void ExportedC::train(const TrainedForC& trained) {
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

void ExportedC::write_points() const {
  const std::vector<Coordinate> coordinates = read_run(problem_, sets_).problem.coordinates;
  std::string csv, plain;
  for (const Coordinate& c : coordinates) csv += (csv.empty() ? "" : ",") + c.name;
  std::mt19937_64 random(7);
  for (int p = 0; p < point_count; ++p) {
    std::string row;
    for (const Coordinate& c : coordinates)
      row += fmt::format("{}{}", row.empty() ? "" : ",",
                         std::uniform_real_distribution(c.lower, c.upper)(random));
    csv += "\n" + row;
  }
  place_.file("points.csv", csv + "\n");
  plain = csv.substr(csv.find('\n') + 1) + "\n";
  std::ranges::replace(plain, ',', ' ');
  place_.file("points.txt", plain);
}

void ExportedC::compile(const std::string& dtype, const std::string& flags) const {
  std::string main = driver;
  place_.file("main.c", main);
  const char* const real = dtype == "float32" ? "float" : "double";
  shell(place_, fmt::format("'{}' -std=c99 -pedantic -Wall -Wextra -Werror {} -DREAL={} "
                            "-DPOINTS={} -include u.h u.c main.c -o evaluate -lm",
                            c_compiler(), flags, real, point_count));
  shell(place_, "./evaluate < points.txt > found.txt");
}

std::vector<std::string> ExportedC::undefined_symbols() const {
  shell(place_, fmt::format("'{}' -O2 -c u.c && nm -u u.o > symbols.txt", c_compiler()));
  std::istringstream lines(read_file(place_ / "symbols.txt"));
  std::vector<std::string> symbols;
  for (std::string kind, name; lines >> kind >> name;) symbols.push_back(name);
  return symbols;
}

ExportedC::Distance ExportedC::distance() const {
  const Table table = read_csv(place_ / "values.csv", {}, true);
  const std::size_t inputs = read_run(problem_, sets_).problem.coordinates.size();
  const std::size_t outputs = table.names.size() - inputs;
  std::istringstream found(read_file(place_ / "found.txt"));
  std::vector<double> largest(outputs), blocks(outputs), points(outputs);
  Distance all;
  for (std::size_t p = 0; p < table.rows; ++p)
    for (std::size_t k = 0; k < outputs; ++k) {
      std::string block, point;
      REQUIRE(found >> block >> point);
      const double value = table.columns[inputs + k][p];
      if (std::isnan(value)) continue;  // outside of the domain
      largest[k] = std::max(largest[k], std::fabs(value));
      const auto add = [&](double& most, double x) {
        if (!(std::fabs(x - value) <= most)) most = std::fabs(x - value);
      };
      add(blocks[k], std::stod(block));
      add(points[k], std::stod(point));
      ++all.compared;
    }
  for (std::size_t k = 0; k < outputs; ++k) {
    const double size = std::max(largest[k], 1e-300);
    UNSCOPED_INFO(
        fmt::format("{}: {:.2e} of {:.3g}", table.names[inputs + k], blocks[k] / size, largest[k]));
    all.blocks = std::max(all.blocks, blocks[k] / size);
    all.points = std::max(all.points, points[k] / size);
  }
  return all;
}

}  // namespace pinn::test
