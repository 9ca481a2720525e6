// The page of shipped problems and the files themselves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>

#include "configs/read.h"
#include "data/files/disk.h"
#include "solvers/problem/text/indices.h"
#include "tests/catch.h"
#include "tests/configs/shipped.h"

using namespace pinn;

namespace {

/// Promise of a file, as its row has it: "u 1e-6, v 1e-5"; "c[1:20] 1e-6" of many of a kind.
std::string promise(const Run& run) {
  struct Promise {
    std::vector<std::string> names;
    double error;
  };
  std::vector<Promise> all;
  const auto add = [&](const std::string& name, double error) {
    if (std::isnan(error)) return;
    const bool as_before = !all.empty() && has_indices(name) && all.back().error == error &&
                           base_of(all.back().names[0]) == base_of(name);
    if (!as_before) all.push_back({{}, error});
    all.back().names.push_back(name);
  };
  for (const ReferenceQuantity& q : run.reference.quantities) add(q.name, q.error);
  for (const ReferenceValue& v : run.reference.values) add(v.name, v.error);
  std::string text;
  for (const Promise& one : all)
    text += fmt::format("{}{} {:.0e}", text.empty() ? "" : ", ", as_kinds(one.names)[0], one.error);
  return std::regex_replace(text, std::regex("e-0"), "e-");
}

}  // namespace

TEST_CASE("the page of shipped problems has a row for each, with its promise", "[configs]") {
  const std::string page = read_file(PINN_SOURCE_DIR "/docs/problems.md");
  const std::vector<std::string> files = pinn::test::shipped_files();
  for (const std::string& file : files) {
    const Run run = read_run(file);
    INFO(run.name);
    const auto row = page.find(fmt::format("| [{0}](../configs/{0}.toml) |", run.name));
    REQUIRE(row != std::string::npos);
    const std::string line = page.substr(row, page.find('\n', row) - row);
    CHECK_THAT(line, Catch::EndsWith("| " + promise(run) + " |"));
  }
  const std::regex a_row("\\| \\[[a-z0-9_]+\\]\\(\\.\\./configs/");
  CHECK(std::distance(std::sregex_iterator(page.begin(), page.end(), a_row),
                      std::sregex_iterator()) == std::ptrdiff_t(files.size()));
}
