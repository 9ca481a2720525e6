#include <fmt/format.h>

#include <cmath>

#include "solvers/records/checkpoints/checkpoint.h"
#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace fs = std::filesystem;

namespace {

/// A folder with small.toml in it.
}  // namespace

TEST_CASE("a run trains, tells its error and its files, and ends with 0", "[apps]") {
  const WorkFolder place;
  const Outcome run = pinn_train(place, {"small.toml"});
  CHECK(run.code == 0);
  CHECK_THAT(run.out, Catch::Matchers::Matches(
                          "error: u [-+.e0-9]+ \\(relative L2, against the reference\\)\n"
                          "trust: .*held-out residual [-+.e0-9]+, .*\n"
                          "look:  runs/small/report.html; beside it fields.h5, fields.xdmf\n"));
  CHECK_THAT(run.err, Contains("parameters, seed 0, 1 thread, folder runs/small") &&
                          Contains("descent 1/1  step 20/20  loss "));
  for (const char* name : {"checkpoint.h5", "fields.h5", "fields.xdmf", "metrics.jsonl"})
    CHECK(place.has(std::string("runs/small/") + name));
  CHECK_THAT(read_file(place / "runs/small/status.json"),
             Contains("\"state\":\"done\"") && Contains("\"step\":20"));
}

TEST_CASE("all points are written by --points, and nothing is trained", "[apps]") {
  const WorkFolder place;
  const Outcome run = pinn_train(place, {"small.toml", "--points", "points.csv"});
  CHECK(run.code == 0);
  CHECK_THAT(read_file(place / "points.csv"),
             Contains("x,requirement,n_x,weight") && Contains(",poisson,"));
  CHECK_FALSE(place.has("runs"));
  const Outcome wrong = pinn_train(place, {"small.toml", "--points", "points.txt"});
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.err, Contains("points are written as .vtu or .csv"));
}

TEST_CASE("with --quiet only the result is printed", "[apps]") {
  const WorkFolder place;
  const Outcome run = pinn_train(place, {"small.toml", "--quiet", "--set", "stage.1.steps=60",
                                         "--set", "stage.1.optimizer=lbfgs"});
  CHECK(run.code == 0);
  CHECK(run.err.empty());  // it is solved: there is nothing to warn of
  CHECK_THAT(run.out, Contains("error: u ") && !Contains("relative L2 error of u: "));
}

TEST_CASE("points that are learned by heart are told of while training and at the end", "[apps]") {
  const WorkFolder place;
  const Outcome run = pinn_train(
      place, {"small.toml", "--set", "equation.1.points=3", "--set", "network.layers=[20]", "--set",
              "stage.1.steps=4000", "--set", "stage.1.rate=1e-2"});
  CHECK(run.code == 0);
  const std::size_t first = run.err.find("warning: the residual is ");
  REQUIRE(first != std::string::npos);
  const std::size_t ended = run.err.find("descent 1/1  step ");
  CHECK(first < ended);
  CHECK(run.err.rfind("warning: the residual is ") > ended);
  CHECK_THAT(run.out, Contains("held-out residual ") && Contains(" training saw"));
}

TEST_CASE("new runs are numbered, and nothing is overwritten unasked", "[apps]") {
  const WorkFolder place;
  for (const char* folder : {"runs/small", "runs/small-2", "runs/small-3"}) {
    CHECK(pinn_train(place, {"small.toml"}).code == 0);
    CHECK(place.has(std::string(folder) + "/checkpoint.h5"));
  }
  CHECK(pinn_train(place, {"small.toml", "--overwrite"}).code == 0);
  CHECK_FALSE(place.has("runs/small-4"));
}

TEST_CASE("a folder that holds a run is refused with both ways out", "[apps][errors]") {
  const WorkFolder place;
  const std::vector<std::string> line = {"small.toml", "--out", "mine"};
  CHECK(pinn_train(place, line).code == 0);
  const Outcome refused = pinn_train(place, line);
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Contains("--resume") && Contains("--overwrite"));
  CHECK(pinn_train(place, {"small.toml", "--out", "mine", "--overwrite"}).code == 0);
  CHECK(pinn_train(place, {"small.toml", "--out", "mine", "--resume"}).code == 0);
}

