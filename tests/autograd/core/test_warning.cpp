#include "autograd/core/error.h"

#include <vector>

#include "tests/catch.h"

using namespace pinn;

TEST_CASE("a sink takes each warning once, the innermost one all of them", "[autograd][core]") {
  std::vector<std::string> outer, inner;
  const WarningSink takes([&](const std::string& text) { outer.push_back(text); });
  warn("a");
  {
    const WarningSink nested([&](const std::string& text) { inner.push_back(text); });
    warn("a");
    warn("a");
    warn("b");
  }
  warn("a");
  warn("c");
  CHECK(outer == std::vector<std::string>{"a", "c"});
  CHECK(inner == std::vector<std::string>{"a", "b"});
}
