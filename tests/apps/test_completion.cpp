// Completion by shells: the scripts of --completion, in every shell that is installed.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/apps/program.h"
#include "tests/catch.h"
#include "tests/skip.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// A folder with small.toml and the script of a shell, whose `pinn-train` is the one that was
/// built.
struct Shell {
  explicit Shell(const std::string& shell) {
    folder.file("small.toml", small_problem);
    folder.file("script", pinn_train(folder, {"--completion", shell}).out);
  }

  /// The lines that commands of a shell print, in order of the alphabet.
  std::vector<std::string> told(const std::string& shell, const std::string& commands) const {
    folder.file("ask", commands);
    const std::string line = "cd '" + folder.path + "' && PATH='" PINN_BINARY_DIR "':\"$PATH\" " +
                             shell + " ./ask > told 2>&1";
    REQUIRE(std::system(line.c_str()) == 0);
    std::istringstream text(read_file(folder / "told"));
    std::vector<std::string> lines;
    for (std::string word; std::getline(text, word);) lines.push_back(word);
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  Folder folder;
};

using Lines = std::vector<std::string>;

/// Completions by bash where its words are `words`, the last of which is being written.
Lines of_bash(const Shell& place, const std::string& words) {
  return place.told("bash", ". ./script\nCOMP_WORDS=(" + words +
                                ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_pinn_train pinn-train\n"
                                "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
}

/// The same of zsh, whose own words for it print what they are given.
Lines of_zsh(const Shell& place, const std::string& words) {
  return place.told("zsh",
                    "compdef() { true }\ncompadd() { while [[ $1 != -- ]] { shift }; shift; "
                    "print -l -- ${(M)@:#${words[CURRENT]}*} }\n_files() { true }\n. ./script\n"
                    "words=(" +
                        words + ")\nCURRENT=$#words\n_pinn_train\n");
}

Lines of_fish(const Shell& place, const std::string& line) {
  Lines lines = place.told("fish", "source script\ncomplete -C '" + line + "'\n");
  for (std::string& one : lines) one = one.substr(0, one.find('\t'));
  return lines;
}

std::string lack_of(const std::string& shell) {
  const bool there = std::system(("command -v " + shell + " > /dev/null").c_str()) == 0;
  return there ? "" : shell + " is not installed";
}

}  // namespace

TEST_CASE("keys that --set may set are those of the file that is named", "[apps]") {
  const Folder place;
  place.file("small.toml", small_problem);
  const std::string keys = pinn_train(place, {"small.toml", "--completion", "keys"}).out;
  CHECK_THAT(keys, Contains("\nstage.1.steps=\n") && Contains("\nstage.descent.steps=\n") &&
                       Contains("\nequation.poisson.points=\n") &&
                       Contains("\nnetwork.output.u=\n") && Contains("\nproblem.coordinates.x="));
  CHECK_THAT(keys, !Contains("stage.2.") && !Contains("condition.") && !Contains("*") &&
                       !Contains("#") && !Contains("poisson.points.count"));
  const std::string any = pinn_train(place, {"--completion", "keys"}).out;
  CHECK_THAT(any, Contains("\nstage.1.optimizer=adam\n") && Contains("\ncondition.1.on=\n") &&
                      Contains("\nnetwork.layers=\n") && Contains("\nreference.strict=true\n"));
}

TEST_CASE("keys of several networks have their names, and those of a run are its file's",
          "[apps]") {
  const Folder place;
  std::string two = small_problem;
  two.replace(two.find("[network]"), 9, "[[network]]\nname = \"a\"");
  place.file("two.toml", two + "[[network]]\nname = \"b\"\n");
  CHECK_THAT(pinn_train(place, {"two.toml", "--completion", "keys"}).out,
             Contains("\nnetwork.b.layers=\n") && Contains("\nnetwork.2.layers=\n") &&
                 !Contains("\nnetwork.layers"));
  place.file("small.toml", small_problem);
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  CHECK_THAT(pinn_train(place, {"runs/small", "--completion", "keys"}).out,
             Contains("\nstage.descent.steps=\n"));
}

TEST_CASE("keys are of the problem that is named, not of what an option names", "[apps]") {
  const std::string line = "pinn-train small.toml --out out --set stage.1.rat";
  for (const char* shell : {"bash", "zsh", "fish"}) {
    if (!lack_of(shell).empty()) continue;
    const Shell place(shell);
    std::filesystem::create_directory(place.folder / "out");
    const std::string of = shell;
    const Lines told = of == "bash"  ? of_bash(place, line)
                       : of == "zsh" ? of_zsh(place, line)
                                     : of_fish(place, line);
    CHECK(told == Lines{"stage.1.rate="});
  }
}

TEST_CASE("bash completes keys of a file whose name has a space in it", "[apps]") {
  const Shell place("bash");
  std::filesystem::copy(place.folder / "small.toml", place.folder / "my file.toml");
  CHECK(of_bash(place, "pinn-train --quiet 'my\\ file.toml' --set stage.descent.rat") ==
        Lines{"stage.descent.rate="});
}

TEST_CASE("bash completes options, files and keys", "[apps]") {
  if (skips(lack_of("bash"))) return;
  const Shell place("bash");
  CHECK(of_bash(place, "pinn-train --res") == Lines{"--resume"});
  CHECK(of_bash(place, "pinn-train sma") == Lines{"small.toml"});
  CHECK(of_bash(place, "pinn-train small.toml --set stage.1.rat") == Lines{"stage.1.rate="});
  CHECK(of_bash(place, "pinn-train small.toml --set stage.1.precision = float3") ==
        Lines{"float32"});
  CHECK(of_bash(place, "pinn-train small.toml --set stage.1.precision =") ==
        Lines{"", "float32", "float64"});
}

TEST_CASE("every program has a script for every shell", "[apps]") {
  const Folder folder;
  for (const std::string name : {"sweep", "report", "export", "reference"}) {
    const std::string program = PINN_BINARY_DIR "/pinn-" + name;
    for (const std::string shell : {"bash", "zsh", "fish"}) {
      const Outcome said = Program(program, {"--completion", shell}, folder.path).wait();
      INFO(said.out << said.err);
      CHECK(said.code == 0);
      CHECK_THAT(said.out, Contains("pinn-" + name) && !Contains("pinn_train") &&
                               !Contains("PROGRAM") && !Contains("FUNCTION"));
    }
    CHECK(Program(program, {"--completion", "tcsh"}, folder.path).wait().code == 2);
  }
}

TEST_CASE("bash completes keys of a sweep's file", "[apps]") {
  if (skips(lack_of("bash"))) return;
  const Shell place("bash");
  place.folder.file(
      "script", Program(PINN_BINARY_DIR "/pinn-sweep", {"--completion", "bash"}, place.folder.path)
                    .wait()
                    .out);
  const auto told = [&](const std::string& words) {
    return place.told("bash", ". ./script\nCOMP_WORDS=(" + words +
                                  ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_pinn_sweep "
                                  "pinn-sweep\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  };
  CHECK(told("pinn-sweep --see") == Lines{"--seeds"});
  CHECK(told("pinn-sweep small.toml --over stage.1.rat") == Lines{"stage.1.rate="});
}

TEST_CASE("zsh completes options and keys", "[apps]") {
  if (skips(lack_of("zsh"))) return;
  const Shell place("zsh");
  CHECK(of_zsh(place, "pinn-train --res") == Lines{"--resume"});
  CHECK(of_zsh(place, "pinn-train small.toml --set stage.descent.rat") ==
        Lines{"stage.descent.rate="});
  CHECK(of_zsh(place, "pinn-train --set stage.1.precision=float3") ==
        Lines{"stage.1.precision=float32"});
}

TEST_CASE("fish completes options, files and keys", "[apps]") {
  if (skips(lack_of("fish"))) return;
  const Shell place("fish");
  CHECK(of_fish(place, "pinn-train --res") == Lines{"--resume"});
  CHECK(of_fish(place, "pinn-train sma") == Lines{"small.toml"});
  CHECK(of_fish(place, "pinn-train small.toml --set stage.descent.rat") ==
        Lines{"stage.descent.rate="});
  CHECK(of_fish(place, "pinn-train small.toml --set stage.1.precision=float3") ==
        Lines{"stage.1.precision=float32"});
}
