#include "tests/apps/program.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// A run that would take days, at work until something is done to it.
struct LongRun : Program {
  explicit LongRun(const WorkFolder& place)
      : Program("pinn-train", {"small.toml", "--set", "stage.1.steps=1000000000", "--resume"},
                place.path) {
    const std::string metrics = place / "runs/small/metrics.jsonl";
    REQUIRE(comes_true(
        [&] { return std::filesystem::exists(metrics) && !read_file(metrics).empty(); }));
  }
};

}  // namespace

TEST_CASE("exit code 1: wrong input", "[apps][errors]") {
  const WorkFolder place;
  place.file("wrong.toml", "[problem]\ncoordinate = { x = [0, 1] }\n");
  place.file("no.toml", "this is not TOML");
  const Outcome wrong = pinn_train(place, {"wrong.toml"});
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.err, Contains("wrong.toml:2:1") && Contains("coordinates"));
  CHECK(pinn_train(place, {"no.toml"}).code == 1);
  CHECK(pinn_train(place, {"missing.toml"}).code == 1);
  CHECK(pinn_train(place, {"small.toml", "--set", "stage.2.steps=3"}).code == 1);
  CHECK(pinn_train(place, {"small.toml", "--max-time", "soon"}).code == 1);
  CHECK(pinn_train(place, {".", "--resume"}).code == 1);
  CHECK(pinn_export(place, {".", "-o", "a.csv"}).code == 1);
}

TEST_CASE("exit code 1: another process writes the folder", "[apps][errors]") {
  const WorkFolder place;
  LongRun writer(place);
  const Outcome second = pinn_train(place, {"small.toml", "--resume"});
  CHECK(second.code == 1);
  CHECK_THAT(second.err, Contains("is writing this run") && Contains("--out"));
  CHECK_THAT(pinn_train(place, {"runs/small"}).out, Contains("is training"));
  writer.stop(SIGKILL);
  CHECK(pinn_train(place, {"small.toml", "--resume"}).code == 0);  // the lock is gone with it
}

TEST_CASE("a second run is kept out although the lock was deleted", "[apps][errors]") {
  const WorkFolder place;
  LongRun writer(place);
  std::filesystem::remove(place / "runs/small/.lock");
  const Outcome second = pinn_train(place, {"small.toml", "--resume"});
  CHECK(second.code == 1);
  CHECK_THAT(second.err, Contains("another process is writing this run") && !Contains("kill"));
  CHECK(writer.stop(SIGTERM).code == 4);
}

TEST_CASE("a run whose folder is moved goes on there, beside one that takes its name", "[apps]") {
  const WorkFolder place;
  LongRun first(place);
  std::filesystem::rename(place / "runs/small", place / "runs/moved");
  CHECK(pinn_train(place, {"small.toml", "--out", "runs/small", "--quiet"}).code == 0);
  const Outcome stopped = first.stop(SIGTERM);
  CHECK(stopped.code == 4);
  CHECK_THAT(stopped.err, Contains("/runs/moved --resume"));
  CHECK(saved_state(place / "runs/small").step == 20);
  CHECK_THAT(read_file(place / "runs/small/status.json"), Contains("\"state\":\"done\""));
  CHECK(saved_state(place / "runs/moved").step > 0);
  CHECK_THAT(read_file(place / "runs/moved/status.json"), Contains("\"state\":\"interrupted\""));
}

TEST_CASE("exit code 2: wrong usage", "[apps][errors]") {
  const WorkFolder place;
  const std::vector<std::vector<std::string>> lines = {
      {},
      {"--no-such-option"},
      {"small.toml", "other.toml"},
      {"small.toml", "--threads", "0"},
      {"small.toml", "--threads", "many"},
      {"small.toml", "--threads", "4097"},
      {"small.toml", "--quiet", "--verbose"},
      {"small.toml", "--resume", "--overwrite"},
      {"small.toml", "--completion", "tcsh"},
      {"small.toml", "--dump", "graph.pdf"},
      {"small.toml", "--set"},
      {place.path, "--resume", "--out", "elsewhere"},
      {place.path, "--set", "stage.1.steps=3"},
  };
  for (const auto& line : lines) {
    const Outcome run = pinn_train(place, line);
    INFO((line.empty() ? "no argument" : line.back()));
    CHECK(run.code == 2);
    CHECK_FALSE(run.err.empty());
  }
  CHECK(pinn_export(place, {}).code == 2);
  CHECK(pinn_export(place, {"runs/small"}).code == 2);  // where to?
}

