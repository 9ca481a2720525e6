#include <stdlib.h>

#include <filesystem>
#include <regex>
#include <set>

#include "tests/catch.h"
#include "tests/door/opened.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

// The library as others use it: installed, found by pkg-config and CMake, the examples of
// docs/library built against it and run.

namespace {

struct Ended {
  int code = -1;
  std::string text;
};

Ended shell(const std::string& command) {
  Ended ended;
  FILE* pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "r");
  REQUIRE(pipe);
  for (int c; (c = std::fgetc(pipe)) != EOF;) ended.text += char(c);
  ended.code = WEXITSTATUS(::pclose(pipe));
  return ended;
}

bool has(const std::string& tool) { return shell("command -v " + tool).code == 0; }

/// An installation, made once, with a run of Burgers' equation in `runs`.
struct Installed {
  Installed() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "pinn-installed-XXXXXX").string();
    path = ::mkdtemp(pattern.data());  // not in memory, where systems may refuse to run programs
    const Ended ended =
        shell(std::string("cmake --install ") + PINN_BINARY_DIR + " --prefix '" + path + "/usr'");
    INFO(ended.text);
    REQUIRE(ended.code == 0);
    const std::string pc = shell("find '" + path + "' -name pinn.pc").text;
    library = std::filesystem::path(pc.substr(0, pc.find('\n'))).parent_path().parent_path();
    const std::string problem = path + "/usr/share/doc/pinn/configs/burgers.toml";
    const Ended run = shell("cd '" + path + "' && usr/bin/pinn-train '" + problem +
                            "' --quiet --set stage.1.steps=20 --set stage.2.steps=20");
    INFO(run.text);
    REQUIRE(run.code == 0);
  }
  ~Installed() { std::filesystem::remove_all(path); }
  Installed(const Installed&) = delete;
  /// Runs a command where a user of the library would.
  Ended user(const std::string& command) const {
    return shell("cd '" + path + "' && export PKG_CONFIG_PATH='" + library +
                 "/pkgconfig' LD_LIBRARY_PATH='" + library + "' LIBPINN='" + library +
                 "/libpinn.so.0' CMAKE_GENERATOR=Ninja && " + command);  // make may be absent
  }
  std::string example(const std::string& name) const {
    return "usr/share/doc/pinn/docs/library/" + name;
  }

  std::string path, library;
};

const Installed& installed() {
  static const Installed once;
  return once;
}

/// Why the library cannot be used by what a sanitizer does not watch.
std::string lack_of_strangers() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "a sanitizer's library runs in its own programs only";
#else
  return "";
#endif
}

}  // namespace

TEST_CASE("an example in C trains from memory and asks for derivatives", "[door][installed]") {
  if (skips(lack_of_strangers())) return;
  const Ended ended =
      installed().user("cc -std=c99 -Wall -Wextra -Werror " + installed().example("heat.c") +
                       " -o heat $(pkg-config --cflags --libs pinn) -lm && ./heat");
  INFO(ended.text);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.text, Contains("u_xx = ") && Contains("largest error of u"));
}

TEST_CASE("an example in C++ asks from several threads, found by CMake", "[door][installed]") {
  if (skips(lack_of_strangers())) return;
  const Installed& place = installed();
  std::filesystem::create_directories(place.path + "/project");
  write_atomically(place.path + "/project/CMakeLists.txt",
                   {std::string_view("cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\n"
                                     "find_package(pinn 0.1 REQUIRED)\n"
                                     "find_package(Threads REQUIRED)\n"
                                     "add_executable(evaluate ../usr/share/doc/pinn/docs/library/"
                                     "evaluate.cpp)\n"
                                     "target_link_libraries(evaluate pinn::pinn "
                                     "Threads::Threads)\n")});
  const Ended ended = place.user(
      "cmake -S project -B made -DCMAKE_PREFIX_PATH=\"$PWD/usr\" && cmake --build made && "
      "made/evaluate runs/burgers 'u, u_x'");
  INFO(ended.text);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.text, Contains("u_x in the middle: "));
}

