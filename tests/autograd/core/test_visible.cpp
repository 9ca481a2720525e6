#include "autograd/core/error.h"

#include "tests/catch.h"

using namespace pinn;
using Catch::Matchers::Contains;

TEST_CASE("a terminal is shown control characters and does not obey them", "[autograd][core]") {
  CHECK(visible("\x1b[2J\x07\r\x7f") == "\\x1b[2J\\x07\\x0d\\x7f");
  CHECK(visible(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(visible("\xc2\x9b"
                "31m") == "\\xc2\\x9b31m");
  CHECK(visible("\xe2\x80\xae"
                "txt.exe\xe2\x81\xa6") == "\\xe2\\x80\\xaetxt.exe\\xe2\\x81\\xa6");
}

TEST_CASE("what a terminal only shows is left as it is", "[autograd][core]") {
  for (const std::string text :
       {"", "two lines\n\tand a tab", "ν = 0.01/π, “ü” – 速度 €", "\\x1b", "\xc2", "\xe2\x80"})
    CHECK(visible(text) == text);
  CHECK(visible(visible("\x1b")) == visible("\x1b"));
}

TEST_CASE("an error shows a name that would be obeyed", "[autograd][core][errors]") {
  const FileError error({"there is no '\x1b[31m'", "\x1b]0;title\x07.csv", "write \x1b", "\x1b^"});
  CHECK_THAT(error.what(), !Contains("\x1b") && !Contains("\x07") && Contains("'\\x1b[31m'") &&
                               Contains("\\x1b]0;title\\x07.csv"));
}
