#include "solvers/train/checkpoint.h"

#include <filesystem>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"
#include "tests/catch.h"
#include "tests/data/files/faults.h"
#include "tests/data/files/folder.h"
#include "tests/solvers/train/states.h"

using namespace pinn;
using Catch::Matchers::Contains;

TEST_CASE("a state saved and loaded is the same to the last bit", "[train][checkpoint]") {
  const Folder folder;
  const Checkpoint saved = some_checkpoint();
  save_checkpoint(folder.path, saved);
  const Checkpoint loaded = load_checkpoint(folder / "checkpoint.h5");

  CHECK(identical(loaded.state, saved.state));
  CHECK(texts(loaded.record) == texts(saved.record));
  CHECK(loaded.record.overrides == saved.record.overrides);
  CHECK(loaded.record.effective == saved.record.effective);
  CHECK(loaded.record.hashes == saved.record.hashes);
  CHECK(loaded.unknowns == saved.unknowns);
  REQUIRE(loaded.blocks.size() == 2);
  CHECK(loaded.blocks[0].name == "W0");
  CHECK(loaded.blocks[1].offset == 6);
}

TEST_CASE("an empty state is saved and loaded, too", "[train][checkpoint]") {
  const Folder folder;
  Checkpoint saved;
  saved.state.parameters = from_values({1.0}, {1});
  save_checkpoint(folder.path, saved);
  CHECK(identical(load_checkpoint(folder / "checkpoint.h5").state, saved.state));
}

TEST_CASE("states that differ in one bit anywhere are not identical", "[train][checkpoint]") {
  const TrainState state = some_checkpoint().state;
  const auto differs = [&](auto change) {
    TrainState other = copy(state);
    CHECK(identical(state, other));
    change(other);
    return !identical(state, other);
  };
  CHECK(differs([](TrainState& s) { s.parameters.data<double>()[1] = 0.0; }));  // was -0
  CHECK(differs([](TrainState& s) { s.memory[0].tensors["m"].data<double>()[7] += 1e-15; }));
  CHECK(differs([](TrainState& s) { s.memory[1].numbers["pairs"] = 3; }));
  CHECK(differs([](TrainState& s) { s.memory[1].moves++; }));
  CHECK(differs([](TrainState& s) { s.memory.pop_back(); }));
  CHECK(differs([](TrainState& s) { s.stage++; }));
  CHECK(differs([](TrainState& s) { s.stage_step++; }));
  CHECK(differs([](TrainState& s) { s.step++; }));
  CHECK(differs([](TrainState& s) { s.draws[0].count++; }));
  CHECK(differs([](TrainState& s) { s.draws[1].step++; }));
  CHECK(differs([](TrainState& s) { s.weights[1] = 21; }));
  CHECK(differs([](TrainState& s) { s.best.parameters[0] = 0; }));
  CHECK(differs([](TrainState& s) { s.best.residual = 0; }));
  CHECK(differs([](TrainState& s) { s.best.step++; }));
  CHECK(differs([](TrainState& s) { s.steps_without_better++; }));
  CHECK(differs([](TrainState& s) { s.history.add(1200, {0, 0, 0}); }));
  CHECK(differs([](TrainState& s) { s.seconds += 1; }));
}

TEST_CASE("a copy of a state is left alone by later moves", "[train][checkpoint]") {
  TrainState state = some_checkpoint().state;
  const TrainState before = copy(state);
  state.parameters.data<double>()[0] = 7;
  state.memory[0].tensors["m"].data<double>()[0] = 7;
  CHECK(before.parameters.data<double>()[0] == 0.1);
  CHECK(before.memory[0].tensors.at("m").data<double>()[0] == 1);
}

TEST_CASE("a history row needs one value per column", "[train][checkpoint][errors]") {
  LossHistory history{{"loss", "burgers"}, {}, {}};
  CHECK_THROWS_AS(history.add(1, {1.0}), ShapeError);
}

