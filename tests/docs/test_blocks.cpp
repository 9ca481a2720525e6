// Every block of TOML that a page shows is trained for a few steps, and every command is run. A
// page is followed in a folder of its own, from above to below. What a block is says its first
// line:
//
//   ```toml                               a whole problem file
//   ```toml title="rod.toml"              the same, of that name for the commands of the page, one
//                                         of which may train it
//   ```toml title="in rod.toml"           tables of a file: an earlier one of the page, one of
//                                         tests/docs/pages, or a shipped one
//   ```toml title="in rod.toml, [run]"    keys of that table
//   ```sh, bash, zsh, fish                commands; with a title a script of that name
//   ```csv title="readings.csv"           a file
//   ```text, python, cpp, c, json         no part of this test
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/docs/markdown.h"
#include "tests/docs/not_run.h"
#include "tests/docs/page_folder.h"

namespace {

using pages::Block;

struct Count {
  int problems = 0, commands = 0;
  std::set<std::string> not_run, shells_absent;
};

bool one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void train(const Block& block, const PageFolder& folder, Count& count) {
  const std::string out = ".trained_" + std::to_string(block.line);
  folder.write(".train", "pinn-train " + folder.written(block) + " --quiet --out " + out + "\n");
  CHECK(folder.told_by("sh -e", ".train") == "");
  ++count.problems;
}

/// True if it is a command that no test runs.
bool is_left_out(const std::string& line, Count& count) {
  const std::string word = line.substr(0, line.find(' '));
  for (const NotRun& row : not_run)
    if (word == row.command) return count.not_run.insert(word), true;
  return false;
}

void run(const Block& block, const PageFolder& folder, Count& count) {
  if (std::system(("command -v " + block.language + " > /dev/null").c_str()) != 0) {
    count.shells_absent.insert(block.language);
    return;
  }
  const std::string file = block.title.empty() ? ".commands" : block.title;
  folder.write(file, block.text);
  CHECK(folder.told_by(block.language + " -n", file) == "");
  std::string kept;
  std::istringstream lines(block.text);
  for (std::string line; std::getline(lines, line);) {
    if (is_left_out(line, count)) continue;
    kept += line + "\n";
    count.commands += !line.empty() && line[0] != '#';
  }
  folder.write(".commands", kept);
  CHECK(folder.told_by(block.language == "fish" ? "fish" : block.language + " -e", ".commands") ==
        "");
}

void follow(const Block& block, const std::vector<Block>& page, const PageFolder& folder,
            Count& count) {
  if (block.language == "toml" && pages::is_trained_later(block, page))
    folder.written(block), ++count.problems;
  else if (block.language == "toml")
    train(block, folder, count);
  else if (pages::is_shell(block.language))
    run(block, folder, count);
  else if (block.language == "csv")
    folder.write(block.title, block.text);
  else if (!one_of(block.language, {"text", "python", "cpp", "c", "json"}))
    FAIL_CHECK("a block begins with ```LANGUAGE, or ```LANGUAGE title=\"TITLE\"");
}

}  // namespace

TEST_CASE("every problem of a page trains, and every command runs", "[docs]") {
  Count count;
  for (const std::string& page : pages::all()) {
    const PageFolder folder(page);
    const std::vector<Block> all = pages::blocks(page, pages::text_of(page));
    for (const Block& block : all) {
      INFO(block.place() << " " << block.title << "\n" << block.text);
      try {
        follow(block, all, folder, count);
      } catch (const std::runtime_error& wrong) {
        FAIL_CHECK(wrong.what());
      }
    }
  }
  CHECK(count.problems >= 40);
  CHECK(count.commands >= 40);
  for (const NotRun& row : not_run) {
    INFO("no page shows '" << row.command << "'");
    CHECK(count.not_run.count(row.command) == 1);
  }
  for (const std::string& shell : count.shells_absent)
    WARN("no commands of " << shell << " were run: it is not installed");
}

TEST_CASE("files beside a page are of a page that there is", "[docs]") {
  std::set<std::string> known;
  for (const std::string& page : pages::all()) known.insert(files_of(page));
  for (const auto& entry :
       std::filesystem::directory_iterator(PINN_SOURCE_DIR "/tests/docs/pages")) {
    INFO(entry.path());
    CHECK(known.count(entry.path().string()) == 1);
  }
}

TEST_CASE("commands stand in blocks of commands", "[docs]") {
  for (const std::string& page : pages::all()) {
    std::istringstream lines(pages::text_of(page));
    for (std::string line; std::getline(lines, line);) {
      INFO(page << ": " << line);
      for (const char* command : {"pinn-", "build/", "cmake ", "cc ", "ctest ", "apt-get ", "pip "})
        CHECK(!line.starts_with(std::string("    ") + command));
    }
    for (const Block& block : pages::blocks(page, pages::text_of(page))) {
      INFO(block.place());
      if (block.language == "text") CHECK(!block.text.starts_with("pinn-"));
    }
  }
}