TEST_CASE("a checkpoint that the disk refuses is told once, and again as what ended the run",
          "[apps][errors]") {
  const WorkFolder place;
  const Outcome run =
      Program("pinn-train", {"small.toml", "--out", "mine", "--set", "run.checkpoint.every=5"},
              place.path, 0,
              16384)  // which is less than a checkpoint
          .wait();
  CHECK(run.code == 5);
  const auto count = [&](const std::string& word) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = run.err.find(word, at)) != run.err.npos; ++at) ++n;
    return n;
  };
  CHECK(count("\nwarning: ") == 1);  // of three before the end
  CHECK(count("\nerror: ") == 1);
  CHECK_THAT(run.err, Contains("this state is not saved"));
}

TEST_CASE("the flag --resume finds what --out began among the runs, and says where it looked",
          "[apps]") {
  const WorkFolder place;
  CHECK(pinn_train(place, {"small.toml", "--out", "runs/mine"}).code == 0);
  const Outcome again = pinn_train(place, {"./small.toml", "--resume"});
  CHECK_THAT(again.err, Contains("--resume: there is no run runs/small; runs/mine is the latest of "
                                 "small.toml\n") &&
                            Contains("going on at step 20 of runs/mine/checkpoint.h5"));
  fs::rename(place / "runs/mine", place / "mine");
  CHECK_THAT(pinn_train(place, {"small.toml", "--resume"}).err,
             Contains("--resume: there is no run runs/small, and none of small.toml elsewhere"));
}

TEST_CASE("a run that is refused leaves no folder", "[apps][errors]") {
  const WorkFolder place;
  CHECK(pinn_train(place, {"small.toml"}).code == 0);
  CHECK(pinn_train(place, {"small.toml", "--init-from", "nowhere"}).code == 1);
  CHECK_FALSE(place.has("runs/small-2"));
  CHECK_THAT(pinn_train(place, {"small.toml", "--resume"}).err, Contains("going on at step 20"));
}

TEST_CASE("a run folder tells how its run stands", "[apps]") {
  const WorkFolder place;
  pinn_train(place, {"small.toml"});
  const Outcome status = pinn_train(place, {"runs/small"});
  CHECK(status.code == 0);
  CHECK_THAT(status.out, Contains("saved      step 20") && Contains("nobody is training it") &&
                             Contains("pinn-train runs/small --resume") &&
                             Contains("pinn-export runs/small"));
  CHECK(pinn_train(place, {"."}).code == 1);  // a folder, but no run
}

TEST_CASE("what looks wrong is told when a run begins and again with its status", "[apps]") {
  const WorkFolder place;
  const std::vector<std::string> line = {"small.toml", "--set", "network.output.u=\"(1 - x)*N\""};
  const auto with = [&](const std::string& flag) {
    auto words = line;
    words.push_back(flag);
    return pinn_train(place, words);
  };
  const std::string warning =
      "warning: the face x = -1 has no condition\n  where: the conditions\n"
      "  fix:   add a [[condition]] with on = \"x = -1\", if the problem needs one\n";
  const Outcome run = pinn_train(place, line);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains(warning));
  CHECK_THAT(read_file(place / "runs/small/status.json"),
             Contains("\"warnings\":[{\"what\":\"the face x = -1 has no condition\",\"where\":"));
  CHECK_THAT(pinn_train(place, {"runs/small"}).out, Contains(warning));
  CHECK_THAT(pinn_train(place, {"runs/small", "--resume"}).err, Contains(warning));
  CHECK_THAT(with("--check").out, Contains(warning));

  CHECK_THAT(with("--quiet").err, !Contains("no condition"));
  CHECK_THAT(pinn_train(place, {"runs/small-2"}).out, Contains(warning));

  CHECK_THAT(pinn_train(place, {"small.toml"}).err, !Contains("no condition"));
  CHECK_THAT(pinn_train(place, {"runs/small-3"}).out, !Contains("no condition"));
}

