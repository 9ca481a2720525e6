#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "tests/architecture/tree.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"
#include "tests/skip.h"

namespace {

struct Closing {
  std::string line;  ///< the last one
  int code = -1;
};

struct Said {
  int code = -1;
  std::string text;
};
Said shell(const std::string& command) {
  FILE* const pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "r");
  REQUIRE(pipe);
  Said said;
  for (int c; (c = std::fgetc(pipe)) != EOF;) said.text += char(c);
  said.code = WEXITSTATUS(::pclose(pipe));
  return said;
}

/// How .ci/run ends where the README's test command is this one.
Closing ci(const Folder& place, const std::string& command) {
  std::filesystem::create_directory(place / ".ci");
  std::filesystem::copy(root() / ".ci/run", place / ".ci/run");
  place.file("README.md", "```sh\n" + command + " # --preset tests\n```\n");
  FILE* const pipe = ::popen(("'" + place.path + "/.ci/run' 2>&1").c_str(), "r");
  REQUIRE(pipe);
  Closing closing;
  char line[1000];
  while (std::fgets(line, sizeof line, pipe)) closing.line = line;
  closing.code = WEXITSTATUS(::pclose(pipe));
  return closing;
}

/// Tests of CTest that print texts and end with a code: two pass, one fails with `code`, three are
/// skipped.
void write_tests(const Folder& place, int code) {
  std::string text;
  for (const char* name : {"a", "b"}) text += std::string("add_test(") + name + " true)\n";
  text += "add_test(c sh -c \"exit " + std::to_string(code) + "\")\n";
  for (const char* name : {"d", "e (Skipped)", "99 tests failed out of 100"})
    text += "add_test([[" + std::string(name) + "]] echo \"test skipped: nothing\")\n" +
            "set_tests_properties([[" + name +
            "]] PROPERTIES SKIP_REGULAR_EXPRESSION \"test skipped:\")\n";
  place.file("CTestTestfile.cmake", text);
}

}  // namespace

TEST_CASE("CI ends with how many tests passed, failed and were skipped", "[architecture]") {
  const int code = GENERATE(0, 1);
  const Folder place;
  write_tests(place, code);
  const Closing closing = ci(place, "ctest --output-on-failure");
  CHECK(closing.line ==
        (code == 0 ? "3 passed, 0 failed, 3 skipped\n" : "2 passed, 1 failed, 3 skipped\n"));
  CHECK((closing.code == 0) == (code == 0));
}

TEST_CASE("CI that does not come to its tests has failed", "[architecture]") {
  const int code = GENERATE(0, 1);
  const Folder place;
  const Closing closing = ci(place, code == 0 ? "true" : "false");
  CHECK(closing.line == "0 passed, 1 failed, 0 skipped\n");
  CHECK(closing.code == 1);
}

TEST_CASE("run by a plain user, .ci/setup prints a line to paste, with all that is missing",
          "[architecture]") {
  const Folder place;
  std::filesystem::create_directory(place / ".ci");
  std::filesystem::copy(root() / ".ci/setup", place / ".ci/setup");
  std::filesystem::create_directory(place / "tools");
  const auto tool = [&](const std::string& name, const std::string& does) {
    place.file("tools/" + name, "#!/bin/sh\n" + does + "\n");
    std::filesystem::permissions(place / ("tools/" + name), std::filesystem::perms::owner_all);
  };
  tool("id", "echo 1000");
  tool("cmake", "exit 1");
  tool("dpkg-query", "case \"$*\" in *libfmt-dev) echo install ok installed;; *) exit 1;; esac");
  tool("apt-get", "echo installed by a plain user; exit 1");
  const Said said = shell("cd '" + place.path + "' && PATH=\"$PWD/tools:$PATH\" .ci/setup");
  INFO(said.text);
  CHECK(said.code == 1);
  CHECK_THAT(said.text, Catch::Contains("sudo apt-get update && sudo apt-get install --yes "
                                        "--no-install-recommends g++ cmake ninja-build ") &&
                            Catch::Contains(" libhdf5-dev ") && !Catch::Contains(" libfmt-dev") &&
                            !Catch::Contains("installed by a plain user"));
}

TEST_CASE("tests find no tool that a fresh machine lacks", "[architecture]") {
  const std::string path = std::getenv("PATH");
  const bool by_ctest = path.starts_with(PINN_BINARY_DIR "/tests/absent:");
  if (skips(by_ctest ? "" : "this program was not started by ctest")) return;
  for (const char* tool : {"make", "git"}) {
    INFO(tool);
    CHECK(WEXITSTATUS(std::system((std::string(tool) + " --version 2>/dev/null").c_str())) == 127);
  }
}