TEST_CASE("an example in Fortran asks for a field", "[door][installed]") {
  if (skips(lack_of_strangers())) return;
  if (skips(has("gfortran") ? "" : "there is no gfortran")) return;
  const Ended ended =
      installed().user("gfortran -Wall -Werror " + installed().example("evaluate.f90") +
                       " -o fortran $(pkg-config --libs pinn) && "
                       "./fortran runs/burgers && ./fortran runs/none");
  INFO(ended.text);
  CHECK(ended.code == 1);
  CHECK_THAT(ended.text, Contains("u( 0.20, 0.5) = ") && Contains("there is no such folder"));
}

TEST_CASE("an example in Python asks for a field by ctypes", "[door][installed]") {
  if (skips(lack_of_strangers())) return;
  if (skips(has("python3") ? "" : "there is no python3")) return;
  const Ended ended =
      installed().user("python3 " + installed().example("evaluate.py") + " runs/burgers");
  INFO(ended.text);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.text, Contains("u(0.2, 0.5) = "));
}

TEST_CASE("what pages say of an installation from source works as they print it",
          "[door][installed]") {
  if (skips(lack_of_strangers())) return;
  const Installed& place = installed();
  for (const char* page : {"library.md", "python.md"}) {
    if (page == std::string("python.md") && !has("python3 && python3 -c 'import numpy'")) continue;
    const std::string text = read_file(std::string(PINN_SOURCE_DIR "/docs/") + page);
    const std::size_t begin = text.find("```sh\ncmake --install build/release --prefix ~/.local\n");
    REQUIRE(begin != text.npos);
    std::string commands = text.substr(begin + 6, text.find("```", begin + 6) - begin - 6);
    commands = std::regex_replace(commands, std::regex("build/release"), PINN_BINARY_DIR);
    write_atomically(place.path + "/as_printed.sh", {std::string_view(commands)});
    const Ended ended =
        shell("cd " PINN_SOURCE_DIR " && mkdir -p '" + place.path + "/home' && HOME='" +
              place.path + "/home' && export HOME && cd '" + place.path +
              "' && ln -sfn " PINN_SOURCE_DIR "/docs docs && ln -sfn " PINN_SOURCE_DIR
              "/configs configs && ln -sfn " PINN_SOURCE_DIR
              "/data data && unset LD_LIBRARY_PATH && sh -e as_printed.sh");
    INFO(page << ":\n" << ended.text);
    CHECK(ended.code == 0);
  }
}

TEST_CASE("a Python module without its library says how it is found", "[door][installed]") {
  if (skips(has("python3 && python3 -c 'import numpy'") ? "" : "there is no NumPy")) return;
  const Ended ended = shell("PINN_LIBRARY=/nowhere/libpinn.so.0 PYTHONPATH=" PINN_SOURCE_DIR
                            "/python python3 -c 'import pinn'");
  CHECK(ended.code == 1);
  CHECK_THAT(ended.text, Contains("ImportError: error: the library of pinn cannot be loaded") &&
                             Contains("name the file in PINN_LIBRARY"));
}

TEST_CASE("an example in Julia asks for a field", "[door][installed]") {
  if (skips(lack_of_strangers())) return;
  if (skips(has("julia") ? "" : "there is no julia")) return;
  const Ended ended =
      installed().user("julia " + installed().example("evaluate.jl") + " runs/burgers");
  INFO(ended.text);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.text, Contains("u(0.2, 0.5) = "));
}

TEST_CASE("links of installed pages lead to what is installed, or into the source tree",
          "[door][installed]") {
  const std::filesystem::path documents = installed().path + "/usr/share/doc/pinn";
  const std::set<std::string> of_the_source = {".ci",  "autograd",  "bench",
                                               "door", "packaging", "tests"};
  const std::regex link("\\]\\(([^)#: ]+)(#[^)]*)?\\)");
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(documents)) {
    if (entry.path().extension() != ".md") continue;
    const std::string text = read_file(entry.path().string());
    for (std::sregex_iterator one(text.begin(), text.end(), link), none; one != none; ++one) {
      const auto to = (entry.path().parent_path() / one->str(1)).lexically_normal();
      if (of_the_source.count(to.lexically_relative(documents).begin()->string()) > 0) continue;
      INFO(entry.path() << " leads to " << to);
      CHECK(std::filesystem::exists(to));
      ++found;
    }
  }
  CHECK(found > 100);
}