TEST_CASE("the flag --resume starts a run that is not there, and goes on with the latest",
          "[apps]") {
  const WorkFolder place;
  const std::vector<std::string> line = {"small.toml", "--resume"};
  CHECK(pinn_train(place, line).code == 0);
  CHECK(pinn_train(place, {"small.toml"}).code == 0);
  const Outcome again = pinn_train(place, line);
  CHECK(again.code == 0);
  CHECK_THAT(again.err, Contains("going on at step 20 of runs/small-2/checkpoint.h5"));
  CHECK_FALSE(place.has("runs/small-3"));
}

TEST_CASE("the flag --set overrides by number and by name", "[apps]") {
  const WorkFolder place;
  pinn_train(place, {"small.toml", "--set", "stage.1.steps=7", "--out", "a"});
  pinn_train(place, {"small.toml", "--set", "stage.descent.steps=8", "--set",
                     "stage.1.optimizer=sgd", "--out", "b"});
  CHECK_THAT(read_file(place / "a/status.json"), Contains("\"step\":7"));
  CHECK_THAT(read_file(place / "b/status.json"), Contains("\"step\":8"));
}

TEST_CASE("what changed is listed on resume, and physics may not change", "[apps][errors]") {
  const WorkFolder place;
  pinn_train(place, {"small.toml"});
  const Outcome more = pinn_train(place, {"runs/small", "--resume", "--set", "stage.1.steps=25"});
  CHECK(more.code == 0);
  CHECK_THAT(more.err, Contains("changed: stage.1.steps: 20 -> 25"));
  CHECK_THAT(read_file(place / "runs/small/status.json"), Contains("\"step\":25"));

  for (const char* change :
       {"equation.1.points=25", "network.layers=[7]", "run.seed=1", "stage.1.optimizer=\"sgd\""}) {
    const Outcome refused = pinn_train(place, {"runs/small", "--resume", "--set", change});
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, Contains("cannot go on") && Contains(std::string(change).substr(
                                                            0, std::string(change).find('='))));
  }
}

TEST_CASE("a file without a stage is trained, and what was chosen for it stays on resume",
          "[apps]") {
  const Folder place;
  const std::string file =
      "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\n"
      "[[equation]]\nresidual = \"u_xx = 1\"\n"
      "[[condition]]\nname = \"walls\"\non = \"boundary\"\nresidual = \"u = 0\"\n"
      "[run]\nstop_below = 1e300\n";  // one step is enough
  place.file("small.toml", file);

  const Outcome begun = pinn_train(place, {"small.toml"});
  CHECK(begun.code == 0);
  CHECK_THAT(begun.err, Contains("# walls: exact by the network's form, and out of the loss") &&
                            Contains("optimizer = \"ssbroyden\""));
  for (const char* target : {"small.toml", "runs/small"}) {
    const Outcome again = pinn_train(place, {target, "--resume"});
    CHECK(again.code == 0);
    CHECK_THAT(again.err, Contains("going on at step 1 of"));
    CHECK_THAT(again.err, !Contains("changed: "));
  }
  CHECK_THAT(pinn_train(place, {"runs/small", "--resume", "--set", "stage.2.steps=7"}).err,
             Contains("changed: stage.2.steps: 20000 -> 7"));
}

TEST_CASE("a resumed folder remembers the overrides it was made with", "[apps]") {
  const WorkFolder place;
  pinn_train(place, {"small.toml", "--set", "stage.1.steps=9"});
  fs::remove(place / "small.toml");  // it is in the checkpoint
  const Outcome again = pinn_train(place, {"runs/small", "--resume"});
  CHECK(again.code == 0);
  CHECK_THAT(again.err, !Contains("changed:"));
  CHECK_THAT(read_file(place / "runs/small/status.json"), Contains("\"step\":9"));
}

