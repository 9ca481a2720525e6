// Problems trained by ranks that are threads: what they do together is what processes do.
#include <fmt/format.h>

#include "autograd/cuda/gpu.h"
#include "configs/read.h"
#include "data/files/disk.h"
#include "solvers/optimize/kinds.h"
#include "solvers/train/plan.h"
#include "tests/autograd/core/thread_ranks.h"
#include "tests/autograd/cuda/driver/simulated_driver.h"
#include "tests/catch.h"
#include "tests/configs/shipped.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// So many processes, each with so many threads.
struct Hands {
  int ranks, threads;
};

/// A file with a few steps in each stage, unless it is told how many, and without what comes behind
/// them.
Run few_steps(const std::string& file, int threads, std::vector<std::string> sets) {
  const std::size_t stages = read_run(file, sets).stages.size();
  for (std::size_t i = 1; i <= stages; ++i)
    sets.insert(sets.begin(), fmt::format("stage.{}.steps=3", i));
  sets.insert(sets.begin(), "run.device=cpu");
  sets.push_back("output.trust=false");
  sets.push_back(fmt::format("run.threads={}", threads));
  return read_run(file, sets);
}

/// The state that ranks save, and the results that they have.
struct Trained {
  TrainState state;
  std::string metrics;
  std::vector<double> losses;
};

Trained trained(const std::string& file, Hands hands, const std::vector<std::string>& sets = {},
                bool eager = false) {
  const Folder folder;
  Trained all{.state = {}, .metrics = "", .losses = std::vector<double>(std::size_t(hands.ranks))};
  const auto work = [&](Ranks& ranks) {
    const WarningSink silent([](const std::string&) {});
    TrainRequest request{.folder = {.name = "run", .out = folder / "run"}};
    request.style = ProgressStyle::silent;
    request.watch = [](const ProgressView&, double) { return true; };
    request.ranks = &ranks;
    request.eager = eager;
    all.losses[std::size_t(ranks.rank())] =
        train(few_steps(file, hands.threads, sets), request).loss;
  };
  on_ranks(hands.ranks, work);
  all.state = saved_state(folder / "run");
  all.metrics = metrics_of(folder / "run");
  return all;
}

/// Difference between ranks and one process alone; empty where there is none.
std::string difference(const Trained& some, const Trained& one) {
  for (const double loss : some.losses)
    if (loss != one.losses[0]) return fmt::format("a result {} instead of {}", loss, one.losses[0]);
  if (some.metrics != one.metrics) return "the metrics";
  return identical(some.state, one.state) ? "" : "the state";
}

void check_all(const std::string& file, const std::vector<Hands>& all,
               const std::vector<std::string>& sets = {}) {
  const Trained one = trained(file, {1, 1}, sets);
  for (const Hands& hands : all) {
    INFO(file << " on " << hands.ranks << " ranks x " << hands.threads << " threads");
    CHECK(difference(trained(file, hands, sets), one) == "");
  }
}

const std::vector<Hands> many = {{2, 1}, {3, 2}, {4, 1}, {7, 2}, {2, 2}, {3, 1}, {4, 2}, {7, 1}};

/// A problem in which much changes on the way: points, weights of terms and of points, constants,
/// windows.
constexpr const char* changing = R"toml([problem]
coordinates = { x = [-1, 1], t = [0, 1] }
fields = ["u"]
constants = { nu = 0.1 }
unknowns = { k = { start = 0.3, min = 0.01, max = 20, scale = "log" } }
[[equation]]
name = "heat"
residual = "u_t = k*nu*u_xx"
points = { count = 60, redraw = 2 }
[[condition]]
on = "t = 0"
residual = "u = sin(pi*x)"
points = 20
[[condition]]
on = ["x = -1", "x = 1"]
residual = "u = 0"
points = 20
[network]
layers = [8, 8]
[[stage]]
optimizer = "adam"
steps = 3
weighting = { kind = "grad_norm", every = 1 }
pointwise = { kind = "self_adaptive", every = 1 }
[[stage]]
optimizer = "ssbroyden"
steps = 3
sampling = { kind = "rad", every = 1, candidates = 100 }
[[stage]]
optimizer = "adam"
batch = 32
precision = "float32"
steps = 3
[windows]
count = 2
[output]
grid = { x = 5, t = 5 }
)toml";