TEST_CASE("what --threads may be is said in words, in both programs", "[apps][errors]") {
  const WorkFolder place;
  for (const char* threads : {"0", "-1", "many", "4097", "1.5", "2x", ""}) {
    const Outcome train = pinn_train(place, {"small.toml", "--threads", threads}),
                  out = pinn_export(place, {".", "-o", "a.csv", "--threads", threads});
    const std::string message = std::string("--threads: '") + threads +
                                "' is no number of threads: write 1 to 4096, or leave it out\n"
                                "Run with --help for more information.\n";
    CHECK(train.err == message);
    CHECK(out.err == message);
    CHECK(train.code == 2);
    CHECK(out.code == 2);
  }
}

TEST_CASE("what pinn-reference may be given is said in words", "[apps][errors]") {
  const Folder place;
  const auto given = [&](const std::string& option, const std::string& value) {
    return Program("pinn-reference", {"burgers", "-o", "a.csv", option, value}, place.path).wait();
  };
  for (const char* count : {"0", "-3", "many", "nan", "9999999999999"}) {
    const Outcome refused = given("--observe", count);
    CHECK(refused.code == 2);
    CHECK_THAT(
        refused.err,
        Contains(
            std::string("--observe: '") + count +
            "' is not a number of readings: write a number of at least 1 and at most 10000000"));
  }
  for (const char* noise : {"-1", "nan", "inf", "1e300"}) {
    const Outcome refused = given("--noise", noise);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("is not a deviation: write a number of at least 0"));
  }
}

TEST_CASE("exit code 3: the loss is no longer finite", "[apps][errors]") {
  const WorkFolder place;
  const std::vector<std::string> line = {"small.toml", "--resume", "--set",
                                         "stage.1.optimizer=\"sgd\"", "--set"};
  const auto with = [&](const std::string& rate) {
    auto words = line;
    words.push_back("stage.1.rate=" + rate);
    return words;
  };
  const Outcome run = pinn_train(place, with("1e6"));
  CHECK(run.code == 3);
  CHECK_THAT(run.err, Contains("at step ") && Contains("in requirement 'poisson'") &&
                          Contains("last finite state: runs/small/checkpoint.h5, step 0") &&
                          Contains("--set stage.1.rate=100000 (now 1e+06)"));
  CHECK_THAT(read_file(place / "runs/small/status.json"), Contains("\"state\":\"diverged\""));
  CHECK_THAT(run.out, Contains("look:  runs/small/report.html\n"));
  CHECK_THAT(read_file(place / "runs/small/report.html"),
             Contains("made of the checkpoint of step 0</p>") &&
                 Contains("its loss was no longer finite"));
  CHECK(pinn_train(place, with("1e-6")).code == 0);
}

TEST_CASE("exit code 3: an unknown is no longer finite, though its value and the loss are",
          "[apps][errors]") {
  const Folder place;  // one step sends the logarithm of k to minus infinity, and k to 0
  place.file("k.toml", R"toml([problem]
coordinates = { x = [-1.0, 1.0] }
fields      = ["u"]
unknowns    = { k = { start = 3.0, scale = "log" } }

[[equation]]
residual = "k + 0*u_xx = 0"
points   = 20

[network]
layers = [4]

[[stage]]
optimizer = "sgd"
steps     = 1
rate      = 1e308
)toml");
  const Outcome diverged = pinn_train(place, {"k.toml"});
  CHECK(diverged.code == 3);
  CHECK_THAT(diverged.err, Contains("no longer finite at step 1"));
  CHECK(pinn_train(place, {"runs/k"}).code == 0);  // its checkpoint is that of step 0
}

