#include "solvers/records/checkpoints/checkpoint.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"
#include "solvers/records/folder/folder.h"
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
  CHECK(loaded.best_unknowns == saved.best_unknowns);
  REQUIRE(loaded.blocks.size() == 2);
  CHECK(loaded.blocks[0].name == "W0");
  CHECK(loaded.blocks[1].offset == 6);
}

TEST_CASE("chosen points and weights of points are saved and loaded", "[train][checkpoint]") {
  const Folder folder;
  Checkpoint saved = some_checkpoint();
  saved.state.draws[1].x = {0.25, 0.5, -0.125, 1.0};
  saved.state.draws[1].normals = {1.0, 0.0, -1.0, 0.0};
  saved.state.draws[1].weights = {0.5, 1.5};
  saved.state.draws[1].concentration = 0.75;
  saved.state.weighting = {{1, 2}, {0.5, 1}, 7, {{}, {{1, 3}, {4, 5}, {6, 7}, 9}}, {{}, {0.25}}};
  save_checkpoint(folder.path, saved);
  const TrainState loaded = load_checkpoint(folder / "checkpoint.h5").state;
  CHECK(identical(loaded, saved.state));
  CHECK(loaded.draws[0].x.empty());

  saved.state.draws[1].weights[0] = -0.5;
  save_checkpoint(folder.path, saved);
  CHECK_THROWS_WITH(load_checkpoint(folder / "checkpoint.h5"), Contains("negative"));
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
    TrainState other = copy_without_history(state);
    other.history = state.history;
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
  CHECK(differs([](TrainState& s) { s.draws[1].x = {0.5}; }));
  CHECK(differs([](TrainState& s) { s.draws[1].weights = {0.5}; }));
  CHECK(differs([](TrainState& s) { s.weights[1] = 21; }));
  CHECK(differs([](TrainState& s) { s.draws[0].concentration = 0.5; }));
  CHECK(differs([](TrainState& s) { s.weighting.changes++; }));
  CHECK(differs([](TrainState& s) { s.weighting.first = {1, 2}; }));
  CHECK(differs([](TrainState& s) { s.weighting.before = {1, 2}; }));
  CHECK(differs([](TrainState& s) { s.weighting.points[0].factors = {1}; }));
  CHECK(differs([](TrainState& s) { s.weighting.points[0].first = {1}; }));
  CHECK(differs([](TrainState& s) { s.weighting.points[1].second = {1}; }));
  CHECK(differs([](TrainState& s) { s.weighting.points[1].moves++; }));
  CHECK(differs([](TrainState& s) { s.weighting.causal[1] = {1}; }));
  CHECK(differs([](TrainState& s) { s.best.parameters[0] = 0; }));
  CHECK(differs([](TrainState& s) { s.best.residual = 0; }));
  CHECK(differs([](TrainState& s) { s.best.step++; }));
  CHECK(differs([](TrainState& s) { s.best.smallest = 0; }));
  CHECK(differs([](TrainState& s) { s.best.smallest_step++; }));
  CHECK(differs([](TrainState& s) { s.best.errors["u"] = 0; }));
  CHECK(differs([](TrainState& s) { s.best.values.clear(); }));
  CHECK(differs([](TrainState& s) { s.steps_without_better++; }));
  CHECK(differs([](TrainState& s) { s.history.add(1200, {0, 0, 0}); }));
  CHECK(differs([](TrainState& s) { s.seconds += 1; }));
}

TEST_CASE("a copy of a state is left alone by later moves", "[train][checkpoint]") {
  TrainState state = some_checkpoint().state;
  const TrainState before = copy_without_history(state);
  CHECK(before.history.steps.empty());
  state.parameters.data<double>()[0] = 7;
  state.memory[0].tensors["m"].data<double>()[0] = 7;
  CHECK(before.parameters.data<double>()[0] == 0.1);
  CHECK(before.memory[0].tensors.at("m").data<double>()[0] == 1);
}

TEST_CASE("a history row needs one value per column", "[train][checkpoint][errors]") {
  LossHistory history{{"loss", "burgers"}, {}, {}};
  CHECK_THROWS_AS(history.add(1, {1.0}), ShapeError);
}

TEST_CASE("a history takes other columns and keeps those it has", "[train][checkpoint]") {
  LossHistory history{{"loss", "walls", "error:u"}, {}, {}};
  history.add(10, {3, 2, 1});
  history.add(20, {30, 20, 10});
  history.set_columns({"error:u", "unknown:nu", "loss"});
  REQUIRE(history.values.size() == 6);
  CHECK(history.values[0] == 1);
  CHECK(std::isnan(history.values[1]));
  CHECK(history.values[2] == 3);
  CHECK(history.values[3] == 10);
  CHECK(std::isnan(history.values[4]));
  CHECK(history.values[5] == 30);
  CHECK_NOTHROW(history.add(30, {1, 2, 3}));
}

