#include "solvers/watch/follow.h"

#include <cmath>
#include <fstream>
#include <thread>

#include "autograd/core/error.h"
#include "solvers/watch/follow_view.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

int characters(const std::string& text) {
  int count = 0;
  for (const unsigned char c : text) count += (c & 0xC0) != 0x80;
  return count;
}

constexpr const char* status_text =
    "{\"problem\":\"a.toml\",\"state\":\"training\",\"step\":120,\"stage\":2,\"loss\":0.5,"
    "\"stages\":3,\"stage_step\":20,\"stage_steps\":200,\"warnings\":[{\"what\":\"w\"}]}\n";

/// Records of 100 steps, with all kinds of numbers.
void write_records(const std::string& file, const std::string& stage = "adam") {
  std::ofstream out(file);
  for (int step = 10; step <= 140; step += 10)
    out << "{\"step\":" << step << ",\"stage\":\"" << stage
        << "\",\"loss\":" << std::exp(-step / 10.)
        << ",\"held_out\":0.25,\"error:u\":0.125,\"unknown:nu\":" << -0.5 + step * 1e-3
        << ",\"seconds\":" << step << ",\"steps_per_second\":10}\n";
}

FollowScreen screen(std::string& shown, std::optional<TerminalLook> look, double& now,
                    std::function<bool(int)> wait) {
  return {[&](const std::string& text) { shown += text; }, [=] { return look; },
          [&] { return now; },
          [&now, wait, count = 0](double seconds) mutable {
            now += seconds;
            return wait(count++);
          }};
}

}  // namespace

TEST_CASE("a sketch puts dots where the values are", "[train][live]") {
  const std::vector<double> x = {0, 1, 2, 3}, line = {0, 1, 2, 3};
  CHECK_THAT(sketch(x, line, {14, 2, false, false}),
             Equals(std::vector<std::string>{"  3.0e+00   .'", "  0.0e+00 .'  "}));
  CHECK_THAT(sketch(x, {1e-3, 1e-2, 1e-1, 1}, {14, 2, false, true}),
             Equals(std::vector<std::string>{"  1.0e+00   .'", "  1.0e-03 .'  "}));
  CHECK_THAT(sketch({0, 1}, {0, 3}, {11, 1, true, false}),
             Equals(std::vector<std::string>{"  3.0e+00 \u284E"}));
}

TEST_CASE("a sketch takes any numbers", "[train][live][errors]") {
  const double big = 1.7e308, values[] = {NAN, INFINITY, -INFINITY, big, -big, 0, 5e-324, 1};
  for (const double a : values)
    for (const double b : values)
      for (const bool log : {false, true}) {
        const auto rows = sketch({0, 1}, {a, b}, {30, 3, true, log});
        REQUIRE(rows.size() == 3);
        for (const std::string& row : rows) CHECK(characters(row) == 30);
      }
  CHECK(sketch({}, {}, {1, 1, true, true}).size() == 1);
}

TEST_CASE("the live picture fits its terminal, whatever the size", "[train][live]") {
  const Folder folder;
  write_records(folder / "metrics.jsonl", "a\nb\x1b[2J\xe2\x82\xac");
  LiveRecords records(folder / "metrics.jsonl");
  records.read();
  const FollowView view{"runs/\x1b]0;x\x07", status_text, records};
  for (const int columns : {1, 2, 10, 40, 80, 200})
    for (const int rows : {1, 2, 5, 24, 60})
      for (const bool braille : {false, true}) {
        const auto lines = view.lines({columns, rows, braille, false});
        CHECK(int(lines.size()) <= std::max(rows - 1, 1));
        for (const std::string& line : lines) {
          CHECK(characters(line) <= std::max(columns - 1, 1));
          CHECK(line.find_first_of("\x1b\n\r\x07") == line.npos);
          if (!braille) CHECK(characters(line) == int(line.size()));
        }
      }
}

TEST_CASE("the live picture tells where a run stands", "[train][live]") {
  const Folder folder;
  write_records(folder / "metrics.jsonl");
  LiveRecords records(folder / "metrics.jsonl");
  records.read();
  const FollowView view{"runs/a", status_text, records};
  std::string all;
  for (const std::string& line : view.lines({100, 40, true, true})) all += line + "\n";
  CHECK_THAT(all, Contains("runs/a  training") && Contains("adam 2/3") &&
                      Contains("step 40 of 200, 140 in all") && Contains("10 steps/s") &&
                      Contains("0:16 left") && Contains("1 warning"));
  CHECK_THAT(all, Contains("loss 8.315e-07") && Contains("held out 2.500e-01") &&
                      Contains("error of u 1.250e-01") && Contains("nu -0.36"));
  CHECK_THAT(view.line(), Contains("loss 8.315e-07") && Contains("0:16 left"));
  const FollowView unknown{"runs/a", "", records};
  CHECK_THAT(unknown.line(), Contains("140 in all") && !Contains("left"));
}

