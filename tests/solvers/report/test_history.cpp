// Curves of records, and what is marked beside them.
#include "solvers/report/history.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::pages;

TEST_CASE("curves out of metrics.jsonl are grouped as those of a checkpoint, without speeds") {
  const Folder folder;
  folder.file("metrics.jsonl",
              "{\"step\":10,\"stage\":\"a\",\"loss\":1,\"heat\":0.5,\"cold\":0.5,\"held_out\":2,"
              "\"error:u\":0.1,\"unknown:k\":3,\"seconds\":1,\"steps_per_second\":10,"
              "\"points_per_second\":100,\"gflops\":1}\n"
              "{\"step\":20,\"stage\":\"b\",\"loss\":0.5,\"heat\":0.25,\"cold\":0.25,"
              "\"seconds\":2}\n");
  LiveRecords records(folder / "metrics.jsonl");
  records.read();
  const std::vector<Chart> charts = charts_of_curves(live_curves(records), stage_marks(records));
  std::vector<std::string> titles;
  for (const Chart& chart : charts) titles.push_back(chart.title);
  CHECK(titles == std::vector<std::string>{"Losses at the training points", "Held-out residual",
                                           "Relative error against the reference",
                                           "The unknown k"});
  std::vector<std::string> names;
  for (const Curve& curve : charts[0].curves) names.push_back(curve.name);
  CHECK(names == std::vector<std::string>{"all", "heat", "cold"});
  CHECK(charts[0].curves[1].values == std::vector<double>{0.5, 0.25});
  CHECK(charts[0].curves[1].seconds == std::vector<double>{1, 2});
  REQUIRE(charts[0].marks.size() == 1);
  CHECK(charts[0].marks[0].text == "stage b");
  CHECK(charts[0].marks[0].x == 10);
}

TEST_CASE("a stage is marked at the second at which its curves have its step") {
  const Folder folder;
  folder.file("metrics.jsonl",
              "{\"step\":10,\"stage\":\"a\",\"loss\":1,\"seconds\":50}\n"
              "{\"step\":20,\"stage\":\"b\",\"loss\":0.5,\"seconds\":90}\n");
  ReportedRun run{.folder = folder.path, .run = {}, .checkpoint = {}, .status = {}};
  run.checkpoint.state.history = {.columns = {"loss"},
                                  .steps = {10, 20},
                                  .values = {1, 0.5},
                                  .speed = {{.values = {5}}, {.values = {5}}}};
  const std::vector<Mark> marks = marks_of(run);
  REQUIRE(marks.size() == 1);
  CHECK(marks[0].x == 10);
  CHECK(marks[0].seconds == 2);  // 10 steps, 5 of them a second; by metrics.jsonl 50
}
