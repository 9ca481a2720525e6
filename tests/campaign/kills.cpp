/// campaign-kills COUNT SEED FOLDER: runs of every optimizer, with changes of stage, batches,
/// points drawn anew or chosen, weights that move, windows, a ramp and an unknown, disturbed by
/// COUNT signals at random moments. Each of them must end as the one that nobody disturbed, to the
/// last bit.
#include "solvers/optimize/kinds.h"
#include "tests/apps/killing.h"

using namespace pinn::test;

namespace {

/// Everything that a state holds; a checkpoint every third step.
constexpr const char* problem = R"toml([problem]
coordinates = {{ x = [-1.0, 1.0], t = [0.0, 1.0] }}
fields      = ["u"]
constants   = {{ nu = 0.1 }}
unknowns    = {{ k = {{ start = 0.3, min = 0.01, max = 20, scale = "log" }} }}

[[equation]]
residual = "u_t = nu*u_xx + k*sin(pi*x)"
points   = {{ count = 20, redraw = {redraw}, method = "uniform" }}

[[condition]]
on       = "boundary"
residual = "u = 0"
points   = 10

[[condition]]
on       = "initial"
residual = "u = 0"
points   = 10

[[condition]]
on       = "x = 0.5"
residual = "u = t"
points   = 10

[network]
layers = [{width}, {width}]

[[stage]]
optimizer = "{first}"
steps     = 40
{first_options}

[[stage]]
optimizer = "{second}"
steps     = 60
{second_options}

[run]
checkpoint  = {{ every = 3, minutes = 0 }}
precision   = "{precision}"
derivatives = "{derivatives}"

[memory]
saved     = "{saved}"
threshold = 0

[output]
grid = {{ x = 11, t = 5 }}

{windows}
)toml";

/// Options that move points, weights and constants of a stage.
template <class Any> std::string adaptation(const Any& any) {
  return any({"", "sampling = { kind = \"rad\", every = 7, candidates = 60 }",
              "sampling = { kind = \"rar\", every = 9, candidates = 60 }",
              "sampling = { kind = \"r3\", every = 5 }"}) +
         "\n" +
         any({"", "weighting = { kind = \"grad_norm\", every = 6 }",
              "weighting = { kind = \"ntk\", every = 11 }",
              "weighting = { kind = \"relobralo\", every = 4 }",
              "weighting = { kind = \"softadapt\", every = 5 }",
              "weighting = { kind = \"balance\", every = 8 }"}) +
         "\n" +
         any({"", "pointwise = { kind = \"rba\" }", "pointwise = { kind = \"self_adaptive\" }"}) +
         "\n" + any({"", "causal = { tolerance = 1.0, chunks = 4 }"}) + "\n" +
         any({"", "ramp = { nu = { from = 0.3, levels = 4 } }"});
}

/// Options that a kind has of its own.
template <class Any> std::string own_options(const std::string& kind, const Any& any) {
  std::string text;
  if (kind == "lbfgs") text += "history = 4\n";
  if (kind == "natural_gradient") text += any({"", "momentum = 0.5\n"}) + any({"", "rank = 9\n"});
  if (kind == "nystrom_newton_cg") text += any({"", "rank = 9\n"});
  if (kind == "soap" || kind == "kfac" || kind == "nystrom_newton_cg")
    text += any({"", "refresh = 5\n"});
  if (!pinn::optimizer_kind(kind).in_float32) text += "precision = \"float64\"\n";
  return text;
}

/// A problem for a number: all optimizers come first and second.
std::string problem_of(std::mt19937& random) {
  const std::vector<std::string>& kinds = pinn::optimizer_kinds();
  const auto any = [&](const std::vector<std::string>& all) { return all[random() % all.size()]; };
  const std::string first = any(kinds), second = any(kinds);
  const auto options = [&](const std::string& kind) -> std::string {
    const std::string adapts = adaptation(any);
    const std::string own = own_options(kind, any);
    if (!pinn::optimizer_kind(kind).has_rate) return own + adapts;
    return own + "rate = 1e-3\n" + any({"", "clip = 0.5"}) + "\n" +
           any({"", "schedule = { kind = \"cosine\" }",
                "schedule = { kind = \"step\", every = 9, warm_up = 5 }"}) +
           "\n" + any({"batch = 7", adapts, adapts});
  };
  return fmt::format(
      problem, fmt::arg("redraw", any({"0", "1", "7"})), fmt::arg("width", any({"4", "12"})),
      fmt::arg("first", first), fmt::arg("first_options", options(first)),
      fmt::arg("second", second), fmt::arg("second_options", options(second)),
      fmt::arg("precision", any({"float64", "float32"})),
      fmt::arg("derivatives", any({"auto", "taylor", "reverse"})),
      fmt::arg("saved", any({"keep", "keep", "bf16", "disk"})),
      fmt::arg("windows",
               any({"", "[windows]\ncount = 2", "[windows]\nlength = 0.4\ncarry = false"})));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return fmt::print(stderr, "usage: campaign-kills COUNT SEED FOLDER\n"), 2;
  const int wanted = std::atoi(argv[1]);
  const unsigned seed = unsigned(std::atoi(argv[2]));
  constexpr int per_problem = 20;
  std::mt19937 random(seed);
  int kills = 0, in_write = 0, findings = 0;
  for (int n = 0; kills < wanted && n < wanted; ++n) {
    const std::string text = problem_of(random);
    Killing killing(fmt::format("{}/kills-{}", argv[3], ::getpid()), text,
                    {SIGKILL, SIGKILL, SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGSTOP,
                     SIGXCPU, SIGALRM, SIGQUIT},
                    unsigned(random()));
    const Kills count = killing(std::min(per_problem, wanted - kills));
    kills += count.kills;
    in_write += count.in_write;
    for (const std::string& finding : count.findings) {
      ++findings;
      const std::string file = fmt::format("{}/kill-{}-{}.toml", argv[3], seed, n);
      pinn::write_atomically(file, {text});
      fmt::print("finding: {}: {}\n", file, finding);
    }
    std::fflush(stdout);
  }
  fmt::print("kills {} ({} inside a write): {} findings\n", kills, in_write, findings);
  return findings > 0 ? 1 : 0;
}
