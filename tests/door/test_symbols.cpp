#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <regex>
#include <set>

#include "tests/catch.h"
#include "tests/door/opened.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// Output of a command, and its exit code.
std::pair<int, std::string> printed(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += char(c);
  return {WEXITSTATUS(::pclose(pipe)), text};
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator m(text.begin(), text.end(), regex), end; m != end; ++m)
    found.insert((*m)[1]);
  return found;
}

const std::string library = std::string(PINN_BINARY_DIR) + "/libpinn.so.0";
const std::string header = std::string(PINN_SOURCE_DIR) + "/door/pinn.h";

}  // namespace

TEST_CASE("the library shows what its header declares, and the programs", "[door]") {
  const auto [code, symbols] = printed("nm -D --defined-only --with-symbol-versions " + library);
  if (skips(code == 0 ? "" : "there is no nm")) return;
  CHECK(matches(symbols, "\n[0-9a-f]+ [A-Z] (pinn_\\w+)@@PINN_0\\.1") ==
        matches(read_file(header), "PINN_API [^;(]*?(pinn_\\w+)\\("));
  const auto shown = matches(symbols, " [TWBDRVuiG] ([^@\n]+)");
  for (const std::string& name : shown) CHECK(name.starts_with("pinn_"));
  CHECK(shown.size() > 15);
}

TEST_CASE("the header is C99 and C++11 without a warning", "[door]") {
  const Folder place;
  place.file("c.c", "#include <pinn.h>\nint main(void) { return pinn_version() == 0; }\n");
  place.file("cc.cpp", "#include <pinn.h>\nint main() { return pinn_version() == 0; }\n");
  const std::string include = std::string("-I") + PINN_SOURCE_DIR + "/door ";
  for (const std::string& command :
       {"cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only " + include + place / "c.c",
        "c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only " + include +
            place / "cc.cpp"}) {
    const auto [code, text] = printed(command);
    INFO(command << "\n" << text);
    CHECK(code == 0);
  }
}
