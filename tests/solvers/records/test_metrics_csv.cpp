#include "solvers/records/logs/metric_record.h"

#include <sstream>

#include "solvers/records/logs/run_log.h"
#include "tests/catch.h"
#include "tests/data/files/faults.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> lines_of(const std::string& file) {
  std::istringstream text(read_file(file));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// The first cells of a line, those that no clock decides.
std::vector<std::string> without_clock(const std::string& file) {
  std::vector<std::string> lines = lines_of(file);
  const std::size_t columns =
      std::size_t(std::count(lines[0].begin(),
                             lines[0].begin() + std::ptrdiff_t(lines[0].find(",seconds")), ',')) +
      1;
  for (std::string& line : lines) {
    std::size_t end = 0;
    for (std::size_t k = 0; k < columns; ++k) end = line.find(',', end + 1);
    line.resize(end);
  }
  return lines;
}

}  // namespace

TEST_CASE("metrics.csv has a column per number, and a line per record", "[train][metrics]") {
  const Folder folder;
  FileSystem files;
  const MetricRecord first{10, 0, "adam", {{"loss", 0.5}, {"seconds", 1.5}}};
  MetricsCsv csv(folder / "metrics.csv", {first}, {"loss", "held_out"}, files);
  const MetricRecord second{20, 0, "a \"b\",\nc", {{"held_out", 0.1}, {"gflops", 3}}};
  CHECK(csv.has_columns_of(second));
  csv.append(second);
  CHECK(read_file(folder / "metrics.csv") ==
        "step,stage,loss,held_out,seconds,steps_per_second,points_per_second,gflops,share_of_peak\n"
        "10,adam,0.5,,1.5,,,,\n"
        "20,\"a \"\"b\"\",\nc\",,0.1,,,,3,\n");
  CHECK(!csv.has_columns_of({30, 0, "adam", {{"error:u", 1.0}}}));
  CHECK(!csv.has_columns_of({30, 1, "adam", {}}));
}

TEST_CASE("metrics.csv says what metrics.jsonl says, for a run in pieces, too",
          "[train][metrics]") {
  const Folder folder;
  Run run = inverse_run({stage("adam", 30), stage("lbfgs", 30)});
  run.output.metrics = "csv";
  train(run, request(folder / "whole"));
  train_step_by_step(run, folder / "pieces");
  CHECK(without_clock(folder / "whole/metrics.csv") ==
        without_clock(folder / "pieces/metrics.csv"));
  const std::vector<std::string> lines = lines_of(folder / "whole/metrics.csv");
  const std::vector<MetricRecord> records = records_in(folder / "whole/metrics.jsonl");
  REQUIRE(lines.size() == records.size() + 1);
  CHECK_THAT(lines[0], Contains("step,stage,loss,") && Contains(",unknown:k,"));
  for (std::size_t k = 0; k < records.size(); ++k)
    CHECK(lines[k + 1].starts_with(
        fmt::format("{},{},{},", records[k].step, records[k].stage, records[k].at("loss"))));
}

TEST_CASE(
    "a run that is told to write metrics.csv when it goes on writes all of it, and none else "
    "has one",
    "[train][metrics]") {
  const Folder folder;
  Run run = poisson_run({stage("adam", 40)});
  train(run, request(folder / "run"));
  CHECK(!is_there(folder / "run/metrics.csv"));
  run.stages[0].optimizer.steps = 60;
  run.effective["stage.1.steps"] = "60";
  run.output.metrics = "csv";
  train(run, request(folder / "run", true));
  CHECK(lines_of(folder / "run/metrics.csv").size() == 7);
}

TEST_CASE("a number that no column expects makes the table anew", "[train][metrics]") {
  const Folder root;
  const RunFolder folder({.name = "a", .out = root / "a"});
  FileSystem files;
  RunLog log(folder.path(), ProgressStyle::quiet, files);
  log.open_metrics(-1, {.csv = true}, {"loss"}, 0);
  log.metrics({10, 0, "adam", {{"loss", 1.0}}});
  log.metrics({20, 1, "adam", {{"loss", 2.0}, {"error:u", 3.0}}});
  const std::vector<std::string> lines = lines_of(root / "a/metrics.csv");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("step,window,stage,loss,error:u,seconds,"));
  CHECK(lines[1].starts_with("10,0,adam,1,,"));
  CHECK(lines[2].starts_with("20,1,adam,2,3,"));
}

