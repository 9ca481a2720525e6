#include "autograd/core/error.h"

#include "tests/catch.h"

using namespace pinn;

TEST_CASE("an error says what, where and how to mend it", "[autograd][core][errors]") {
  const EngineError e({"the seed is odd", "node 'exp'", "give an even one"});
  CHECK(std::string(e.what()) ==
        "error: the seed is odd\n  where: node 'exp'\n  fix:   give an even one");
  CHECK(e.report.fix == "give an even one");
}

TEST_CASE("empty parts of a report are left out", "[autograd][core][errors]") {
  CHECK(to_string({"what", "", "fix"}) == "error: what\n  fix:   fix");
  CHECK(to_string({"what", "a.toml:3:5", "fix", "         u_yy\n         ^^^^"}) ==
        "error: what\n  where: a.toml:3:5\n         u_yy\n         ^^^^\n  fix:   fix");
}

TEST_CASE("all mistakes of a file come in one error", "[autograd][core][errors]") {
  const ConfigError e(std::vector<Report>{{"first", "", "a"}, {"second", "", "b"}});
  CHECK(e.reports.size() == 2);
  const std::string text = e.what();
  CHECK(text.find("first") < text.find("second"));
}