TEST_CASE("a run goes on from another folder, and where it or its project was moved to", "[apps]") {
  const Folder place;
  const auto in = [&](const std::string& folder, const std::vector<std::string>& words) {
    fs::create_directories(place / folder);
    return Program("pinn-train", words, place / folder).wait();
  };
  fs::create_directories(place / "project/configs");
  place.file("project/configs/data.csv", "x,u\n0.5,1\n");
  place.file("project/configs/small.toml",
             std::string(small_problem) +
                 "[[data]]\nfile = \"data.csv\"\ncolumns = { x = \"x\", seen = \"u\" }\nresidual = "
                 "\"u = seen\"\n");
  REQUIRE(in("project", {"configs/small.toml", "--quiet"}).code == 0);
  CHECK(in("project", {"runs/small", "--resume"}).code == 0);
  CHECK(in("elsewhere", {"../project/runs/small", "--resume"}).code == 0);
  CHECK(in("project/runs/small", {".", "--resume"}).code == 0);
  CHECK_THAT(in("elsewhere", {"../project/runs/small"}).out,
             Contains("of ../project/configs/small.toml\n"));

  fs::rename(place / "project", place / "moved");
  CHECK(in("elsewhere", {"../moved/runs/small", "--resume"}).code == 0);
  fs::remove(place / "moved/configs/small.toml");  // it is in the checkpoint
  CHECK(in("elsewhere", {"../moved/runs/small", "--resume"}).code == 0);
}

TEST_CASE("a mistake in --set is counted among the arguments, not among the run's own",
          "[apps][errors]") {
  const WorkFolder place;
  pinn_train(place, {"small.toml", "--set", "stage.1.steps=9", "--set", "run.threads=1"});
  CHECK_THAT(pinn_train(place, {"runs/small", "--resume", "--set", "stage.1.rate=-3"}).err,
             Contains("  where: --set:1:14\n"));
}

TEST_CASE("the flag --init-from starts from another run's network", "[apps]") {
  const WorkFolder place;
  pinn_train(place, {"small.toml"});
  const Outcome run = pinn_train(place, {"small.toml", "--init-from", "runs/small"});
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("starting from the parameters of runs/small/checkpoint.h5"));
  const std::vector<std::string> sines = {"small.toml", "--init-from", "runs/small",
                                          "--force",    "--set",       "network.activation=sin"};
  const Outcome forced = pinn_train(place, sines);
  CHECK(forced.code == 0);
  CHECK_THAT(forced.err, Contains("starting from the parameters of runs/small/checkpoint.h5"));
  const Outcome misfit = pinn_train(
      place, {"small.toml", "--init-from", "runs/small", "--force", "--set", "network.layers=[5]"});
  CHECK(misfit.code == 1);
  CHECK_THAT(misfit.err, Contains("other layers"));
  CHECK(pinn_train(place, {"small.toml", "--force"}).code == 2);
}

TEST_CASE("a network of another kind or size is fitted to the fields of another run", "[apps]") {
  const WorkFolder place;
  REQUIRE(pinn_train(place, {"small.toml", "--set", "stage.1.steps=400", "--set",
                             "stage.1.optimizer=ssbroyden"})
              .code == 0);
  const auto residual = [&](const std::string& run) {
    return load_checkpoint(place / ("runs/" + run + "/checkpoint.h5")).state.best.residual;
  };
  REQUIRE(pinn_train(place, {"small.toml", "--set", "stage.1.steps=0", "--out", "runs/new"}).code ==
          0);
  const double untrained = residual("new");
  REQUIRE(residual("small") < 1e-5 * untrained);
  for (const std::string key : {"layers=[9]", "layers=[5, 5]", "activation=sin",
                                "kind=modified_mlp", "fourier={features=4,scale=1.0}"}) {
    const Outcome run =
        pinn_train(place, {"small.toml", "--init-from", "runs/small", "--set", "network." + key,
                           "--set", "stage.1.steps=0", "--out", "runs/fit", "--overwrite"});
    INFO(key << "\n" << run.err);
    REQUIRE(run.code == 0);
    CHECK_THAT(run.err, Contains("starting from the fields of runs/small/checkpoint.h5") &&
                            Contains("off by u ") && Contains(", u_xx "));
    CHECK(residual("fit") < 1e-3 * untrained);
  }
}

