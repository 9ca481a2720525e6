// pinn-report on what others left: no run, a damaged one, one at work, texts with markup.
#include <sys/stat.h>

#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

Outcome report_on(const Folder& folder, const std::vector<std::string>& arguments,
                  rlim_t file = 0) {
  return Program("pinn-report", arguments, folder.path, 0, file).wait();
}

/// A run that is done.
struct DoneRun : Folder {
  DoneRun() {
    file("small.toml", small_problem);
    REQUIRE(pinn_train(*this, {"small.toml", "--quiet", "--set", "output.report=false"}).code == 0);
    checkpoint = read_file(path + "/runs/small/checkpoint.h5");
  }
  std::string checkpoint;
};

/// Refused in words, and no page is left.
void check_refused(const Outcome& run, const Folder& place, const std::string& why) {
  CHECK((run.code == 1 || run.code == 5));
  CHECK_THAT(run.err, Contains(why) && Contains("where:") && Contains("fix:"));
  CHECK_FALSE(std::filesystem::exists(place / "runs/small/report.html"));
}

}  // namespace

TEST_CASE("a checkpoint with one other byte is no page but a word", "[apps][report]") {
  const DoneRun place;
  for (const std::size_t share : {0, 1, 5, 9, 13, 15}) {
    std::string other = place.checkpoint;
    other[share * (other.size() - 1) / 15] ^= 0x10;
    place.file("runs/small/checkpoint.h5", other);
    check_refused(report_on(place, {"runs/small"}), place, "no checkpoint of the run is good");
  }
}

TEST_CASE("files of others by the name of a checkpoint are told apart", "[apps][report]") {
  const DoneRun place;
  place.file("runs/small/checkpoint.h5", read_file(place / "runs/small/fields.h5"));
  check_refused(report_on(place, {"runs/small"}), place, "this file is not a checkpoint");
  place.file("runs/small/checkpoint.h5", std::string(1 << 20, '<'));
  check_refused(report_on(place, {"runs/small"}), place, "this file is not a checkpoint");
  std::filesystem::remove(place / "runs/small/checkpoint.h5");
  std::filesystem::create_directory(place / "runs/small/checkpoint.h5");
  check_refused(report_on(place, {"runs/small"}), place, "cannot read the file");
  std::filesystem::remove(place / "runs/small/checkpoint.h5");
  REQUIRE(::mkfifo((place / "runs/small/checkpoint.h5").c_str(), 0600) == 0);
  check_refused(report_on(place, {"runs/small"}), place, "a device or a pipe");
  check_refused(report_on(place, {"small.toml"}), place, "there is no such folder");
}

TEST_CASE("a page that does not fit onto the disk leaves the older one", "[apps][report]") {
  const DoneRun place;
  place.file("runs/small/report.html", "older");
  const Outcome run = report_on(place, {"runs/small"}, 20000);
  CHECK(run.code == 5);
  CHECK_THAT(run.err, Contains("cannot write") && Contains("fix:"));
  CHECK(read_file(place / "runs/small/report.html") == "older");
}

TEST_CASE("a run that has saved nothing yet is told from no run", "[apps][report]") {
  const Folder place;
  place.file("small.toml", small_problem);
  Program run("pinn-train", {"small.toml", "--quiet", "--set", "stage.descent.steps=100000000"},
              place.path);
  REQUIRE(comes_true([&] { return std::filesystem::exists(place / "runs/small/metrics.jsonl"); }));
  const Folder elsewhere;  // for what it prints
  CHECK_THAT(report_on(elsewhere, {place / "runs/small"}).err,
             Contains("has begun and saved no checkpoint yet") && Contains("--follow"));
  CHECK(run.stop(SIGTERM).code == 4);
  CHECK(report_on(elsewhere, {place / "runs/small"}).code == 0);
}

TEST_CASE("a page that is older than its run is told of", "[apps][report]") {
  const Folder place;
  place.file("small.toml", small_problem);
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  CHECK_THAT(pinn_train(place, {"runs/small"}).out, !Contains("report.html"));
  REQUIRE(pinn_train(place, {"runs/small", "--quiet", "--resume", "--set", "stage.descent.steps=30",
                             "--set", "output.report=false"})
              .code == 0);
  CHECK_THAT(pinn_train(place, {"runs/small"}).out,
             Contains("report.html is of step 20, saved is step 30: pinn-report runs/small\n"));
  CHECK(report_on(place, {"runs/small", "--out", "runs/small/report.html"}).code == 0);
  CHECK_THAT(pinn_train(place, {"runs/small"}).out, !Contains("report.html"));
}

TEST_CASE("comments and names of files with markup stay text on the page", "[apps][report]") {
  const Folder place;
  const std::string data = "<script>alert(1)<\\script>\"'\n&.csv";
  const std::string out = "o<img src=x onerror=alert(4)>\"'\nend";
  place.file(data, "x,v\n0.5,1\n");
  place.file("p<svg onload=alert(3)>\"'\n.toml",
             "# </script><script>alert(0)</script> ]]> -->\n" + std::string(small_problem) +
                 "[[data]]\nfile = \"<script>alert(1)<\\\\script>\\\"'\\n&.csv\"\n"
                 "columns = { x = \"x\", v = \"v\" }\nresidual = \"u = v\"\n");
  REQUIRE(pinn_train(place, {"p<svg onload=alert(3)>\"'\n.toml", "--quiet", "--out", out}).code ==
          0);
  const Outcome run = report_on(place, {out, "--pictures", "figures", "-o", "page.html"});
  REQUIRE(run.code == 0);
  const std::string page = read_file(place / "page.html");
  for (const char* markup : {"<script>alert", "<img src", "<svg onload"})
    CHECK_THAT(page, !Contains(markup));
  CHECK_THAT(page, Contains("&lt;/script&gt;&lt;script&gt;alert(0)") &&
                       Contains("o&lt;img src=x onerror=alert(4)&gt;&quot;"));
  for (const auto& file : std::filesystem::directory_iterator(place / "figures"))
    CHECK_THAT(read_file(file.path().string()), !Contains("<script") && !Contains("onload"));
}

TEST_CASE("a page says of which step it is, and where points were drawn anew", "[apps][report]") {
  const Folder place;
  std::string problem = small_problem;
  const std::string before = "points   = 24", stage = "steps     = 20\n";
  problem.replace(problem.find(before), before.size(), "points = { count = 24, redraw = 7 }");
  problem.insert(problem.find(stage) + stage.size(),
                 "[[stage]]\nname = \"choice\"\noptimizer = \"adam\"\nsteps = 30\n"
                 "sampling = { kind = \"rad\", every = 12, candidates = 60 }\n");
  place.file("small.toml", problem);
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  REQUIRE(report_on(place, {"runs/small"}).code == 0);
  const std::string page = read_file(place / "runs/small/report.html");
  CHECK_THAT(page, Contains("; made of the checkpoint of step 50</p>"));
  for (const int step : {7, 14, 32, 44})
    CHECK_THAT(page, Contains("{\"x\":" + std::to_string(step) + ",\"seconds\":"));
  CHECK_THAT(page, Contains("\"text\":\"redraw\"") &&
                       Contains("poisson were drawn anew 4 times, the last time at step 44"));
}
