#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/catch.h"
#include "tests/solvers/problem/texts.h"

#include "solvers/problem/words.h"

using namespace pinn;

namespace {

Declared declared_as(const std::string& kind, const std::string& name) {
  return {text(name), kind};
}

std::string name_refusal(const std::string& kind, const std::string& name) {
  return message([&] { check_names({declared_as(kind, name)}); });
}

std::string expected(const std::string& name, const std::string& what, const std::string& fix) {
  return about(name, 0, int(name.size()), what, fix);
}

}  // namespace

TEST_CASE("names are ASCII letters, digits and underscores, a letter first", "[problem][errors]") {
  for (const char* good : {"u", "T_wall", "k1", "speedOfSound", "x_1", "and_then", "Nu", "nn"})
    CHECK(name_refusal("field", good) == "no error");
  for (const char* bad : {"1k", "_u", "u-v", "u v", "u.v"})
    CHECK(name_refusal("field", bad) ==
          expected(bad, "'" + std::string(bad) + "' cannot be the name of a field",
                   "use ASCII letters, digits and underscores, a letter first"));
  CHECK(name_refusal("constant", std::string(65, 'a')) ==
        expected(std::string(65, 'a'),
                 "the constant name '" + std::string(40, 'a') + "...' has 65 characters",
                 "use at most 64"));
}

TEST_CASE("words of the language cannot be declared", "[problem][errors]") {
  const auto said = [](const std::string& name) {
    return "'" + name + "' is a word of the language and cannot be the name of a define";
  };
  for (const char* word : {"n_x", "n_", "n_e"})
    CHECK(name_refusal("define", word) ==
          expected(word, said(word),
                   "choose another name, such as ne: n_x and its kind are components of the normal "
                   "of a boundary, and u_n is the derivative along it"));
  for (const char* word : {"n", "N", "pi", "integral", "mean", "at", "jump", "boundary", "interior",
                           "initial", "residual", "and", "or"})
    CHECK(name_refusal("define", word) == expected(word, said(word), "choose another name"));
  for (const std::string& f : function_names())
    CHECK(name_refusal("define", f) ==
          expected(f, said(f), "choose another name; the functions are reserved"));
}

TEST_CASE("the manual lists the functions as the ops say them", "[problem]") {
  std::ifstream file(PINN_SOURCE_DIR "/docs/language.md");
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  const std::string rows = functions_as_markdown();
  CHECK(manual.find("| function | gives |\n|---|---|\n" + rows + "\n") != manual.npos);
  CHECK(rows.find("| `tanh(a)` | hyperbolic tangent |") != rows.npos);
  CHECK(std::ranges::count(rows, '\n') > 25);
}

TEST_CASE("a name is declared once", "[problem][errors]") {
  Declared first = declared_as("coordinate", "k");
  first.name.place.line = 2;

  CHECK(message([&] {
          check_names({first, declared_as("constant", "k")});
        }) == expected("k", "the constant 'k' is declared already, as a coordinate at p.toml:2:13",
                       "give it a name of its own"));
}

TEST_CASE("all mistakes in names are reported together, and too many names at once",
          "[problem][errors]") {
  CHECK(message([&] {
          check_names({declared_as("field", "1"), declared_as("field", "d")});
        }) == name_refusal("field", "1") + "\n" + name_refusal("field", "d"));
  const std::vector<Declared> many(1001, declared_as("constant", "a"));
  CHECK(message([&] { check_names(many); }) ==
        expected("a", "1001 names are declared", "declare at most 1000"));
}

TEST_CASE("the nearest name differs in at most a third of its letters", "[problem]") {
  const std::vector<std::string> known{"velocity", "pressure", "nu", "u"};
  CHECK(nearest("velcoity", known) == "velocity");
  CHECK(nearest("presure", known) == "pressure");
  CHECK(nearest("PRESSURE", known) == "pressure");
  CHECK(nearest("mu", known).empty());
  CHECK(nearest("temperature", known).empty());
  CHECK(nearest(std::string(100000, 'v'), known).empty());
}