TEST_CASE("a disk that refuses once to make the files of records costs no record",
          "[train][metrics][errors]") {
  const Folder root;
  for (int n = 1; n <= 12; ++n) {
    const std::string place = root / fmt::format("run{}", n);
    Faults busy("open", n, n % 2 == 0 ? EMFILE : EACCES);
    const RunFolder folder({.name = "a", .out = place});
    {
      RunLog log(folder.path(), ProgressStyle::quiet, busy);
      log.open_metrics(-1, {true, true}, {"loss"}, 0);
      for (int step = 10; step <= 50; step += 10) log.metrics({step, 0, "adam", {{"loss", 1.0}}});
    }
    INFO(n);
    CHECK(lines_of(place + "/metrics.jsonl").size() == 5);
    CHECK(lines_of(place + "/metrics.csv").size() == 6);
    CHECK(!event_files(place).empty());
  }
}

TEST_CASE("a record that the disk refuses waits until it takes it", "[train][metrics][errors]") {
  const Folder root;
  for (int n = 1; n <= 12; ++n)
    for (const int refused : {1, 3}) {
      const std::string place = root / fmt::format("run{}_{}", n, refused);
      Faults full("write", n, ENOSPC, refused > 1);
      const RunFolder folder({.name = "a", .out = place});
      {
        RunLog log(folder.path(), ProgressStyle::quiet, full);
        log.open_metrics(-1, {}, {"loss"}, 0);
        for (int step = 10; step <= 50; step += 10) {
          if (full.seen >= n + refused) full.seen = -1000;  // there is room again
          log.metrics({step, 0, "adam", {{"loss", 1.0}}});
        }
        full.seen = -1000;
      }
      INFO(n << " " << refused);
      const std::vector<std::string> lines = lines_of(place + "/metrics.jsonl");
      REQUIRE(lines.size() == 5);
      for (std::size_t k = 0; k < lines.size(); ++k)
        CHECK(lines[k].starts_with(fmt::format("{{\"step\":{}0,", k + 1)));
    }
}

TEST_CASE("records of a file that can be made at the very end alone are all there",
          "[train][metrics][errors]") {
  const Folder root;
  Faults full("open", 1, EACCES, true);
  full.seen = -1000;
  const RunFolder folder({.name = "a", .out = root / "a"});
  {
    RunLog log(folder.path(), ProgressStyle::quiet, full);
    full.seen = 0;
    log.open_metrics(-1, {}, {"loss"}, 0);
    for (int step = 10; step <= 50; step += 10) log.metrics({step, 0, "adam", {{"loss", 1.0}}});
    CHECK(!is_there(root / "a/metrics.jsonl"));
    full.seen = -1000;
  }
  CHECK(lines_of(root / "a/metrics.jsonl").size() == 5);
}

TEST_CASE("a disk that refuses a table or event files costs these records, not the run",
          "[train][metrics][errors]") {
  const Folder root;
  for (int n = 1; n <= 12; ++n) {
    const std::string place = root / fmt::format("run{}", n);
    Faults full("write", n, ENOSPC);
    const RunFolder folder({.name = "a", .out = place});
    RunLog log(folder.path(), ProgressStyle::quiet, full);
    CHECK_NOTHROW(log.open_metrics(-1, {true, true}, {"loss"}, 0));
    for (int step = 10; step <= 50; step += 10)
      CHECK_NOTHROW(log.metrics({step, 0, "adam", {{"loss", 1.0}}}));
    if (is_there(place + "/metrics.csv"))
      for (const std::string& line : lines_of(place + "/metrics.csv"))
        CHECK(std::count(line.begin(), line.end(), ',') == 7);
  }
}