/// A network of 699 parameters, whose inverse Hessian is cut into four bands; redrawn points.
constexpr const char* large = R"toml([problem]
coordinates = { x = [-1, 1] }
fields = ["u"]
[[equation]]
residual = "u_xx = -sin(pi*x)"
points = { count = 40, redraw = 4 }
[[condition]]
on = ["x = -1", "x = 1"]
residual = "u = 0"
[network]
layers = [24, 25]
[[stage]]
optimizer = "ssbroyden"
steps = 7
[output]
grid = { x = 5 }
)toml";

}  // namespace

TEST_CASE(
    "problems of pieces, integrals, unknowns and data train to the same bits on several ranks",
    "[configs][ranks]") {
  std::size_t k = 0;
  for (const char* name : {"decomposed_rod", "fredholm", "inverse_burgers", "sir"})
    check_all(fmt::format(PINN_SOURCE_DIR "/configs/{}.toml", name), {many[k++]});
}

TEST_CASE("every shipped problem trains to the same bits on any number of ranks and threads",
          "[configs][ranks][slow]") {
  for (const std::string& file : shipped_files()) check_all(file, many);
}

TEST_CASE("every optimizer moves by the same bits on any number of ranks", "[configs][ranks]") {
  const Folder folder;
  const std::string file = folder.file("changing.toml", changing);
  for (const std::string& kind : optimizer_kinds()) {
    std::vector<std::string> sets = {"stage.2.optimizer=" + kind};
    if (kind == "sgd") sets.push_back("stage.2.rate=1e-4");
    check_all(file, {{3, 1}}, sets);
  }
}

TEST_CASE("what training changes on the way is the same on all ranks", "[configs][ranks]") {
  const Folder folder;
  check_all(folder.file("changing.toml", changing), many);
}

TEST_CASE("an inverse Hessian that ranks share out leads to the same bits", "[configs][ranks]") {
  const Folder folder;
  const std::string file = folder.file("large.toml", large);
  for (const char* curvature : {"float64", "float32"})
    check_all(file, many, {fmt::format("stage.1.curvature=\"{}\"", curvature)});
}

TEST_CASE("rows, triangles and factors that ranks share out lead to the same bits",
          "[configs][ranks]") {
  const Folder folder;
  const std::string file = folder.file("large.toml", large);
  for (const char* kind : {"levenberg_marquardt", "sketched_gauss_newton", "natural_gradient"})
    for (const int points : {40, 740})  // fewer rows than parameters, and more
      check_all(
          file, {{2, 1}, {3, 2}, {7, 1}},
          {fmt::format("stage.1.optimizer={}", kind), fmt::format("equation.1.points={}", points)});
}

TEST_CASE("a run that shares its inverse Hessian out goes on on another number of ranks",
          "[configs][ranks]") {
  const Folder folder;
  const std::string file = folder.file("large.toml", large);
  const bool eager = GENERATE(false, true);
  const std::vector<std::string> sets = {"stage.1.steps=9"};
  const Trained one = trained(file, {1, 1}, sets, eager);
  CHECK(one.state.memory.back().tensors.at("inverse_hessian").numel() == 699 * 700 / 2);
  int sittings = 0;
  for (bool done = false; !done && sittings < 100; ++sittings) {
    const Hands& hands = many[std::size_t(sittings) % many.size()];
    on_ranks(hands.ranks, [&](Ranks& ranks) {
      TrainRequest request{.folder = {.name = "run", .out = folder / "run", .resume = true}};
      request.style = ProgressStyle::silent;
      request.watch = [&](const ProgressView&, double) { return ranks.rank() > 0; };
      request.ranks = &ranks;
      request.eager = eager;
      const bool interrupted = train(few_steps(file, hands.threads, sets), request).interrupted;
      if (ranks.rank() == 0) done = !interrupted;
    });
  }
  CHECK(sittings > 3);
  CHECK(identical(saved_state(folder / "run"), one.state));
}

TEST_CASE("a run on GPUs has the bits of a run on one", "[configs][ranks][cuda]") {
  SimulatedDriver::Options simulated;
  simulated.devices = 3;
  const cuda::DriverForNow now(std::make_shared<SimulatedDriver>(simulated));
  const Folder folder;
  const std::string file = folder.file("changing.toml", changing);
  const std::vector<std::string> sets = {"run.device=cuda"};
  const Trained one = trained(file, {1, 1}, sets);
  CHECK(difference(trained(file, {3, 1}, sets), one) == "");
}