TEST_CASE("a field that is about 0 does not spoil the fit to the others", "[apps]") {
  const WorkFolder place;
  const std::string two =
      "[problem]\ncoordinates = { x = [-1.0, 1.0] }\nfields = [\"u\", \"v\"]\n[[equation]]\n"
      "residual = [\"u_xx = -pi^2*sin(pi*x)\", \"v_xx = 0\"]\npoints = 40\n[network]\n"
      "layers = [8]\n[network.output]\nu = \"(1 - x^2)*N\"\nv = \"(1 - x^2)*N\"\n[[stage]]\n"
      "optimizer = \"ssbroyden\"\nsteps = 600\n[run]\nthreads = 1\n";
  place.file("two.toml", two);
  REQUIRE(pinn_train(place, {"two.toml"}).code == 0);
  REQUIRE(
      pinn_train(place, {"two.toml", "--init-from", "runs/two", "--set", "network.activation=sin",
                         "--set", "stage.1.steps=0", "--out", "runs/fit"})
          .code == 0);
  const auto residual = [&](const char* run) {
    return load_checkpoint(place / (std::string("runs/") + run + "/checkpoint.h5"))
        .state.best.residual;
  };
  INFO(residual("two") << " " << residual("fit"));
  CHECK(residual("fit") < 1e-3);  // as initialized: 50
}

TEST_CASE("a fit of data alone is taken over by another network", "[apps]") {
  const WorkFolder place;
  std::string rows = "x,y\n";
  for (int i = 0; i <= 40; ++i)
    rows += fmt::format("{},{}\n", i / 20.0 - 1, std::sin(3 * i / 20.0));
  place.file("rows.csv", rows);
  place.file("fit.toml",
             "[problem]\ncoordinates = { x = [-1.0, 1.0] }\nfields = [\"u\"]\n[[data]]\n"
             "file = \"rows.csv\"\ncolumns = { x = \"x\", y = \"y\" }\nresidual = \"u = y\"\n"
             "[network]\nlayers = [8]\n[[stage]]\noptimizer = \"ssbroyden\"\nsteps = 300\n");
  REQUIRE(pinn_train(place, {"fit.toml"}).code == 0);
  const Outcome run = pinn_train(place, {"fit.toml", "--init-from", "runs/fit", "--set",
                                         "network.layers=[10]", "--set", "stage.1.steps=0"});
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK_THAT(run.err, Contains("starting from the fields of runs/fit/checkpoint.h5"));
}

TEST_CASE("a fit to another run needs fields, coordinates and places of it", "[apps][errors]") {
  const WorkFolder place;
  REQUIRE(pinn_train(place, {"small.toml"}).code == 0);
  std::string text = small_problem;
  text.replace(text.find("[-1.0, 1.0]"), 11, "[2.0, 3.0]");
  place.file("other.toml", text);
  const Outcome far = pinn_train(place, {"other.toml", "--init-from", "runs/small"});
  CHECK(far.code == 1);
  CHECK_THAT(far.err, Contains("no place of this problem"));
  place.file("fields.toml",
             "[problem]\ncoordinates = { x = [-1.0, 1.0] }\nfields = [\"w\"]\n"
             "[[equation]]\nresidual = \"w_x = 1\"\npoints = 24\n"
             "[[stage]]\noptimizer = \"adam\"\nsteps = 2\n");
  const Outcome none = pinn_train(place, {"fields.toml", "--init-from", "runs/small"});
  CHECK(none.code == 1);
  CHECK_THAT(none.err, Contains("none of the fields"));
  place.file("along.toml",
             "[problem]\ncoordinates = { y = [-1.0, 1.0] }\nfields = [\"u\"]\n"
             "[[equation]]\nresidual = \"u_y = 1\"\npoints = 24\n"
             "[[stage]]\noptimizer = \"adam\"\nsteps = 2\n");
  const Outcome along = pinn_train(place, {"along.toml", "--init-from", "runs/small"});
  CHECK(along.code == 1);
  CHECK_THAT(along.err, Contains("depend on 'x'"));
}

TEST_CASE("the flag --check prints the plan and writes nothing", "[apps]") {
  const WorkFolder place;
  const Outcome check = pinn_train(place, {"small.toml", "--check"});
  CHECK(check.code == 0);
  CHECK_THAT(check.out, Contains("u_xx = -pi^2*sin(pi*x)") && Contains("20 steps of adam") &&
                            Contains("derivatives") && Contains("memory"));
  CHECK_FALSE(place.has("runs"));
}

