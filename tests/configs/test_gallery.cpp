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

/// Message that a user reads, with the gallery's folder left out of places.
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

TEST_CASE("a message lists all there is, and never ends in dots", "[configs][errors]") {
  for (const fs::path& file : gallery_files()) {
    INFO(file.filename());
    CHECK_THAT(message(file), !Catch::Matchers::Contains(", ..."));
  }
}

TEST_CASE("every mistake in a problem has one place in the code that reports it",
          "[configs][errors]") {
  std::map<std::string, int> uses;
  const std::regex use("Mistake::([a-z_0-9]+)");
  for (const auto& entry : fs::recursive_directory_iterator(source + "/configs")) {
    if (entry.path().extension() != ".cpp") continue;
    if (entry.path().filename() == "axis.cpp") continue;  // of --over, which stands in no problem
    const std::string code = content(entry.path());
    for (std::sregex_iterator i(code.begin(), code.end(), use), end; i != end; ++i) ++uses[(*i)[1]];
  }
  for (const std::string& name : mistake_names()) {
    INFO(name);
    CHECK(uses[name] == 1);
  }
}

// Sentences that no problem file brings about, or none of a decent size.
const std::vector<std::string> not_of_a_file = {
    // of a file that is too long, in tests/apps/test_memory.cpp
    "leave columns or rows out",
    // warnings
    "this derivative is 0", "leave it out, or look for a misspelled name",
    "under a derivative: where it switches", "right where both sides meet without a jump",
    "has a kink", "use a smooth function, such as", "no residual uses the unknown",
    "use it in a residual, or declare it as a constant", "the equations",
    "write one equation per field", "so no window hands anything over to the next",
    "or leave out [windows]", "windows start with the network of the window before",
    "write carry = false, by which each starts anew", "the density leaves much of",
    "add a floor, as in", "is a linear table, and its second derivative is 0",
    // places of more than a dozen coordinates
    ", ... ({} in all)",
    // comments of what was chosen
    "exact by the network's form, and out of the loss", "stays in the loss, for {}", "periodic = [",
    "what was chosen", "points of the reference lie outside of the domain and are left out",
    "see that intervals and units are those of the file", "says which dimension of {} is which",
    "attach scales, or give the file", ", its coordinates in the order of the dimensions",
    // second lines of defense, behind the table of keys and the guard
    "is not UTF-8", "`on` is an empty list", "name a region, or leave `on` out", "asks for nothing",
    "give it a residual", "a periodic condition of order", "choose an order from 0 to",
    "two requirements are called", "the problem has no fields", "the problem has no equations",
    "the whole file", "write an [[equation]] with a residual", "was left unread without a reason",
    "report this as a bug", "the header-only build",
    // other kinds of values that are undefined, in tests/solvers/problem/test_undefined.cpp
    "it has no limit there", "infinite there", "or a derivative of it that",
    "write a form that has all derivatives", "abs({} - {:g}) > 1e-9", "what differs by region",
    // mistakes of a caller, in these rooms' own tests
    "was never read", "ask for it in read_table",
    // HDF5 files, in tests/data/files
    "of the array is {}, which is not finite", "remove that row: every number must be finite",
    "has {} values, but", "give every column one value per observation",
    "the columns hold no values",
    // beyond the sizes of this gallery; below, and in test_guard.cpp
    "and {} more", "this line is longer than", "break it, or put the numbers",
    "the file has {} bytes", "put numbers into a data file", "the problem file '{}' cannot be read",
    "name an existing file",
    // parts of other sentences
    "{}[[network]]", "exact in part; the rest ", "--set of the run", "requirement '{}'",
    "the normal derivative of ", "periodic in "};

