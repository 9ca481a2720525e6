// Texts of others on a page.
#include "solvers/report/drawing.h"
#include "solvers/report/words.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::pages;

TEST_CASE("a text on a page turns no direction of writing and runs nothing", "[report]") {
  const std::string turned = "u\xe2\x80\xae<b>\x1b[2J \xe2\x81\xa6&";
  CHECK(escaped(turned) == "u\\xe2\\x80\\xae&lt;b&gt;\\x1b[2J \\xe2\\x81\\xa6&amp;");
  CHECK(Json().add("name", turned).text() ==
        R"({"name":"u\\xe2\\x80\\xae\u003cb\u003e\\x1b[2J \\xe2\\x81\\xa6\u0026"})");
  CHECK(escaped("\xcf\x80 \xc3\xa4\n") == "\xcf\x80 \xc3\xa4\n");
}