TEST_CASE("exit code 8: a promise is broken, and the run is strict", "[apps][errors]") {
  const WorkFolder place;
  const auto with = [&](const std::string& promise, std::vector<std::string> more) {
    more.insert(more.begin(), {"small.toml", "--set", "reference.error.u=" + promise});
    return pinn_train(place, more);
  };
  const Outcome broken = with("1e-9", {"--strict"});
  CHECK(broken.code == 8);
  CHECK_THAT(broken.err,
             Contains("warning: the promise for u is broken: its relative L2 error is ") &&
                 Contains("promised is 1.00e-09\n  where: [reference] error.u\n"));
  CHECK_THAT(broken.out, Contains("error: u ") && Contains("look:  "));
  CHECK_THAT(pinn_train(place, {"runs/small"}).out, Contains("the promise for u is broken"));
  CHECK(with("1e-9", {"--quiet", "--set", "reference.strict=true"}).code == 8);
  CHECK(pinn_train(place, {"runs/small", "--resume", "--strict"}).code == 8);

  const Outcome told = with("1e-9", {});
  CHECK(told.code == 0);
  CHECK_THAT(told.err, Contains("the promise for u is broken"));
  const Outcome kept = with("1e3", {"--strict"});
  CHECK(kept.code == 0);
  CHECK_THAT(kept.err, !Contains("promise"));
  CHECK(pinn_train(place, {"small.toml", "--strict"}).code == 0);  // nothing is promised
}

TEST_CASE("exit code 4: a signal saves the run and says how to go on", "[apps]") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP, SIGUSR1);
  const WorkFolder place;
  LongRun run(place);
  const Outcome stopped = run.stop(signal);
  CHECK(stopped.code == 4);
  CHECK_THAT(stopped.err, Contains("Go on with: pinn-train runs/small --resume"));
  CHECK_THAT(read_file(place / "runs/small/status.json"), Contains("\"state\":\"interrupted\""));

  const std::int64_t step = saved_state(place / "runs/small").step;
  CHECK(step > 0);
  const Outcome rest = pinn_train(
      place, {"runs/small", "--resume", "--set", "stage.1.steps=" + std::to_string(step + 5)});
  CHECK(rest.code == 0);
  CHECK(saved_state(place / "runs/small").step == step + 5);
}

TEST_CASE("exit code 4: the time is up", "[apps]") {
  const WorkFolder place;
  const std::vector<std::string> line = {"small.toml", "--resume", "--max-time",
                                         "0.2",        "--set",    "stage.1.steps=100000000"};
  const Outcome first = pinn_train(place, line);
  CHECK(first.code == 4);
  CHECK_THAT(first.err, Contains("the time limit of 0.2 s") && Contains("--resume"));
  const std::int64_t step = saved_state(place / "runs/small").step;
  CHECK(pinn_train(place, line).code == 4);  // the same line, as a batch system repeats it
  CHECK(saved_state(place / "runs/small").step > step);
}

TEST_CASE("exit code 5: the folder cannot be written", "[apps][errors]") {
  const WorkFolder place;
  const Outcome run = pinn_train(place, {"small.toml", "--out", "/proc/nowhere"});
  CHECK(run.code == 5);
  CHECK_THAT(run.err, Contains("/proc/nowhere"));
}

TEST_CASE("exit code 6: out of memory", "[apps][errors]") {
  if (skips(lack_of_limits())) return;
  const WorkFolder place;
  const Outcome run =
      pinn_train(place, {"small.toml", "--set", "network.layers=[20000,20000]"}, rlim_t(1) << 29);
  CHECK(run.code == 6);
  CHECK_THAT(run.err, Contains("out of memory") && Contains("fewer points"));
  const Outcome threads =
      pinn_train(place, {"small.toml", "--threads", "1000"}, rlim_t(1) << 29);  // their stacks
  CHECK(threads.code == 6);
}

TEST_CASE("exit code 7: the device is missing", "[apps][errors]") {
  const WorkFolder place;
  for (const char* option : {"--quiet", "--check"}) {
    const Outcome run = pinn_train(place, {"small.toml", "--device", "cuda:63", option});
    CHECK(run.code == 7);
    CHECK_THAT(run.err, Contains("cuda:63 cannot be used") && Contains("device = \"cpu\""));
  }
  CHECK_FALSE(std::filesystem::exists(place / "runs"));
}