TEST_CASE("an installed program and library say the same version", "[door][installed]") {
  const Ended ended = installed().user("usr/bin/pinn-train --version && ls usr/share/doc/pinn");
  CHECK_THAT(ended.text, Contains(pinn_version()));
  CHECK_THAT(ended.text, Contains("README.md") && Contains("configs") && Contains("data"));
}

/// The text between backquotes in the README that begins so.
std::string line_of_readme(const std::string& beginning) {
  const std::string page = read_file(PINN_SOURCE_DIR "/README.md");
  const std::size_t from = page.find("`" + beginning) + 1;
  REQUIRE(from != 0);
  return page.substr(from, page.find('`', from) - from);
}

TEST_CASE("after a build the README's lines put the programs where the shell finds them",
          "[door][installed]") {
  const std::string home = installed().path + "/home";
  std::filesystem::create_directories(home + "/build");
  std::filesystem::create_symlink(PINN_BINARY_DIR, home + "/build/release");
  const auto after = [&](const std::string& line, const std::string& then) {
    return shell("cd '" + home + "' && export HOME='" + home + "' PATH=/usr/bin:/bin && " + line +
                 " && cd / && " + then);
  };
  const Ended found =
      after(line_of_readme("export PATH="), "command -v pinn-train && command -v pinn-sweep");
  CHECK(found.text == home + "/build/release/pinn-train\n" + home + "/build/release/pinn-sweep\n");
  const Ended own = after(line_of_readme("cmake --install ") + " > /dev/null",
                          "~/.local/bin/pinn-train --version");
  CHECK(own.code == 0);
  CHECK_THAT(own.text, Contains("pinn-train " + std::string(pinn_version())));
}

TEST_CASE("an installation has completions and the notices of what it holds of others",
          "[door][installed]") {
  const Ended shells = installed().user(
      "for p in train sweep report export reference; do cat "
      "usr/share/bash-completion/completions/pinn-$p usr/share/zsh/*/_pinn-$p "
      "usr/share/fish/vendor_completions.d/pinn-$p.fish || exit 1; done; "
      "cat usr/share/doc/pinn/LICENSE");
  INFO(shells.text);
  CHECK(shells.code == 0);
  CHECK_THAT(shells.text, Contains("_pinn_train pinn-train") && Contains("#compdef pinn-train") &&
                              Contains("complete -c pinn-sweep") && Contains("Apache License"));
  const Ended notices = installed().user("cat usr/share/doc/pinn/copyright");
  for (const char* holder : {"Frances Y. Kuo and Stephen Joe", "Maxim Shemanarev",
                             "University of Cincinnati", "Eigen", "Victor Zverovich", "Gillard"})
    CHECK_THAT(notices.text, Contains(holder));
}

TEST_CASE("an installed program has a page of the manual with its options", "[door][installed]") {
  if (skips(has("help2man") ? "" : "there is no help2man")) return;
  for (const std::string program : {"train", "export", "report", "reference"}) {
    const Ended page = installed().user("cat usr/share/man/man1/pinn-" + program + ".1");
    INFO(page.text);
    CHECK(page.code == 0);
    CHECK_THAT(page.text, Contains(".SH OPTIONS") && Contains("pinn-" + program + " \\- "));
  }
}

TEST_CASE("an example of an installed program is trained from anywhere", "[door][installed]") {
  const Ended ended = installed().user(
      "mkdir -p else/where && cd else/where && ../../usr/bin/pinn-train --example burgers > b.toml "
      "&& ../../usr/bin/pinn-train b.toml --check");
  INFO(ended.text);
  CHECK(ended.code == 0);
}
