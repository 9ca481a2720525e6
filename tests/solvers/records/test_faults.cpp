#include "autograd/core/error.h"
#include "tests/catch.h"
#include "tests/data/files/faults.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;

namespace {

/// 30 steps with saves at 10 and 20 and in the end, a change of stage, and an unknown.
Run saving_run() {
  Run run = inverse_run({stage("adam", 15), stage("sgd", 15)});
  run.options.checkpoint.every = 10;
  return run;
}

/// True if a run came to its end although the file system failed it.
bool trains_through(const Run& run, const std::string& folder, Faults& faults) {
  TrainRequest r = request(folder);
  r.files = &faults;
  try {
    train(run, r);
    return true;
  } catch (const FileError& error) {
    CHECK_FALSE(error.report.where.empty());
    CHECK_FALSE(error.report.fix.empty());
    return false;
  }
}

}  // namespace

// For n = 1, 2, ... up to the first n that a whole run does not reach.
TEST_CASE("whichever call to the disk fails, the run ends well or goes on from what is there",
          "[train][faults]") {
  const std::string call = GENERATE("open", "write", "fsync", "close", "rename");
  const bool lasting = GENERATE(false, true);
  const Run run = saving_run();
  const Folder folder;
  train(run, request(folder / "whole"));
  const TrainState undisturbed = saved_state(folder / "whole");

  int n = 1, through = 0;
  for (bool fired = true; fired; ++n) {
    INFO(call << " " << n << (lasting ? " and all after it" : ""));
    const std::string place = folder / std::to_string(n);
    Faults faults(call, n, ENOSPC, lasting);
    faults.piece = 20000;
    const bool ended = trains_through(run, place, faults);
    fired = faults.fired;
    through += ended && fired;
    CHECK((ended || fired));
    if (ended) CHECK(identical(saved_state(place), undisturbed));

    train(run, request(place, true));  // on a disk that works again
    CHECK(identical(saved_state(place), undisturbed));
    std::filesystem::remove_all(place);
  }

  CHECK(n > 10);                         // the fault met checkpoints, metrics, status and fields
  if (!lasting) CHECK(through > n / 2);  // only the last save and the fields are worth an end
  if (lasting) CHECK(through <= 6);      // what comes after the fields may be missing
}

TEST_CASE("a disk that fails after the first save leaves that one to resume from",
          "[train][faults]") {
  const Run run = saving_run();
  const Folder folder;
  Faults counting("rename", 1 << 20, EIO);
  trains_through(run, folder / "whole", counting);

  for (int n = 1; n <= counting.seen; ++n) {
    const std::string place = folder / std::to_string(n);
    Faults faults("rename", n, EIO, true);
    const bool ended = trains_through(run, place, faults);
    const Found found = newest_checkpoint(place);
    CHECK(found.skipped.empty());  // what is there is whole
    if (ended) CHECK(found.checkpoint->state.step == 30);
  }
}