TEST_CASE("a run is followed to its end, and how it ended is said", "[train][live]") {
  const Folder root;
  const std::string place = root / "run";
  const std::pair<const char*, RunEnd> ends[] = {{"done", RunEnd::done},
                                                 {"interrupted", RunEnd::interrupted},
                                                 {"diverged", RunEnd::diverged},
                                                 {"training", RunEnd::silent}};
  for (const auto& [state, end] : ends) {
    std::optional<RunFolder> writer(std::in_place,
                                    FolderRequest{.name = "run", .out = place, .overwrite = true});
    root.file("run/status.json", status_text);
    write_records(place + "/metrics.jsonl");
    std::string shown;
    double now = 0;
    const auto found =
        follow(place, screen(shown, TerminalLook{}, now, [&, state = state](int count) {
                 if (count == 2) {
                   root.file("run/status.json", "{\"state\":\"" + std::string(state) + "\"}");
                   writer.reset();
                 }
                 return true;
               }));
    INFO(shown);
    CHECK(found == end);
    CHECK(shown.ends_with("\n"));
    CHECK(now == 1.5);
  }
}

TEST_CASE("who leaves early leaves the run alone", "[train][live]") {
  const Folder root;
  const RunFolder writer({.name = "run", .out = root / "run"});
  write_records(root / "run/metrics.jsonl");
  std::string shown;
  double now = 0;
  CHECK(!follow(root / "run", screen(shown, TerminalLook{}, now, [](int n) { return n < 3; })));
  CHECK(std::distance(std::filesystem::directory_iterator(root / "run"), {}) == 2);
}

TEST_CASE("without a terminal there are lines, fewer and fewer", "[train][live]") {
  const Folder root;
  std::optional<RunFolder> writer(std::in_place, FolderRequest{.name = "run", .out = root / "run"});
  write_records(root / "run/metrics.jsonl");
  std::string shown;
  double now = 0;
  follow(root / "run", screen(shown, {}, now, [&](int count) {
           if (count == 400) writer.reset();
           return true;
         }));
  // After 1, 2.5, 6.5, 16.5, 41.5 and 101.5 s, then every minute to 200 s; the last, and the end.
  CHECK(std::count(shown.begin(), shown.end(), '\n') == 9);
  CHECK(shown.find('\x1b') == shown.npos);
}

TEST_CASE("a folder that is not there or holds no run is an error", "[train][live][errors]") {
  const Folder root;
  std::string shown;
  double now = 0;
  const FollowScreen s = screen(shown, {}, now, [](int) { return false; });
  CHECK_THROWS_AS(follow(root / "none", s), ConfigError);
  CHECK_THROWS_AS(follow(root.path, s), ConfigError);
}

TEST_CASE("the status and the records of two stages are not mixed", "[train][live]") {
  const Folder folder;
  write_records(folder / "metrics.jsonl");  // of adam, up to step 140
  LiveRecords records(folder / "metrics.jsonl");
  records.read();
  const auto progress = [&](const std::string& name, int step, int made) {
    const std::string status = fmt::format(
        "{{\"state\":\"training\",\"step\":{},\"stage\":2,\"stages\":3,\"stage_name\":\"{}\","
        "\"stage_step\":{},\"stage_steps\":200}}\n",
        step, name, made);
    return FollowView{"run", status, records}.progress();
  };
  CHECK_THAT(progress("adam", 140, 20),
             Contains("adam 2/3  step 20 of 200") && Contains("steps/s"));
  // a stage has begun, and has no record yet: neither its name nor its speed is that of the last
  CHECK_THAT(progress("ssbroyden", 150, 5),
             Contains("ssbroyden 2/3  step 5 of 200") && !Contains("steps/s"));
  // records of the next stage are there before its status: no count of steps is of both
  CHECK_THAT(progress("first", 90, 90), Contains("adam  140 in all") && !Contains("of 200"));
  CHECK_THAT(progress("2", 150, 5), Contains("stage 2 of 3  step 5 of 200"));
}
