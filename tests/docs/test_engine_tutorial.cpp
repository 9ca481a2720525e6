// docs/engine_tutorial.md, whose blocks the build makes functions of (blocks.awk).
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/catch.h"

namespace {

/// One example of a page.
struct TutorialBlock {
  int line;                 ///< where it begins
  void (*run)();            ///< what stands in it
  std::string_view prints;  ///< what the page says that it prints
};

/// Capture of what is written to std::cout while it lives.
struct Listening {
  Listening() : before(std::cout.rdbuf(out.rdbuf())) {}
  ~Listening() { std::cout.rdbuf(before); }
  std::ostringstream out;
  std::streambuf* before;
};

std::string printed_by(void (*run)()) {
  const Listening here;
  run();
  return here.out.str();
}

}  // namespace

#include "tests/docs/engine_tutorial.inc"

TEST_CASE("every example of the engine's tutorial prints what the page says", "[docs]") {
  CHECK(std::size(blocks) >= 8);
  for (const TutorialBlock& block : blocks) {
    INFO("docs/engine_tutorial.md:" << block.line);
    CHECK(!block.prints.empty());
    CHECK(printed_by(block.run) == block.prints);
  }
}
