#include <fmt/format.h>

#include "tests/apps/killing.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// An unknown, points drawn anew and chosen by the residual, weights that change, a change of stage
/// at step 40, a checkpoint every third step; the second stage's matrix makes a checkpoint of about
/// 1 MiB, whose writing takes a large share.
constexpr const char* everything = R"toml([problem]
coordinates = { x = [-1.0, 1.0] }
fields      = ["u"]
unknowns    = { k = { start = 0.3, min = 0.01, max = 20, scale = "log" } }

[[equation]]
name     = "poisson"
residual = "u_xx = -k*sin(pi*x)"
points   = { count = 20, redraw = 7 }

[[condition]]
on       = ["x = -1", "x = 1"]
residual = "u = 0"

[[condition]]
on       = "x = 0.5"
residual = "u = 1"

[network]
layers = [19, 19]

[[stage]]
optimizer = "adam"
steps     = 40
weighting = { kind = "grad_norm", every = 7 }
pointwise = { kind = "self_adaptive", every = 2 }

[[stage]]
optimizer = "ssbroyden"
steps     = 80
sampling  = { kind = "rad", every = 9, candidates = 200 }

[run]
checkpoint = { every = 3, minutes = 0 }

[output]
grid = { x = 11 }
)toml";

/// The same, small, with a kind of optimizer from step 10 on.
std::string everything_by(const std::string& kind) {
  std::string text = everything;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"[19, 19]", "[6, 5]"},
                                 {"steps     = 40", "steps     = 10"},
                                 {"steps     = 80", "steps     = 50"},
                                 {"ssbroyden", kind}})
    text.replace(text.find(from), from.size(), to);
  return text;
}

/// On a real disk, where fsync waits and a kill finds it waiting.
std::string place(const std::string& name) {
  return fmt::format("{}/{}-{}", PINN_BINARY_DIR, name, ::getpid());
}

}  // namespace

TEST_CASE("a run killed twenty times ends as one never disturbed, to the last bit",
          "[apps][kills]") {
  Killing killing(place("kills"), everything, {SIGKILL}, 7);
  const Kills count = killing(20);
  CHECK_THAT(count.findings, Catch::Matchers::Equals(std::vector<std::string>{}));
  CHECK(count.kills == 20);
}

TEST_CASE("a run of any optimizer killed four times ends as one never disturbed, to the last bit",
          "[apps][kills]") {
  for (const std::string& kind : optimizer_kinds()) {
    INFO(kind);
    Killing killing(place("kills-" + kind), everything_by(kind), {SIGKILL}, 9);
    const Kills count = killing(4);
    CHECK_THAT(count.findings, Catch::Matchers::Equals(std::vector<std::string>{}));
    CHECK(count.kills == 4);
  }
}

TEST_CASE("a run stopped by signals of all kinds ends as one never disturbed, to the last bit",
          "[apps][kills]") {
  Killing killing(place("signals"), everything,
                  {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGSTOP, SIGXCPU}, 8);
  const Kills count = killing(12);
  CHECK_THAT(count.findings, Catch::Matchers::Equals(std::vector<std::string>{}));
  CHECK(count.kills == 12);
}

TEST_CASE("400 kills, at least 50 of them inside a write, lose nothing", "[apps][kills][slow]") {
  Killing killing(place("many-kills"), everything, {SIGKILL}, 7);
  const Kills count = killing(400);
  CHECK_THAT(count.findings, Catch::Matchers::Equals(std::vector<std::string>{}));
  WARN(count.kills << " kills, " << count.in_write << " inside a write, in " << count.runs
                   << " runs");
  CHECK(count.in_write >= 50);
}
