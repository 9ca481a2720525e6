// Every mistake a problem file can hold, with the message a user reads. tests/configs/bad/NAME.toml
// is wrong; NAME.txt is what read_run says of it. A line "# --set KEY=VALUE" is an override.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "configs/read.h"
#include "tests/catch.h"

using namespace pinn;
namespace fs = std::filesystem;

namespace {

const std::string source = PINN_SOURCE_DIR;
const std::string gallery = source + "/tests/configs/bad/";

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> overrides_in(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("# --set ")) all.push_back(line.substr(8));
  return all;
}

std::vector<fs::path> gallery_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(gallery))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// What a user reads, with the gallery's folder left out of places.
std::string message(const fs::path& file) {
  std::string text = "no mistake was found\n";
  try {
    read_run(file.string(), overrides_in(content(file)));
  } catch (const ConfigError& error) {
    text = std::string(error.what()) + "\n";
  }
  for (std::size_t at; (at = text.find(gallery)) != std::string::npos;)
    text.erase(at, gallery.size());
  return text;
}

void note(std::set<int>& reached, const std::string& text, const std::string& path) {
  Warnings warnings;
  const auto draft = config::read_draft(text, path, overrides_in(text), {}, warnings);
  for (const auto& finding : draft.findings.all) reached.insert(int(finding.mistake));
}

/// The names of the mistakes, from the header that declares them.
std::vector<std::string> mistake_names() {
  const std::string header = content(source + "/configs/findings.h");
  const std::string list = header.substr(header.find("enum class Mistake {"));
  std::vector<std::string> names;
  const std::regex name("\n  ([a-z_0-9]+),");
  const std::string body = list.substr(0, list.find("};"));
  for (std::sregex_iterator i(body.begin(), body.end(), name), end; i != end; ++i)
    names.push_back((*i)[1]);
  return names;
}

}  // namespace

TEST_CASE("a wrong file gets exactly the message of the gallery", "[configs][errors]") {
  for (const fs::path& file : gallery_files()) {
    INFO(file.filename());
    CHECK(message(file) == content(fs::path(file).replace_extension(".txt")));
  }
}

TEST_CASE("the gallery reaches every mistake of the reader", "[configs][errors]") {
  std::set<int> reached;
  for (const fs::path& file : gallery_files()) note(reached, content(file), file.string());
  // Two are too large for files.
  note(reached, std::string((1 << 20) + 1, ' '), "large.toml");
  note(reached, "#" + std::string(1 << 16, ' '), "long.toml");

  const std::vector<std::string> names = mistake_names();
  REQUIRE(names.size() == std::size_t(config::Mistake::count));
  for (std::size_t i = 0; i < names.size(); ++i) {
    INFO(names[i]);
    CHECK(reached.count(int(i)) == 1);
  }
}

TEST_CASE("every mistake has one place in the code that reports it", "[configs][errors]") {
  std::map<std::string, int> uses;
  const std::regex use("Mistake::([a-z_0-9]+)");
  for (const auto& entry : fs::directory_iterator(source + "/configs")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string code = content(entry.path());
    for (std::sregex_iterator i(code.begin(), code.end(), use), end; i != end; ++i) ++uses[(*i)[1]];
  }
  for (const std::string& name : mistake_names()) {
    INFO(name);
    CHECK(uses[name] == 1);
  }
}

TEST_CASE("a file that is not there is a mistake of the user", "[configs][errors]") {
  CHECK_THROWS_WITH(read_run("no/such.toml"),
                    "error: the problem file 'no/such.toml' cannot be read\n"
                    "  where: no/such.toml\n"
                    "  fix:   name an existing file, such as configs/burgers.toml");
  CHECK_THROWS_AS(read_run(source), ConfigError);  // a folder
}

TEST_CASE("write the gallery's messages anew, to be read by a person", "[.update]") {
  for (const fs::path& file : gallery_files())
    std::ofstream(fs::path(file).replace_extension(".txt"), std::ios::binary) << message(file);
}