TEST_CASE("the layout that the documentation promises is in the file", "[train][checkpoint]") {
  const Folder folder;
  save_checkpoint(folder.path, some_checkpoint());

  const H5Reader file(folder / "checkpoint.h5");  // as any HDF5 tool opens it
  CHECK(file.read<double>("/last/network/W0").shape == std::vector<std::size_t>{2, 3});
  CHECK(file.read<double>("/last/network/W0").values ==
        std::vector<double>{0.1, -0.0, 5e-324, 1.0 / 3, 4, 5});
  CHECK(file.read<double>("/last/network/b0").values == std::vector<double>{6});
  CHECK(file.read<double>("/best/network/W0").values == std::vector<double>{9, 8, 7, 6, 5, 4});
  CHECK(file.number<double>("/last/unknowns/nu") == 0.0123);
  CHECK(file.number<double>("/best/unknowns/nu") == 0.0124);
  CHECK(file.number<double>("/best/errors/u") == 0.25);
  CHECK(file.number<double>("/best/values/drag") == 5.5);
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

namespace {

/// Kills its own process at the n-th system call, halfway through if that is a write.
struct Killing : FileSystem {
  explicit Killing(int n) : left(n) {}

  int open_folder(const char* path) override { return at_turn(), FileSystem::open_folder(path); }
  int open(int folder, const char* name, int flags, int mode) override {
    return at_turn(), FileSystem::open(folder, name, flags, mode);
  }
  ssize_t write(int file, const void* bytes, std::size_t count) override {
    const std::size_t piece = std::min<std::size_t>(count, 5000);
    if (left == 1) FileSystem::write(file, bytes, piece / 2);
    at_turn();
    return FileSystem::write(file, bytes, piece);
  }
  int fsync(int file) override { return at_turn(), FileSystem::fsync(file); }
  int close(int file) override { return at_turn(), FileSystem::close(file); }
  int rename(int folder, const char* from, const char* to) override {
    return at_turn(), FileSystem::rename(folder, from, to);
  }
  void at_turn() {
    if (--left == 0) ::raise(SIGKILL);
  }

  int left;
};

}  // namespace

TEST_CASE("killed at any system call, a run finds the last checkpoint it had acknowledged",
          "[train][checkpoint]") {
  int kills = 0;
  for (bool killed = true; killed;) {
    const Folder folder;
    int acknowledged[2];
    REQUIRE(::pipe(acknowledged) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Killing files(kills + 1);
      for (char step = 1; step <= 3; ++step) {
        save_checkpoint(folder.path, some_checkpoint(step), files);
        [[maybe_unused]] const ssize_t told = ::write(acknowledged[1], &step, 1);
      }
      ::_exit(0);
    }
    ::close(acknowledged[1]);
    char last = 0;
    while (::read(acknowledged[0], &last, 1) == 1) continue;
    ::close(acknowledged[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    killed = WIFSIGNALED(status);
    kills += killed;

    INFO("killed at call " << kills);
    const RunFolder resumed({.name = "", .out = folder.path, .resume = true});
    CHECK(drafts(folder.path).empty());
    const Found found = newest_checkpoint(folder.path);
    CHECK(found.skipped.empty());
    if (last == 0 && !found.checkpoint) continue;
    REQUIRE(found.checkpoint.has_value());
    CHECK(found.checkpoint->state.step >= last);
    CHECK(identical(found.checkpoint->state, some_checkpoint(found.checkpoint->state.step).state));
  }
  CHECK(kills > 30);  // three saves of at least ten calls
}

TEST_CASE("a network is rebuilt from its checkpoint as the documentation says",
          "[train][checkpoint]") {
  NetworkOptions options;
  options.layers = {5, 4}, options.activation = {"tanh", "sin"};
  const std::vector<InputRange> inputs = {{"x", -1, 3}, {"t", 0, 2}};
  const auto network = make_network(options, inputs, 2);
  std::vector<double> parameters(std::size_t(network->parameter_count()));
  network->initialize(parameters, 7);
  const double x[2] = {0.3, 1.7};
  const Tensor flat = from_values(parameters, {std::int64_t(parameters.size())});
  const Jet point = coordinate_jet(jet_table({}), from_values({x[0], x[1]}, {1, 2}));
  const std::vector<double> expected =
      network->apply(network->embed(point), block_tensors(flat, network->blocks())).data.values();

  const Folder folder;
  Checkpoint checkpoint;
  checkpoint.state.parameters = zeros(flat.shape());  // where training went on to
  checkpoint.state.best.parameters = parameters;
  checkpoint.blocks = network->blocks();
  checkpoint.inputs = inputs;
  checkpoint.record.networks = lines_of({network->description()});
  save_checkpoint(folder.path, checkpoint);

  const H5Reader file(folder / "checkpoint.h5");
  CHECK(file.text_attribute("/input/range", "names") == "x t");
  CHECK_THAT(file.text("/meta/networks"), Contains("\nactivation = tanh, sin\n"));
  const std::vector<double> range = file.read<double>("/input/range").values;
  std::vector<double> h;
  for (int i = 0; i < 2; ++i)
    h.push_back(2 * (x[i] - range[2 * i]) / (range[2 * i + 1] - range[2 * i]) - 1);
  for (int layer = 0; layer < 3; ++layer) {
    const Array<double> w = file.read<double>("/best/network/W" + std::to_string(layer));
    std::vector<double> next = file.read<double>("/best/network/b" + std::to_string(layer)).values;
    for (std::size_t i = 0; i < w.shape[0]; ++i)
      for (std::size_t j = 0; j < w.shape[1]; ++j) next[j] += h[i] * w.values[i * w.shape[1] + j];
    for (double& value : next)
      value = layer == 0 ? std::tanh(value) : layer == 1 ? std::sin(value) : value;
    h = next;
  }
  REQUIRE(h.size() == expected.size());
  for (std::size_t i = 0; i < h.size(); ++i) CHECK(h[i] == Approx(expected[i]).epsilon(1e-13));
}
