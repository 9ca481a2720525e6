#include <unistd.h>

#include "autograd/core/error.h"
#include "solvers/watch/summary.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"
#include "tests/solvers/train/states.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

FolderRequest given(const std::string& out) { return {.name = "burgers", .out = out}; }

/// Status of a run while it is at work.
std::string at_step(int step) {
  return "{\"problem\":\"configs/burgers.toml\",\"state\":\"training\",\"step\":" +
         std::to_string(step) +
         ",\"stage\":1,\"loss\":0.00125,\"unknowns\":{\"nu\":0.02},\"seconds\":62.0}\n";
}

}  // namespace

TEST_CASE("the status of a run tells where it stands and what to type", "[train][folder]") {
  const Folder root;
  CHECK_THROWS_AS(status(root.path), ConfigError);
  {
    const RunFolder folder(given(root / "mine"));
    root.file("mine/metrics.jsonl", "");
    CHECK_THAT(status(folder.path()),
               Contains("no checkpoint yet") &&
                   Contains("process " + std::to_string(::getpid()) + " is training"));
    std::filesystem::remove(root / "mine/.lock");
    CHECK_THAT(status(folder.path()), Contains("another process is training"));
    save_checkpoint(folder.path(), some_checkpoint());
  }
  const std::string text = status(root / "mine");
  CHECK_THAT(text, Contains("configs/burgers.toml") && Contains("step 1200, stage 2 of 2,") &&
                       Contains("loss 1.000e-01"));
  CHECK_THAT(text, Contains("nu = 0.0124") && Contains("--resume") && Contains("pinn-export"));
}

TEST_CASE("before the first checkpoint the status is what the run tells of itself",
          "[train][folder]") {
  const Folder root;
  root.file("status.json", at_step(340));
  const std::string text = status(root.path);
  CHECK_THAT(text, Contains(root.path + ", no checkpoint yet\n") &&
                       Contains("seen       step 340, stage 1, loss 1.250e-03, after 1:02\n") &&
                       Contains("go on      pinn-train configs/burgers.toml --out " + root.path +
                                " --resume\n"));
}

TEST_CASE("the status is that of status.json where it is later than the checkpoint",
          "[train][folder]") {
  const Folder root;
  save_checkpoint(root.path, some_checkpoint());
  root.file("status.json", at_step(1900));
  CHECK_THAT(status(root.path),
             Contains("saved      step 1200") && Contains("seen       step 1900"));
  root.file("status.json", at_step(1200));
  CHECK_THAT(status(root.path), !Contains("seen"));
  root.file("status.json", "{");  // of a disk that lost the rest
  CHECK_THAT(status(root.path), !Contains("seen"));
}

TEST_CASE("the status of a run that is done says so, and what more would take", "[train][folder]") {
  const Folder root;
  const Run one = poisson_run({stage("adam", 5)});
  train(one, request(root / "one"));
  CHECK_THAT(status(root / "one"), Contains("saved      step 5, its one stage done, after ") &&
                                       Contains("--resume --set stage.1.steps=MORE\n"));
  train(poisson_run({stage("adam", 5), stage("lbfgs", 3)}), request(root / "two"));
  CHECK_THAT(status(root / "two"), Contains("saved      step 8, all 2 stages done, after ") &&
                                       Contains("--resume --set stage.2.steps=MORE\n"));
}

TEST_CASE("the status tells that a loss was no longer finite", "[train][folder]") {
  const Folder root;
  save_checkpoint(root.path, some_checkpoint());
  root.file("status.json", "{\"state\":\"diverged\",\"step\":1200}");
  CHECK_THAT(status(root.path), Contains("its loss was no longer finite"));
}
