#include "solvers/records/checkpoints/record.h"

#include "autograd/core/version.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"
#include "tests/solvers/train/states.h"

using namespace pinn;
using namespace pinn::test;

namespace {

RunRecord with(std::map<std::string, std::string> effective) {
  RunRecord record = some_checkpoint().record;
  record.effective = std::move(effective);
  return record;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a record survives its texts, whatever stands in it", "[train][record]") {
  const RunRecord before = some_checkpoint().record;
  const RunRecord after = record(texts(before));
  CHECK(after.config == before.config);
  CHECK(after.overrides == before.overrides);
  CHECK(after.effective == before.effective);
  CHECK(after.hashes == before.hashes);
  CHECK(after.instruction_set == before.instruction_set);
}

TEST_CASE("the record of a run tells what its program was built for", "[train][record]") {
  const RunRecord now = record(poisson_run({stage("adam", 1)}));
  CHECK(now.instruction_set == instruction_set());
  CHECK_FALSE(now.instruction_set.empty());
  CHECK(texts(now).at("instruction_set") == now.instruction_set);
}

TEST_CASE("the record of a run keeps the machine that trained, threads and all",
          "[train][record]") {
  const Folder folder;
  Run run = poisson_run({stage("adam", 1)});
  run.options.threads = 2;
  train(run, request(folder / "run"));
  RunRecord saved = load_checkpoint(folder / "run/checkpoint.h5").record;
  CHECK(saved.processor == record(run).processor);
  CHECK(saved.threads == "2 threads");
  saved.processor = "another one";
  CHECK(record(texts(saved)).processor == "another one");
  auto older = texts(saved);
  for (const char* name : {"processor", "threads"}) older.erase(name);
  CHECK(record(older).processor.empty());
  CHECK(record(older).threads.empty());
}

TEST_CASE("a run goes on with another program, instruction set and device, and says so",
          "[train][record]") {
  const RunRecord before = some_checkpoint().record;
  RunRecord now = before;
  now.program = "pinn-train 0.2.0";
  now.instruction_set = "x86-64-v3";
  now.device = "cuda:0";
  const std::string digits = "; from here on the last digits may be others than without the change";
  const Changes found = changes(before, now, 1);
  CHECK(found.refused.empty());
  CHECK(found.allowed == Lines{"program: pinn-train 0.1.0 -> pinn-train 0.2.0" + digits,
                               "instruction set: x86-64-v4 -> x86-64-v3" + digits,
                               "device: cpu -> cuda:0" + digits});

  RunRecord older = before;
  older.instruction_set = "";  // of a program that left it empty
  CHECK(changes(older, before, 1).allowed.empty());
}

TEST_CASE("steps, options of optimizers, later stages and output may change, and are listed",
          "[train][record]") {
  const RunRecord before = with({{"stage.1.steps", "100"},
                                 {"stage.1.rate", "0.001"},
                                 {"stage.1.optimizer", "\"adam\""},
                                 {"run.threads", "1"},
                                 {"output.grid", "[1]"},
                                 {"run.device", "\"cpu\""}});
  const RunRecord now = with({{"stage.1.steps", "200"},
                              {"stage.1.rate", "0.01"},
                              {"stage.1.optimizer", "\"adam\""},
                              {"stage.2.optimizer", "\"lbfgs\""},
                              {"run.threads", "2"},
                              {"output.grid", "[2]"},
                              {"run.device", "\"cpu\""}});
  const Changes found = changes(before, now, 1);
  CHECK(found.refused.empty());
  CHECK(found.allowed == Lines{"output.grid: [1] -> [2]", "run.threads: 1 -> 2",
                               "stage.1.rate: 0.001 -> 0.01", "stage.1.steps: 100 -> 200",
                               "stage.2.optimizer: (absent) -> \"lbfgs\""});
}

TEST_CASE("physics, network, points, seed, data and optimizers in use may not change",
          "[train][record]") {
  const RunRecord before = with({{"problem.constants", "{ nu = 1 }"},
                                 {"network.layers", "[32]"},
                                 {"run.seed", "0"},
                                 {"equation.1.points", "100"},
                                 {"stage.1.optimizer", "\"adam\""},
                                 {"stage.2.optimizer", "\"adam\""}});
  RunRecord now = with({{"problem.constants", "{ nu = 2 }"},
                        {"network.layers", "[64]"},
                        {"run.seed", "1"},
                        {"equation.1.points", "200"},
                        {"stage.1.optimizer", "\"sgd\""},
                        {"stage.2.optimizer", "\"lbfgs\""}});
  now.hashes.begin()->second = std::string(64, 'b');

  const Changes found = changes(before, now, 1);
  CHECK(found.refused.size() == 6);
  CHECK(found.refused[0] == "equation.1.points: 100 -> 200");
  CHECK(found.refused.back().starts_with("SHA-256 of data/"));
  CHECK(found.allowed == Lines{"stage.2.optimizer: \"adam\" -> \"lbfgs\""});
}

TEST_CASE("a file that only judges may be another or have other contents, and is listed",
          "[train][record]") {
  const std::string a(64, 'a'), b(64, 'b');
  const auto judged_by = [&](const std::string& file, const std::string& hash) {
    RunRecord record =
        with({{"data.1.file", "\"readings.csv\""}, {"reference.file", "\"" + file + "\""}});
    record.hashes = {{"readings.csv", a}, {file, hash}};
    return record;
  };
  const RunRecord before = judged_by("u.h5", a);

  const Changes contents = changes(before, judged_by("u.h5", b), 1);
  CHECK(contents.refused.empty());
  CHECK(contents.allowed == Lines{"SHA-256 of u.h5: " + a + " -> " + b});

  const Changes file = changes(before, judged_by("better.h5", b), 1);
  CHECK(file.refused.empty());
  CHECK(file.allowed == Lines{"reference.file: \"u.h5\" -> \"better.h5\"",
                              "SHA-256 of better.h5: (absent) -> " + b,
                              "SHA-256 of u.h5: " + a + " -> (absent)"});

  RunRecord none = with({{"data.1.file", "\"readings.csv\""}});
  none.hashes = {{"readings.csv", a}};
  CHECK(changes(before, none, 1).refused.empty());
  CHECK(changes(none, before, 1).refused.empty());

  RunRecord data = before;
  data.hashes["readings.csv"] = b;
  CHECK(changes(before, data, 1).refused == Lines{"SHA-256 of readings.csv: " + a + " -> " + b});
  RunRecord both = judged_by("readings.csv", a);  // trains and judges
  both.hashes["readings.csv"] = b;
  CHECK(changes(before, both, 1).refused == Lines{"SHA-256 of readings.csv: " + a + " -> " + b});
}

TEST_CASE("nothing changed, nothing listed", "[train][record]") {
  const RunRecord same = some_checkpoint().record;
  CHECK(changes(same, same, 2).allowed.empty());
  CHECK(changes(same, same, 2).refused.empty());
}

TEST_CASE("a record is made from a run", "[train][record]") {
  Run run;
  run.name = "heat", run.source = "x = 1\n", run.overrides = {"a=1"};
  CHECK(record(run).name == "heat");
  CHECK(record(run).config == "x = 1\n");
  CHECK(record(run).program.starts_with("pinn-train "));
  const Provenance from = provenance(record(run), "the last");
  CHECK(from.texts.at("config_toml") == "x = 1\n");
  CHECK(from.texts.at("network") == "the last");
}