TEST_CASE("a network that is too large for one rank is read for several", "[configs][ranks]") {
  const Folder folder;
  const std::string file = folder.file("large.toml", large);
  const std::vector<std::string> sets = {"stage.1.memory=2e6"};
  CHECK_THROWS_WITH(read_run(file, sets), Catch::Matchers::Contains("the limit is 0.00186 GiB"));
  CHECK(read_run_text(read_file(file), file, sets, {}, 0, {}, nullptr).stages.size() == 1);
  std::vector<std::string> plans(4);
  on_ranks(4, [&](Ranks& ranks) {
    plans[std::size_t(ranks.rank())] = plan_text(read_run(file, sets, {}, {}, &ranks), ranks);
  });
  const std::string whole = plan_text(read_run(file));
  CHECK_THAT(whole, Catch::Matchers::Contains("    1.87 MiB to remember, 1.87 MiB to work with"));
  for (const std::string& plan : plans) {
    CHECK_THAT(plan, Catch::Matchers::Contains(" MiB on each of 4 ranks\n") &&
                         Catch::Matchers::Contains("    0.473 MiB to remember, 0.473 MiB to work"));
  }
}

TEST_CASE("ranks that have read different problems refuse to train", "[configs][ranks][errors]") {
  const Folder folder;
  const std::string file = folder.file("changing.toml", changing);
  std::vector<std::string> said(3);
  on_ranks(3, [&](Ranks& ranks) {
    const std::vector<std::string> sets = {ranks.rank() == 2 ? "run.seed=2" : "run.seed=1"};
    TrainRequest request{.folder = {.name = "run", .out = folder / "run"}};
    request.ranks = &ranks;
    try {
      train(few_steps(file, 1, sets), request);
    } catch (const ConfigError& e) {
      said[std::size_t(ranks.rank())] = e.what();
    }
  });
  for (const std::string& text : said)
    CHECK_THAT(text,
               Catch::Matchers::Contains("rank 2 of 3, on here read another problem") &&
                   Catch::Matchers::Contains("seed = 2, rank 0 on here network.fourier.seed = 1"));
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
}

/// More points than a GPU sums up at once.
constexpr const char* in_pieces = R"toml([problem]
coordinates = { x = [-1, 1] }
fields = ["u"]
[[equation]]
residual = "u_xx = -sin(pi*x)"
points = 140000
[[condition]]
on = ["x = -1", "x = 1"]
residual = "u = 0"
[network]
layers = [3]
[[stage]]
optimizer = "adam"
steps = 3
[output]
grid = { x = 5 }
)toml";

TEST_CASE(
    "a run on GPUs in pieces trains to the same bits for any number of ranks, wherever sums meet",
    "[configs][ranks][cuda]") {
  const Folder folder;
  const std::string file = folder.file("in_pieces.toml", in_pieces);
  std::optional<Trained> one;
  for (const bool groups : {true, false}) {
    SimulatedDriver::Options options;
    options.devices = 2;
    options.groups = groups;
    const auto driver = std::make_shared<SimulatedDriver>(options);
    const cuda::DriverForNow now(driver);
    if (!one) one = trained(file, {1, 1}, {"run.device=cuda"});
    int before = driver->calls("gather");
    CHECK(before == 0);
    for (const Hands& hands : {Hands{2, 1}, Hands{3, 1}}) {  // of three, two share a GPU
      INFO(hands.ranks << " ranks, " << (groups ? "with" : "without") << " groups");
      CHECK(difference(trained(file, hands, {"run.device=cuda"}), *one) == "");
      CHECK((driver->calls("gather") > before) == (groups && hands.ranks == 2));
      before = driver->calls("gather");
    }
  }
}

TEST_CASE("a run goes on on another number of ranks, to the last bit", "[configs][ranks]") {
  const Folder folder;
  const std::string file = folder.file("changing.toml", changing);
  const Trained one = trained(file, {1, 1});
  int sittings = 0;
  for (bool done = false; !done; ++sittings) {
    const int count = many[std::size_t(sittings) % many.size()].ranks;
    on_ranks(count, [&](Ranks& ranks) {
      TrainRequest request{.folder = {.name = "run", .out = folder / "run", .resume = true}};
      request.style = ProgressStyle::silent;
      // Any of the ranks may be the one that is asked to stop: all do, a step later at most.
      request.watch = [&](const ProgressView&, double) { return ranks.rank() != count / 2; };
      request.ranks = &ranks;
      const bool interrupted = train(few_steps(file, 1, {}), request).interrupted;
      if (ranks.rank() == 0) done = !interrupted;
    });
    if (sittings > 100) break;
  }
  CHECK(sittings > 5);
  CHECK(identical(saved_state(folder / "run"), one.state));
}
