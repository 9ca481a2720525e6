#include "tests/apps/forged_run.h"

#include <stdexcept>

#include "solvers/records/checkpoints/checkpoint.h"
#include "tests/solvers/train/identical.h"

namespace pinn::test {
namespace {

constexpr const char* forged_problem = R"toml([problem]
coordinates = { x = [-1.0, 1.0] }
fields = ["u"]
unknowns = { k = { start = 0.3, scale = "log" } }

[[equation]]
residual = "u_xx = -k*sin(pi*x)"
points = { count = 24, redraw = 7 }

[[condition]]
on = "boundary"
residual = "u = 0"
weight = 2

[[data]]
file = "readings.csv"
columns = { x = "x", u_obs = "u_obs" }
residual = "u = u_obs"

[network]
layers = [5, 4]

[[stage]]
optimizer = "adam"
steps = 12

[[stage]]
optimizer = "OPTIMIZER"
steps = 25
history = 4
sampling = { kind = "rad", every = 6, candidates = 60 }
weighting = { kind = "relobralo" }
pointwise = { kind = "self_adaptive" }

[run]
threads = 1

[output]
trust = false
grid = { x = 11 }

[reference]
exact = { u = "sin(pi*x)" }
)toml";

constexpr const char* problem_in_windows = R"toml([problem]
coordinates = { x = [-1.0, 1.0], t = [0, 1] }
fields = ["u"]
constants = { c = 1 }
unknowns = { k = 0.3 }

[[equation]]
residual = "u_t = c*k*u_xx"
points = { count = 24, redraw = 7 }

[[condition]]
on = "boundary"
residual = "u = 0"

[[condition]]
on = "initial"
residual = "u = sin(pi*x)"

[network]
layers = [5, 4]

[network.output]
u = "initial(u) + (t - initial(t))*N"

[[stage]]
optimizer = "adam"
steps = 12

[[stage]]
optimizer = "OPTIMIZER"
steps = 25
history = 4
ramp = { c = { from = 2, levels = 5 } }

[windows]
count = 2

[run]
threads = 1

[output]
grid = { x = 5, t = 5 }
)toml";

std::string problem_with(const std::string& optimizer, bool in_windows) {
  std::string text = in_windows ? problem_in_windows : forged_problem;
  text.replace(text.find("OPTIMIZER"), 9, optimizer);
  const std::string own = optimizer == "natural_gradient" ? "momentum = 0.5\n" : "";
  if (optimizer != "lbfgs") text.replace(text.find("history = 4\n"), 12, own);
  return text;
}

std::string read_if_there(const std::string& path) {
  return std::filesystem::exists(path) ? read_file(path) : "";
}

std::optional<TrainState> state_in(const std::string& path, std::string& unreadable) try {
  if (!std::filesystem::exists(path)) return {};
  TrainState state = load_checkpoint(path).state;
  state.seconds = 0;
  state.history.speed.clear();
  return state;
} catch (const std::exception& error) {
  unreadable = error.what();
  return {};
}

/// True if another value there is as good as the true one: nobody can tell.
bool is_a_matter_of_taste(const Forgery& f) {
  const auto below = [&](const char* group) { return f.path.starts_with(group); };
  const bool trained = below("/state/parameters") || below("/best/parameters") ||
                       below("/best/residual") || below("/best/smallest") ||
                       below("/windows/1/parameters") || below("/windows/1/residual") ||
                       below("/windows/1/smallest") || below("/history/values") ||
                       below("/state/points") || below("/state/weighting") ||
                       below("/state/optimizer/2/tensors") || below("/state/optimizer/2/numbers");
  if (below("/history/values") && f.kind == "not a number")
    return true;  // before a choice of points
  return trained && (f.kind == "negative" || f.kind == "huge" || f.kind == "other type");
}

}  // namespace

ForgedRun::ForgedRun(const std::string& optimizer, bool in_windows) {
  folder_.file("small.toml", problem_with(optimizer, in_windows));
  folder_.file("readings.csv", "x,u_obs\n-0.5,-1\n0,0\n0.5,1\n");
  const Outcome trained = pinn_train(folder_, {"small.toml", "--quiet"});
  if (trained.code != 0) throw std::runtime_error("the run to be forged failed: " + trained.err);
  checkpoint_ = folder_ / "true.h5";
  std::filesystem::rename(folder_ / "runs/small/checkpoint.h5", checkpoint_);
  image_ = content_of(checkpoint_);
  forgeries_ = test::forgeries(image_);
  restore(image_), resumed_ = resumed();
  restore(image_), begun_ = begun();
  restore(image_), exported_ = exported();
  for (const Done* done : {&resumed_, &begun_, &exported_})
    if (done->outcome.code != 0)
      throw std::runtime_error("what shall be forged does not work: " + done->outcome.err);
}

void ForgedRun::restore(const std::string& image) const {
  std::filesystem::remove_all(folder_ / "runs");
  std::filesystem::create_directories(folder_ / "runs/small");
  reseal(folder_ / "runs/small/checkpoint.h5", checkpoint_, image);
}

ForgedRun::Done ForgedRun::shown() const { return {pinn_train(folder_, {"runs/small"}), {}, ""}; }

ForgedRun::Done ForgedRun::resumed() const {
  Done done;
  done.outcome =
      pinn_train(folder_, {"runs/small", "--resume", "--quiet", "--set", "stage.2.steps=32"});
  if (done.outcome.code == 0)
    done.state = state_in(folder_ / "runs/small/checkpoint.h5", done.unreadable);
  return done;
}

ForgedRun::Done ForgedRun::begun() const {
  Done done;
  done.outcome = pinn_train(folder_, {"small.toml", "--init-from", "runs/small", "--out",
                                      "runs/other", "--quiet", "--set", "stage.2.steps=2"});
  if (done.outcome.code == 0)
    done.state = state_in(folder_ / "runs/other/checkpoint.h5", done.unreadable);
  return done;
}

ForgedRun::Done ForgedRun::exported() const {
  Done done;
  std::filesystem::remove(folder_ / "out.csv");
  done.outcome = pinn_export(folder_, {"runs/small", "-o", "out.csv"});
  done.table = read_if_there(folder_ / "out.csv");
  return done;
}

std::string ForgedRun::finding(const Forgery& forgery) const {
  const std::string image = forged(image_, forgery);
  const bool any_value = is_a_matter_of_taste(forgery);
  std::string found;
  const auto judge = [&](const char* command, const Done& done, const Done& expected) {
    const Outcome& o = done.outcome;
    const auto note = [&](const std::string& what) {
      found += forgery.text() + ", " + command + ": " + what + "\n";
    };
    const bool refused = o.code == 1 || o.code == 5 || (o.code == 3 && any_value);
    if (o.code != 0 && !refused)
      return note("exit code " + std::to_string(o.code) + ", signal " + std::to_string(o.signal) +
                  ": " + o.err.substr(0, 400));
    if (refused && o.err.find("fix:") == o.err.npos) return note("refused without a fix: " + o.err);
    if (!done.unreadable.empty())
      return note("it left a checkpoint that cannot be read: " + done.unreadable);
    if (o.code != 0 || any_value) return;
    if (done.state.has_value() != expected.state.has_value() || done.table != expected.table ||
        (done.state && !identical(*done.state, *expected.state)))
      note("the result changed without a word");
  };
  restore(image);
  judge("status", shown(), {});
  judge("export", exported(), exported_);
  judge("init-from", begun(), begun_);
  judge("resume", resumed(), resumed_);
  return found;
}

}  // namespace pinn::test
