#include "tests/docs/problem_text.h"

#include <stdexcept>

#include "tests/catch.h"
#include "tests/docs/markdown.h"

namespace {

const char* file =
    "# a rod\n[problem]\nfields = [\"u\"]\n[[condition]]\non = \"x = 0\"\nresidual = [\n"
    "  \"u = 0\",\n  \"u_x = 0\",\n]\n[network]\nlayers = [4]\n[[stage]]\nsteps = 1\n[[stage]]\n"
    "steps = 2\n";

}  // namespace

TEST_CASE("a part of a file stands in the place of what it names", "[docs]") {
  const std::string with = with_part(file, "[network]\nlayers = [8]\n[run]\nseed = 3\n", "");
  CHECK(with.find("layers = [4]") == std::string::npos);
  CHECK(with.find("[network]\nlayers = [8]\n") != std::string::npos);
  CHECK(with.ends_with("[run]\nseed = 3\n"));
  CHECK(stages_of(with) == 2);
}

TEST_CASE("stages and networks of a part stand for all of the file", "[docs]") {
  CHECK(stages_of(with_part(file, "[[stage]]\nsteps = 3\n", "")) == 1);
  const std::string with = with_part(file, "[[network]]\nname = \"a\"\n[[network]]\n", "");
  CHECK(with.find("[[network]]\nname = \"a\"\n[[network]]\n") != std::string::npos);
  CHECK(with.find("layers") == std::string::npos);
}

TEST_CASE("other tables of many are added, and keys alone go to the first", "[docs]") {
  const std::string added = with_part(file, "[[condition]]\non = \"x = 1\"\n", "");
  CHECK(added.find("on = \"x = 0\"") < added.find("on = \"x = 1\""));
  const std::string changed = with_part(file, "residual = \"u = 1\"\n", "[[condition]]");
  CHECK(changed.find("[[condition]]\non = \"x = 0\"\nresidual = \"u = 1\"\n") != std::string::npos);
  CHECK_THROWS_AS(with_part(file, "seed = 1\n", "[run]"), std::runtime_error);
}

TEST_CASE("blocks of a page are found with their titles", "[docs]") {
  const auto blocks =
      pages::blocks("p", "a\n```toml title=\"in rod.toml\"\nx = 1\n```\n```\n```\n");
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].title == "in rod.toml");
  CHECK(blocks[0].text == "x = 1\n");
  CHECK(blocks[0].line == 2);
  CHECK(blocks[1].language.empty());
}
