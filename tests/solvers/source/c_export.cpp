#include "tests/solvers/source/c_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tests/catch.h"

namespace pinn::test {
namespace {

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

ExportedC::ExportedC(const TrainedForExport& trained, const std::string& dtype,
                     const std::string& flags)
    : ExportedRun(trained) {
  write(dtype, "u.c");
  compile(dtype, flags);
}

void ExportedC::compile(const std::string& dtype, const std::string& flags) const {
  folder().file("main.c", driver);
  std::string plain = read_file(folder() / "points.csv");
  plain = plain.substr(plain.find('\n') + 1);
  std::ranges::replace(plain, ',', ' ');
  folder().file("points.txt", plain);
  const char* const real = dtype == "float32" ? "float" : "double";
  shell(folder(), fmt::format("'{}' -std=c99 -pedantic -Wall -Wextra -Werror {} -DREAL={} "
                              "-DPOINTS={} -include u.h u.c main.c -o evaluate -lm",
                              c_compiler(), flags, real, points()));
  shell(folder(), "./evaluate < points.txt > found.txt");
}

std::vector<std::string> ExportedC::undefined_symbols() const {
  shell(folder(), fmt::format("'{}' -O2 -c u.c && nm -u u.o > symbols.txt", c_compiler()));
  std::istringstream lines(read_file(folder() / "symbols.txt"));
  std::vector<std::string> symbols;
  for (std::string kind, name; lines >> kind >> name;) symbols.push_back(name);
  return symbols;
}

ExportedC::Distance ExportedC::distance() const {
  std::istringstream text(read_file(folder() / "found.txt"));
  Found blocks(outputs(), std::vector<double>(points())), single = blocks;
  for (std::size_t p = 0; p < points(); ++p)
    for (std::size_t k = 0; k < outputs(); ++k) {
      std::string block, point;
      REQUIRE(text >> block >> point);
      blocks[k][p] = std::stod(block);
      single[k][p] = std::stod(point);
    }
  return {ExportedRun::distance(blocks), ExportedRun::distance(single)};
}

}  // namespace pinn::test