TEST_CASE("the plan warns of what the reader found, with its place", "[apps]") {
  const WorkFolder place;
  const std::string kink = "equation.1.residual=\"u_xx + d(abs(u), x, 2) = 1\"";
  const auto warns = [](const Outcome& outcome, const std::string& set = "--set") {
    const std::string said = outcome.out + outcome.err;  // the plan, or what a run says
    return outcome.code == 0 &&
           said.find(
               "warning: 'abs' has a kink, and its second derivative is taken as 0 "
               "there\n  where: " +
               set + ":1:29\n") != std::string::npos &&
           said.find("^^^\n  fix:   use a smooth function") != std::string::npos;
  };
  CHECK(warns(pinn_train(place, {"small.toml", "--check", "--set", kink})));
  CHECK(warns(pinn_train(place, {"small.toml", "--verbose", "--set", kink})));
  CHECK(warns(pinn_train(place, {"runs/small", "--resume", "--check"}), "--set of the run"));
  CHECK_THAT(pinn_train(place, {"small.toml", "--check"}).out, !Contains("kink"));
}

TEST_CASE("what is found is told, also while it is looked for", "[apps]") {
  const WorkFolder place;
  const Outcome run = pinn_train(
      place, {"small.toml", "--set", "problem.unknowns={k=3}", "--set",
              "equation.1.residual=\"u_xx = -k*sin(pi*x)\"", "--set", "stage.1.rate=1e-9"});
  CHECK(run.code == 0);
  CHECK_THAT(run.out, Contains("k = 3"));
  CHECK_THAT(run.err, Contains("  k 3"));
  const std::string status = pinn_train(place, {"runs/small"}).out;
  CHECK_THAT(status, Contains("losses     loss ") && Contains("found      k = 3\n") &&
                         !Contains("unknown:") && !Contains("nan"));
}

TEST_CASE("the flag --verbose prints the plan, then trains", "[apps]") {
  const WorkFolder place;
  const Outcome run = pinn_train(place, {"small.toml", "--verbose"});
  CHECK(run.code == 0);
  CHECK_THAT(run.out, Contains("requirements") && Contains("relative L2 error of u: ") &&
                          Contains("at the training points") && Contains("steps/s") &&
                          Contains("error: u "));
}

TEST_CASE("the flags --help, --version, --keys and --completion answer without a problem",
          "[apps]") {
  const Folder empty;
  CHECK_THAT(pinn_train(empty, {"--help"}).out, Contains("--resume") && Contains("Exit codes"));
  CHECK_THAT(pinn_train(empty, {"--version"}).out, Contains("pinn-train "));
  CHECK_THAT(pinn_train(empty, {"--keys"}).out, Contains("residual") && Contains("optimizer"));
  const Outcome script = pinn_train(empty, {"--completion", "bash"});
  CHECK(script.code == 0);
  CHECK_THAT(script.out, Contains("complete") && Contains("--max-time"));
  CHECK(pinn_export(empty, {"--help"}).code == 0);
  CHECK_THAT(pinn_export(empty, {"--version"}).out, Contains("pinn-export "));
}

TEST_CASE("a problem to begin with is written where no file is, and trains", "[apps]") {
  const Folder place;
  const Outcome written = pinn_train(place, {"--new", "rod.toml"});
  CHECK(written.code == 0);
  CHECK_THAT(written.out, Contains("pinn-train rod.toml"));
  CHECK(pinn_train(place, {"--new"}).out == read_file(place / "rod.toml"));
  const Outcome again = pinn_train(place, {"--new", "rod.toml"});
  CHECK(again.code == 1);
  CHECK_THAT(again.err, Contains("there is such a file already"));
  CHECK(pinn_train(place, {"rod.toml", "--quiet", "--strict"}).code == 0);
}

TEST_CASE("a shipped problem is printed as it is", "[apps]") {
  const Folder place;
  CHECK(pinn_train(place, {"--example", "heat"}).out ==
        read_file(PINN_SOURCE_DIR "/configs/heat.toml"));
  CHECK_THAT(pinn_train(place, {"--examples"}).out, Contains("burgers"));
}