/// The sentences in a source file: texts of two words or more, joined where they are split.
std::vector<std::string> sentences(const std::string& code) {
  std::vector<std::string> all;
  const std::regex comment("//[^\n]*"), literal("\"((?:[^\"\\\\\n]|\\\\.)*)\"");
  const std::string plain = std::regex_replace(code, comment, "");
  std::size_t end = 0;
  for (std::sregex_iterator i(plain.begin(), plain.end(), literal), none; i != none; ++i) {
    const std::size_t begin = std::size_t(i->position());
    const std::string between = plain.substr(end, begin - end);
    const bool joins = !all.empty() && between.find_first_not_of(" \n") == std::string::npos;
    const std::string text = std::regex_replace((*i)[1].str(), std::regex("\\\\(.)"), "$1");
    if (joins)
      all.back() += text;
    else
      all.push_back(text);
    end = begin + std::size_t(i->length());
  }
  std::erase_if(all, [](const std::string& s) {
    return s.size() < 12 || s.find(' ') == std::string::npos || s.find("{}, {}, {}") < 4;
  });
  return all;
}

/// The longest piece between the places of a format.
std::string fixed_part(const std::string& sentence) {
  static const std::regex field("\\{[^}]*\\}");
  std::string longest;
  for (std::sregex_token_iterator i(sentence.begin(), sentence.end(), field, -1), end; i != end;
       ++i)
    if (i->length() > std::ptrdiff_t(longest.size())) longest = *i;
  return longest;
}

TEST_CASE("the gallery says every sentence of the rooms that read a problem", "[configs][errors]") {
  std::string said;
  for (const auto& entry : fs::directory_iterator(gallery))
    if (entry.path().extension() == ".txt") said += content(entry.path());
  std::vector<std::string> code = {content(source + "/data/files/tables/csv.cpp"),
                                   content(source + "/data/files/tables/table.cpp")};
  const std::set<std::string> silent = {
      // reports, manuals, values at points, a long table, runs
      "schema.cpp", "examples_text.cpp", "bind.h", "coverage.cpp", "evaluate.cpp", "values.cpp",
      "differentiate.cpp", "range.cpp", "look_alikes.cpp", "functions.cpp", "policy.cpp",
      "choice.cpp", "along.cpp", "recorded.cpp",
      // of sweeps, in test_sweep.cpp
      "sweep.cpp", "axis.cpp"};
  // warnings, read in the tests of solvers/problem
  // ... and why conditions stay soft
  const std::set<std::string> warn = {"uniqueness.cpp",   "hard_constraints.cpp",
                                      "pieces.cpp",       "boundary.cpp",
                                      "meet.cpp",         "conditions.cpp",
                                      "surfaces.cpp",     "overlaps.cpp",
                                      "sheets.cpp",       "seams.cpp",
                                      "coefficients.cpp", "gauge.cpp",
                                      "powers.cpp",       "smooth.cpp",
                                      "sharp.cpp",        "inner_planes.cpp"};
  for (const char* room : {"/configs", "/solvers/problem"})
    for (const auto& entry : fs::recursive_directory_iterator(source + room))
      if (entry.path().extension() == ".cpp" && silent.count(entry.path().filename()) == 0 &&
          warn.count(entry.path().filename()) == 0 &&
          !entry.path().filename().string().starts_with("keys_"))  // manuals
        code.push_back(content(entry.path()));

  int count = 0;
  std::set<std::string> excused;
  for (const std::string& file : code)
    for (const std::string& sentence : sentences(file)) {
      const auto excuse = std::find_if(
          not_of_a_file.begin(), not_of_a_file.end(),
          [&](const std::string& part) { return sentence.find(part) != std::string::npos; });
      if (excuse != not_of_a_file.end()) {
        excused.insert(*excuse);
        continue;
      }
      INFO(sentence);
      CHECK(said.find(fixed_part(sentence)) != std::string::npos);
      ++count;
    }
  CHECK(count > 250);                             // what and fix of some 150 mistakes
  CHECK(excused.size() == not_of_a_file.size());  // no excuse outlives its sentence
}

TEST_CASE("a file that is no problem file at all gets fifty mistakes", "[configs][errors]") {
  std::string text;
  for (int i = 0; i < 70; ++i) text += "key" + std::to_string(i) + " = 1\n";
  try {
    read_run_text(text, "keys.toml");
    FAIL();
  } catch (const ConfigError& error) {
    CHECK(error.reports.size() == 51);
    CHECK(error.reports.back().what == "... and 22 more");  // 70, and three things that are missing
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
