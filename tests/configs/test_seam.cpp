// Periodic conditions in files: of which order they are, and what becomes of those that say none.
#include "configs/recorded.h"
#include "solvers/train/plan.h"
#include "solvers/watch/warnings.h"
#include "tests/catch.h"
#include "tests/data/files/folder.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// A plate on a ring, with more text in its condition.
std::string plate(const std::string& order = "") {
  return "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\n"
         "[[condition]]\nname = \"ring\"\nperiodic = \"x\"\n" +
         order +
         "[[equation]]\nname = \"plate\"\n"
         "residual = \"u_xxxx/1000 + u = (1 + (2*pi)^4/1000)*sin(2*pi*x + 0.5)\"\n"
         "points = 100\n"
         "[network]\nlayers = [12, 12]\n"
         "[reference]\nexact = { u = \"sin(2*pi*x + 0.5)\" }\n"
         "[[stage]]\noptimizer = \"ssbroyden\"\nsteps = 400\n";
}

Run read_plate(const std::string& order = "", const Begun& begun = {}) {
  return read_run_text(plate(order), "plate.toml", {}, {}, 0, begun);
}

int order_of(const Run& run) { return run.problem.requirements[0].periodic->order; }

/// The error of u once it is trained.
double trained_error(const Run& run) {
  const Folder folder;
  return train(run, {.folder = {"plate", folder / "run"}}).errors.at(0).l2;
}

}  // namespace

TEST_CASE("a periodic condition without an order takes that of the equations less one",
          "[configs]") {
  CHECK(order_of(read_plate()) == 3);
  CHECK(read_plate().effective.at("condition.1.order") == "3");
  CHECK_THAT(plan_text(read_plate()), Contains("ring: derivatives by x up to u_xxx agree"));
  CHECK(order_of(read_plate("order = 1\n")) == 1);
  CHECK_THAT(warnings_text(warnings_of(read_plate("order = 1\n"))),
             Contains("u_xx may jump where its ends meet"));
  CHECK_THAT(warnings_text(warnings_of(read_plate())), !Contains("may jump"));
}

TEST_CASE("a run keeps the order that it was begun with", "[configs]") {
  CHECK(order_of(read_plate("", {.effective = {{"condition.1.order", "1"}}})) == 1);
  CHECK(order_of(read_plate("order = 2\n", {.effective = {{"condition.1.order", "1"}}})) == 2);
}

TEST_CASE("a run of a program that asked for slopes alone goes on with these", "[configs]") {
  const Folder folder;
  const std::string place = folder / "run";
  const auto begin = read_run_text(plate(), "plate.toml", {"stage.1.steps=3"}, {}, 0,
                                   {.effective = {{"condition.1.order", "1"}}});
  train(begin, {.folder = {"plate", place}});
  CHECK(order_of(recorded_run(found_run(place), place)) == 1);
  CHECK(begun_before("plate.toml", place).effective.at("condition.1.order") == "1");
  const Run again = read_run_text(plate(), "plate.toml", {"stage.1.steps=5"}, {}, 0,
                                  begun_before("plate.toml", place));
  CHECK(order_of(again) == 1);
  CHECK(train(again, {.folder = {"plate", place, true}}).step == 5);
}

TEST_CASE("a field of fourth order is right on a ring that does not say its order", "[configs]") {
  CHECK(trained_error(read_plate()) < 1e-4);
  CHECK(trained_error(read_plate("order = 1\n")) > 1e-2);  // u_xx jumps at the seam
}

TEST_CASE("hard = \"auto\" embeds a ring of fourth order", "[configs]") {
  std::string automatic = plate();
  automatic.insert(automatic.find("layers"), "hard = \"auto\"\n");
  const Run run = read_run_text(automatic, "plate.toml");
  CHECK(run.problem.periodic == std::vector<bool>{true});
  automatic.insert(automatic.find("[[equation]]"), "order = 1\n");
  CHECK(read_run_text(automatic, "plate.toml").problem.periodic == std::vector<bool>{false});
}

TEST_CASE("a run whose residual was a truth value can be read again", "[configs]") {
  std::string text = plate();
  text.insert(text.find("[network]"), "[[condition]]\non = \"x = 0.5\"\nresidual = \"u <= 3\"\n");
  CHECK_THROWS_AS(read_run_text(text, "plate.toml"), ConfigError);
  CHECK_NOTHROW(
      read_run_text(text, "plate.toml", {}, {}, 0, {.effective = {{"condition.1.order", "1"}}}));
}
