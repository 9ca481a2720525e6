// Curves of records, and what is marked beside them.
#include <fmt/format.h>

#include <algorithm>

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

namespace {

/// A run with so many redraws, one every 10 steps.
ReportedRun redrawn(std::int64_t count) {
  ReportedRun run{.folder = "none",
                  .run = test::poisson_run({test::stage("adam", 10)}),
                  .checkpoint = {},
                  .status = {}};
  run.run.sampling[0].redraw = 10;
  TrainState& state = run.checkpoint.state;
  state.step = 10 * count + 5;
  state.draws.resize(run.run.problem.requirements.size());
  state.draws[0] = {.count = std::uint32_t(count), .step = 10 * count};
  return run;
}

}  // namespace

TEST_CASE("of many redraws some are marked, evenly and without names, and the page says so") {
  const std::vector<Mark> few = redraw_marks(redrawn(10), {});
  CHECK(few.size() == 10);
  for (const Mark& mark : few) CHECK(mark.text == "redraw");
  CHECK(redraws_text(redrawn(10), few).starts_with("Lines down: stages and redraws; points of "));

  for (const std::int64_t count : {11, 29, 5000}) {
    const std::vector<Mark> some = redraw_marks(redrawn(count), {});
    REQUIRE(some.size() == 10);
    CHECK(some.front().x == 10);
    CHECK(some.back().x == 10 * double(count));
    CHECK(std::ranges::all_of(some, [](const Mark& mark) { return mark.text.empty(); }));
    CHECK(redraws_text(redrawn(count), some).find("but 10 of these alone; points of ") !=
          std::string::npos);
  }
  CHECK(redraws_text(redrawn(0), {}).empty());
}

TEST_CASE("a hundred thousand records have no more points than a page shows, both ends theirs") {
  constexpr std::size_t records = 100'000, shown = 700;  // docs/report.md
  const Folder folder;
  LossHistory history{.columns = {"loss"}, .steps = {}, .values = {}};
  std::string metrics;
  for (std::size_t k = 1; k <= records; ++k) {
    history.steps.push_back(std::int64_t(10 * k));
    history.values.push_back(1 / double(k));
    metrics +=
        fmt::format("{{\"step\":{},\"stage\":\"a\",\"loss\":1,\"seconds\":{}}}\n", 10 * k, k);
  }
  const Curve curve = history_curves(history)[0];
  CHECK(curve.x.size() == shown);
  CHECK(curve.values.size() == shown);
  CHECK(curve.x.front() == 10);
  CHECK(curve.x.back() == 10 * double(records));

  folder.file("metrics.jsonl", metrics);
  LiveRecords live(folder / "metrics.jsonl");
  live.read();
  const Curve followed = live_curves(live)[0];
  CHECK(followed.x.size() <= LiveCurve::most);
  CHECK(followed.x.front() == 10);
  CHECK(followed.x.back() == 10 * double(records));
}
