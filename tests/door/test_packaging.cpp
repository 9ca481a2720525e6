#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>

#include "data/files/disk.h"
#include "data/sampling/sequence.h"
#include "tests/catch.h"

using namespace pinn;
using Catch::Matchers::Contains;

// Parts of packages, as far as they can be told without making one (packaging/try.sh does).

namespace {

const std::string root = PINN_SOURCE_DIR;

/// "train" for apps/pinn_train.cpp, and so on.
std::set<std::string> programs() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/apps")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".cpp" && name.starts_with("pinn_"))
      names.insert(name.substr(5));
  }
  return names;
}

}  // namespace

TEST_CASE("every program is in the wheel, and a command of it", "[door]") {
  const std::string wheel = read_file(root + "/packaging/wheel.sh");
  const std::string commands = read_file(root + "/packaging/wheel/pinn_programs.py");
  CHECK(programs().size() >= 4);
  for (const std::string& name : programs()) {
    CHECK_THAT(wheel, Contains(" " + name + " ") || Contains(" " + name + ";"));
    CHECK_THAT(wheel, Contains("pinn-" + name + " = pinn_programs:" + name + "\n"));
    CHECK_THAT(commands, Contains("\"pinn-" + name + "\""));
  }
}

TEST_CASE("the scripts that make and try packages are shell that can be read", "[door]") {
  int scripts = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/packaging")) {
    if (entry.path().extension() != ".sh") continue;
    ++scripts;
    INFO(entry.path());
    CHECK(WEXITSTATUS(std::system(("sh -n '" + entry.path().string() + "'").c_str())) == 0);
  }
  CHECK(scripts >= 9);
}

TEST_CASE("the notices name the table and each library that is built into others", "[door]") {
  const std::string notices = read_file(root + "/packaging/copyright");
  CHECK_THAT(read_file(root + "/data/sampling/sobol.cpp"), Contains("new-joe-kuo-6.21201"));
  CHECK_THAT(notices, Contains(fmt::format("dimensions 2 to {} of", sobol_dimensions)));
  for (const char* part : {"new-joe-kuo-6.21201", "Files: agg/"})
    CHECK_THAT(notices, Contains(part));

  // Those that are opened when a program starts, or are of the build and the tests alone.
  const std::set<std::string> apart = {"Threads", "HDF5",   "PNG",    "PkgConfig",
                                       "MPI",     "Catch2", "embree", "CUDAToolkit"};
  const std::string build = read_file(root + "/cmake/libraries.cmake") +
                            read_file(root + "/cmake/cuda.cmake") +
                            read_file(root + "/cmake/tests.cmake");
  const std::regex found("(?:find_package|pkg_check_modules)\\(([A-Za-z0-9_-]+)");
  int built_in = 0;
  for (std::sregex_iterator one(build.begin(), build.end(), found), none; one != none; ++one) {
    const std::string name = (*one)[1];
    if (apart.count(name) > 0) continue;
    INFO(name << ": a paragraph of packaging/copyright, or a word of this test");
    CHECK_THAT(notices, Contains("Files: " + name + "/"));
    ++built_in;
  }
  CHECK(built_in >= 4);
}
