#include "solvers/records/logs/progress.h"

#include "solvers/state/speed.h"
#include "tests/catch.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

/// A screen in memory with a clock that is set by hand.
struct Fake {
  std::string text;
  int width = 200;
  double now = 100;

  ProgressScreen screen() {
    return {[this](const std::string& t) { text += t; }, [this] { return width; },
            [this] { return now; }};
  }
};

ProgressView view(std::int64_t step) {
  return {.stage = "adam",
          .stage_number = 1,
          .stages = 2,
          .step = step,
          .steps = 5000,
          .loss = 1.25e-3,
          .terms = {{"burgers", 1e-3}, {"walls", 2.5e-4}},
          .errors = {{"u", 3e-2}},
          .unknowns = {},
          .points = 10000};
}

}  // namespace

TEST_CASE("the line shows stage, step, loss, error, speed, time left and terms",
          "[train][progress]") {
  Fake fake;
  Progress progress(ProgressStyle::line, fake.screen());
  progress.show(view(0));
  fake.now += 10, fake.text.clear();
  progress.show(view(1000));  // 100 steps per second, of 10 000 points each; 4000 steps left

  const std::string line =
      "\radam 1/2  step 1000/5000  loss 1.250e-03  error u 3.0e-02  1.00M points/s  0:40 left"
      "  (burgers 1.0e-03, walls 2.5e-04)\x1b[K";
  CHECK(fake.text == line);
}

TEST_CASE("the line shows the unknowns after the error", "[train][progress]") {
  Fake fake;
  Progress progress(ProgressStyle::line, fake.screen());
  ProgressView inverse = view(0);
  inverse.unknowns = {{"nu", 0.00318309886}, {"c", 2}};
  progress.show(inverse);
  CHECK_THAT(fake.text, Contains("error u 3.0e-02  nu 0.0031831  c 2  (burgers"));
}

TEST_CASE("the line is drawn at most ten times a second and cut to the terminal",
          "[train][progress]") {
  Fake fake;
  fake.width = 20;
  Progress progress(ProgressStyle::line, fake.screen());
  progress.show(view(0));
  CHECK(fake.text == "\radam 1/2  step 0/50\x1b[K");

  fake.text.clear();
  for (int i = 0; i < 1000; ++i, fake.now += 0.01) progress.show(view(i));
  CHECK(std::count(fake.text.begin(), fake.text.end(), '\r') <= 101);
  CHECK(std::count(fake.text.begin(), fake.text.end(), '\r') >= 90);
}

TEST_CASE("a message does not tear the line", "[train][progress]") {
  Fake fake;
  {
    Progress progress(ProgressStyle::line, fake.screen());
    progress.message("before");
    CHECK(fake.text == "before\n");
    progress.show(view(0));
    fake.text.clear();
    progress.message("saved");
    CHECK(fake.text == "\r\x1b[Ksaved\n");
    fake.text.clear();
    fake.now += 1;
    progress.show(view(1));
  }
  CHECK(fake.text.back() == '\n');  // the shell's prompt gets a line of its own
}

TEST_CASE("a log has lines at growing distances, then a minute apart", "[train][progress]") {
  Fake fake;
  Progress progress(ProgressStyle::log, fake.screen());
  std::vector<double> times;
  for (; fake.now <= 300; fake.now += 0.25) {
    fake.text.clear();
    progress.show(view(std::int64_t(fake.now)));
    if (!fake.text.empty()) times.push_back(fake.now - 100);
    CHECK(fake.text.find_first_of("\r\x1b") == std::string::npos);
  }
  CHECK(times == std::vector<double>{1, 2.5, 6.25, 15.75, 39.5, 98.75, 158.75});
}

TEST_CASE("quiet shows messages only", "[train][progress]") {
  Fake fake;
  {
    Progress progress(ProgressStyle::quiet, fake.screen());
    fake.now += 100;
    CHECK_FALSE(progress.due());
    progress.show(view(1));
    progress.leave(view(2));
    progress.message("error");
  }
  CHECK(fake.text == "error\n");
}

TEST_CASE("the end of a stage stays on the screen, due or not", "[train][progress]") {
  const auto style = GENERATE(ProgressStyle::line, ProgressStyle::log);
  Fake fake;
  Progress progress(style, fake.screen());
  progress.show(view(4999));
  fake.text.clear();
  progress.leave(view(5000));
  CHECK_THAT(fake.text,
             Contains("step 5000/5000") && Catch::Matchers::EndsWith("\n") && !Contains("left"));
}

TEST_CASE("the speed is of the last ten seconds and of this stage", "[train][progress]") {
  Fake fake;
  Progress progress(ProgressStyle::line, fake.screen());
  std::int64_t step = 0;
  for (int i = 0; i <= 1000; ++i, fake.now += 0.1)
    progress.show(view(step += 10));  // 100 steps per second
  for (int i = 0; i <= 600; ++i, fake.now += 0.1) progress.show(view(step += 1));  // now 10
  fake.text.clear(), fake.now += 0.1;
  progress.show(view(step += 1));
  CHECK_THAT(fake.text, Contains("100k points/s") || Contains("101k points/s"));

  ProgressView next = view(0);
  next.stage = "lbfgs", next.stage_number = 2;
  fake.text.clear(), fake.now += 1;
  progress.show(next);
  CHECK_THAT(fake.text, Contains("lbfgs 2/2") && !Contains("points/s"));
}

TEST_CASE("durations and counts are short", "[train][progress]") {
  CHECK(duration(0) == "0:00");
  CHECK(duration(59.7) == "1:00");
  CHECK(duration(725) == "12:05");
  CHECK(duration(3600 * 3 + 429) == "3:07:09");
  CHECK(duration(2 * 86400 + 3 * 3600) == "2 d 3 h");
  CHECK(duration(1e300) == "11574 d 1 h");
  CHECK(short_count(812) == "812");
  CHECK(short_count(999.6) == "1.00k");
  CHECK(short_count(45300) == "45.3k");
  CHECK(short_count(123456) == "123k");
  CHECK(short_count(3e9) == "3.00G");
}

TEST_CASE("the held-out residual stands beside the loss once it was asked for",
          "[train][progress]") {
  Fake fake;
  Progress progress(ProgressStyle::line, fake.screen());
  progress.show(view(0));
  CHECK(fake.text.find("held out") == std::string::npos);

  fake.now += 10, fake.text.clear();
  ProgressView judged = view(100);
  judged.held_out = 3.5e-2, judged.largest = 12, judged.largest_in = "burgers";
  progress.show(judged);

  CHECK(fake.text.find("loss 1.250e-03  held out 3.500e-02 (at most 1.2e+01 in burgers)  error") !=
        std::string::npos);
}
