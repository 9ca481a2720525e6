// The page of a run, as a file.
#include <sys/stat.h>

#include <regex>

#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

struct Trained : Folder {
  explicit Trained(const std::string& out = "runs/small", const std::string& seed = "0") {
    file("small.toml", small_problem);
    train(out, seed);
  }
  void train(const std::string& out, const std::string& seed) const {
    REQUIRE(pinn_train(*this, {"small.toml", "--quiet", "--out", out, "--set", "run.seed=" + seed})
                .code == 0);
  }
};

Outcome pinn_report(const Folder& folder, const std::vector<std::string>& arguments) {
  return Program("pinn-report", arguments, folder.path).wait();
}

}  // namespace

TEST_CASE("a run ends with a page that asks for nothing else", "[apps][report]") {
  const Trained place;
  const std::string page = read_file(place / "runs/small/report.html");
  CHECK_THAT(page, Contains("default-src 'none'"));
  CHECK_THAT(page, Contains("<h1>small</h1>") && Contains("relative L2 error of u"));
  CHECK_THAT(page, Contains("<msub>") && Contains("Held-out residual"));
  CHECK_THAT(page, Contains("residual = &quot;u_xx = -pi^2*sin(pi*x)&quot;"));
  const std::regex elsewhere("(src|href)=\"(?!data:)|url\\((?!#)|@import");
  CHECK_FALSE(std::regex_search(page.substr(0, page.rfind("<script>")), elsewhere));
  CHECK(count(page, "<figure") == count(page, "</figure>"));
  CHECK(count(page, "<section") == count(page, "</section>"));
}

TEST_CASE("a run that shall have no page has none", "[apps][report]") {
  const Folder place;
  place.file("small.toml", small_problem);
  const Outcome run = pinn_train(place, {"small.toml", "--set", "output.report=false"});
  CHECK(run.code == 0);
  CHECK_THAT(run.out, !Contains("report.html"));
  CHECK_FALSE(std::filesystem::exists(place / "runs/small/report.html"));
  CHECK(pinn_report(place, {"runs/small", "-o", "page.html"}).code == 0);
  CHECK(std::filesystem::file_size(place / "page.html") > 1000);
}

TEST_CASE("several runs stand side by side, with what differs", "[apps][report]") {
  const Trained place("runs/a");
  place.train("runs/b", "7");
  CHECK(pinn_report(place, {"runs/a", "runs/b"}).code == 2);
  const Outcome run = pinn_report(place, {"runs/a", "runs/b", "-o", "both.html"});
  CHECK(run.code == 0);
  const std::string page = read_file(place / "both.html");
  CHECK_THAT(page, Contains("<th>run.seed</th><td>0</td><td>7</td>"));
  CHECK_THAT(page, !Contains("<th>run.threads</th><td>1</td><td>1</td>"));
  CHECK(count(page, "<article>") == 2);
}

TEST_CASE("pictures are files of their own, as lines and as pixels", "[apps][report]") {
  const Trained place;
  const Outcome run = pinn_report(place, {"runs/small", "--pictures", "figures"});
  CHECK(run.code == 0);
  CHECK_THAT(read_file(place / "figures/u.svg"), Contains("<?xml") && Contains("<path"));
  int pictures = 0;
  for (const auto& file : std::filesystem::directory_iterator(place / "figures")) {
    INFO(file.path());
    CHECK_THAT(run.out, Contains("wrote figures/" + file.path().filename().string() + "\n"));
    std::filesystem::path other = file.path();
    if (other.extension() == ".png") {
      CHECK_THAT(read_file(other.string()), Catch::Matchers::StartsWith("\x89PNG\r\n"));
      CHECK(std::filesystem::exists(other.replace_extension(".svg")));
      ++pictures;
    } else {
      CHECK(std::filesystem::exists(other.replace_extension(".png")));
    }
  }
  CHECK(pictures >= 4);
  CHECK(std::filesystem::exists(place / "figures/training_points.png"));
}

TEST_CASE("pictures whose titles differ in signs alone are files of their own", "[apps][report]") {
  const Folder place;
  std::string problem = small_problem;
  const std::string before = "grid = { x = 11 }";
  problem.replace(problem.find(before), before.size(), "fields = [\"u+2\", \"u*2\"]");
  place.file("small.toml", problem);
  REQUIRE(pinn_train(place, {"small.toml", "--quiet", "--out", "run"}).code == 0);
  CHECK(pinn_report(place, {"run", "--pictures", "figures"}).code == 0);
  const std::string first = read_file(place / "figures/u_2.svg");
  const std::string second = read_file(place / "figures/u_2_2.svg");
  CHECK_THAT(first, Contains("<title>u+2</title>"));
  CHECK_THAT(second, Contains("<title>u*2</title>"));
  CHECK(std::filesystem::exists(place / "figures/u_2_2.png"));
}

TEST_CASE("names of files and folders stay text on the page", "[apps][report]") {
  const std::string hostile = "runs/<script>alert(1)<\\script>\"'&";
  const Trained place(hostile);
  const std::string page = read_file(place / hostile + "/report.html");
  CHECK_THAT(page, !Contains("<script>alert"));
  CHECK_THAT(page, Contains("&lt;script&gt;alert(1)"));
}

TEST_CASE("stages are marked by metrics.jsonl, and what is no plain file is not read",
          "[apps][report]") {
  const Trained place;
  constexpr const char* unmarked = "No stage is marked: there is no metrics.jsonl.";
  CHECK_THAT(read_file(place / "runs/small/report.html"), !Contains(unmarked));
  std::filesystem::remove(place / "runs/small/metrics.jsonl");
  REQUIRE(::mkfifo((place / "runs/small/metrics.jsonl").c_str(), 0600) == 0);
  CHECK(pinn_report(place, {"runs/small"}).code == 0);
  CHECK_THAT(read_file(place / "runs/small/report.html"), Contains(unmarked));
  std::filesystem::remove(place / "runs/small/metrics.jsonl");
  place.file("runs/small/metrics.jsonl",
             "{\"step\":5,\"stage\":\"first\",\"seconds\":1}\n"
             "{\"step\":10,\"stage\":\"<b>second\",\"seconds\":2}\n");
  CHECK(pinn_report(place, {"runs/small"}).code == 0);
  CHECK_THAT(read_file(place / "runs/small/report.html"), Contains("stage &lt;b&gt;second"));
}

TEST_CASE("what is no run, or a damaged one, has no page and says why", "[apps][report]") {
  const Trained place;
  CHECK_THAT(pinn_report(place, {"nowhere"}).err, Contains("there is no such folder"));
  std::filesystem::create_directory(place / "empty");
  CHECK_THAT(pinn_report(place, {"empty"}).err, Contains("holds no checkpoint"));
  for (const char* name : {"checkpoint.h5", "checkpoint.prev.h5"})
    if (std::filesystem::exists(place / "runs/small/" + name))
      std::filesystem::resize_file(place / "runs/small/" + name, 700);
  const Outcome run = pinn_report(place, {"runs/small"});
  CHECK((run.code == 1 || run.code == 5));
  CHECK_THAT(run.err, Contains("fix:"));
}
