#include "configs/read.h"
#include "tests/catch.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

Run heat(const std::string& windows, const std::string& condition = "t = 1") {
  return read_run_text(
      "[problem]\ncoordinates = { x = [0, 1], t = [1, 3] }\nfields = [\"u\"]\n"
      "constants = { third = \"2/3\" }\n"
      "[[equation]]\nresidual = \"u_t = u_xx\"\n"
      "[[condition]]\non = \"" +
          condition +
          "\"\nresidual = \"u = sin(pi*x)\"\n"
          "[[stage]]\noptimizer = \"adam\"\nsteps = 1\n" +
          windows,
      "heat.toml");
}

std::string warnings(const Run& run) {
  std::string all;
  for (const Report& warning : run.warnings) all += warning.what + "; " + warning.fix + "\n";
  return all;
}

}  // namespace

TEST_CASE("windows are read by their number or their length", "[configs][windows]") {
  CHECK(heat("").windows.edges.empty());
  CHECK(heat("[windows]\ncount = 1\n").windows.edges.empty());
  CHECK(heat("[windows]\ncount = 4\n").windows.edges == std::vector<double>{1.5, 2, 2.5});
  CHECK(heat("[windows]\nlength = 0.75\n").windows.edges == std::vector<double>{1.75, 2.5});
  CHECK(heat("[windows]\nlength = \"third\"\n").windows.edges.size() == 2);  // not 3, by rounding
  CHECK(heat("[windows]\ncount = 2\n").windows.carry);
  CHECK(!heat("[windows]\ncount = 2\ncarry = false\n").windows.carry);
}

TEST_CASE("how many windows there are is in force however it is said", "[configs][windows]") {
  CHECK(heat("[windows]\nlength = 0.75\n").effective.at("windows.count") == "3");
  CHECK(heat("[windows]\ncount = 3\n").effective.at("windows.count") == "3");
  CHECK(heat("").effective == heat("[windows]\ncount = 1\n").effective);
}

TEST_CASE("networks that long steps wear out are warned of, unless carry is said",
          "[configs][windows]") {
  const auto warned = [](const std::string& windows, const std::string& stage) {
    const Run run = heat("[windows]\ncount = 3\n" + windows + "[[stage]]\n" + stage);
    return warnings(run).find("levenberg_marquardt wear out") != std::string::npos;
  };
  const std::string by_whole_steps = "optimizer = \"levenberg_marquardt\"\n";
  CHECK(warned("", by_whole_steps));
  CHECK_FALSE(warned("carry = false\n", by_whole_steps));
  CHECK_FALSE(warned("carry = true\n", by_whole_steps));
  CHECK_FALSE(warned("", by_whole_steps + "corrections = 0\n"));
  CHECK_FALSE(warned("", "optimizer = \"ssbroyden\"\n"));
}

TEST_CASE("windows that hand nothing over are warned of", "[configs][windows]") {
  CHECK_THAT(warnings(heat("[windows]\ncount = 2\n", "t = 2")),
             Contains("nothing is asked at t = 1, so no window hands anything over to the next") &&
                 Contains("add a condition with on = \"t = 1\", or leave out [windows]"));
  CHECK_THAT(warnings(heat("[windows]\ncount = 2\n", "initial")), !Contains("hands anything over"));
  CHECK_THAT(warnings(heat("[windows]\ncount = 1\n", "t = 2")), !Contains("hands anything over"));
}