TEST_CASE("the layout that the documentation promises is in the file", "[train][checkpoint]") {
  const Folder folder;
  save_checkpoint(folder.path, some_checkpoint());

  const H5Reader file(folder / "checkpoint.h5");  // as any HDF5 tool opens it
  CHECK(file.read<double>("/network/W0").shape == std::vector<std::size_t>{2, 3});
  CHECK(file.read<double>("/network/W0").values ==
        std::vector<double>{0.1, -0.0, 5e-324, 1.0 / 3, 4, 5});
  CHECK(file.read<double>("/network/b0").values == std::vector<double>{6});
  CHECK(file.read<double>("/best/network/W0").values == std::vector<double>{9, 8, 7, 6, 5, 4});
  CHECK(file.number<double>("/unknowns/nu") == 0.0123);
  CHECK(file.text("/meta/config_toml") == some_checkpoint().record.config);
  CHECK(file.read<double>("/history/values").shape == std::vector<std::size_t>{2, 3});
  CHECK(file.text("/history/columns/00002") == "walls/left");
}

TEST_CASE("the checkpoint before is kept and used when the newest is damaged",
          "[train][checkpoint]") {
  const Folder folder;
  save_checkpoint(folder.path, some_checkpoint(100));
  save_checkpoint(folder.path, some_checkpoint(200));
  CHECK(newest_checkpoint(folder.path).checkpoint->state.step == 200);
  CHECK(newest_checkpoint(folder.path).messages.empty());

  std::string bytes = read_file(folder / "checkpoint.h5");
  bytes[bytes.size() / 2] ^= 1;
  folder.file("checkpoint.h5", bytes);

  const Found found = newest_checkpoint(folder.path);
  CHECK(found.checkpoint->state.step == 100);
  CHECK(found.skipped == std::vector<std::string>{folder / "checkpoint.h5"});
  REQUIRE(found.messages.size() == 2);
  CHECK_THAT(found.messages[0],
             Contains("passed over") && Contains("content of the checkpoint is damaged"));
  CHECK_THAT(found.messages[1], Contains("going on from") && Contains("step 100"));
}

TEST_CASE("between the two renames of a save the checkpoint before is found",
          "[train][checkpoint]") {
  const Folder folder;
  save_checkpoint(folder.path, some_checkpoint(100));
  std::filesystem::rename(folder / "checkpoint.h5", folder / "checkpoint.prev.h5");
  CHECK(newest_checkpoint(folder.path).checkpoint->state.step == 100);
}

TEST_CASE("a folder without a good checkpoint says so", "[train][checkpoint][errors]") {
  const Folder folder;
  CHECK_FALSE(newest_checkpoint(folder.path).checkpoint.has_value());
  folder.file("checkpoint.h5", "PINN CHECKPOINT 1\nstep");
  folder.file("checkpoint.prev.h5", "");
  CHECK_THROWS_WITH(newest_checkpoint(folder.path), Contains("no checkpoint of the run is good") &&
                                                        Contains("cut off after 22 bytes") &&
                                                        Contains("not a checkpoint") &&
                                                        Contains("--overwrite"));
}

TEST_CASE("whichever call of a save fails, an older checkpoint is found and good",
          "[train][checkpoint][errors]") {
  const std::string call = GENERATE("open", "write", "fsync", "close", "rename");
  const int code = GENERATE(EIO, ENOSPC);
  int n = 1;
  for (bool fired = true; fired; ++n) {
    const Folder folder;
    Faults faults(call, n, code);
    faults.piece = 5000;
    INFO(call << " number " << n);
    std::int64_t acknowledged = 0;
    for (std::int64_t step = 100; step <= 300; step += 100) try {
        save_checkpoint(folder.path, some_checkpoint(step), faults);
        acknowledged = step;
      } catch (const FileError& error) {
        CHECK_THAT(error.what(), Contains(folder.path) && Contains("errno"));
      }

    fired = faults.fired;
    const Found found = newest_checkpoint(folder.path);
    REQUIRE(found.checkpoint.has_value());
    CHECK(found.checkpoint->state.step >= acknowledged);
    CHECK(found.skipped.empty());
    CHECK(identical(found.checkpoint->state, some_checkpoint(found.checkpoint->state.step).state));
  }
  CHECK(n > 3);
}

TEST_CASE("a checkpoint with a missing or misshapen entry is an error, not a crash",
          "[train][checkpoint][errors]") {
  const Folder folder;
  Checkpoint odd = some_checkpoint();
  odd.state.memory[0].tensors.clear();
  CHECK_NOTHROW(save_checkpoint(folder.path, odd));
  CHECK_NOTHROW(load_checkpoint(folder / "checkpoint.h5"));
  CHECK_THROWS_AS(record(std::map<std::string, std::string>{{"name", "x"}}), FileError);
}
