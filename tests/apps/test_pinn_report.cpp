// The page of a run, as a file.
#include <sys/stat.h>

#include <cstring>
#include <regex>
#include <utility>

#include "tests/apps/forge.h"
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

/// A number of a page: what stands before its name.
double tile(const std::string& page, const std::string& name) {
  const std::size_t end = page.find("</b><span>" + name);
  REQUIRE(end != page.npos);
  const std::size_t begin = page.rfind("<b>", end) + 3;
  return std::stod(page.substr(begin, end - begin));
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

TEST_CASE("a page tells the errors of the network that is the result, as the run does",
          "[apps][report]") {
  const Folder place;
  place.file("small.toml", small_problem);
  for (const auto& [out, rate] : {std::pair("runs/small", "1e30"), std::pair("runs/b", "1e-3")}) {
    const Outcome run =
        pinn_train(place, {"small.toml", "--quiet", "--out", out, "--set",
                           std::string("stage.descent.rate=") + rate, "--set",
                           "stage.descent.steps=200", "--set", "reference.error={ u = 10 }"});
    REQUIRE(run.code == 0);
    constexpr const char* told = "error: u ";
    const double error = std::stod(run.out.substr(run.out.find(told) + std::strlen(told)));
    const std::string page = read_file(place / out + std::string("/report.html"));
    CHECK(tile(page, "relative L2 error of u, promised 10") == Approx(error).epsilon(0.01));
    CHECK_THAT(page, !Contains("class=\"tile bad\""));
    if (rate == std::string("1e30")) CHECK_THAT(page, Contains("the network of step 0"));
    CHECK(pinn_report(place, {"runs/small", out, "-o", "both.html"}).code == 0);
    const std::string both = read_file(place / "both.html");
    const std::size_t row = both.find("<th>error of u</th>"), last = both.find("</tr>", row);
    CHECK(std::stod(both.substr(both.rfind("<td>", last) + 4)) == Approx(error).epsilon(0.01));
  }
}

namespace {

/// Puts this in the place of what the run in `folder` wrote of its errors.
void write_trust(const Folder& place, const std::string& folder, const std::string& trust) {
  std::string status = read_file(place / (folder + "/status.json"));
  const std::size_t begin = status.find("\"trust\":"), end = status.find(",\"warnings\"");
  REQUIRE((begin != status.npos && end != status.npos));
  status.replace(begin, end - begin, "\"trust\":" + trust);
  place.file(folder + "/status.json", status);
}

}  // namespace

TEST_CASE("a page has a tile for each estimated error, and says which are bounds",
          "[apps][report]") {
  const Trained place("runs/a");
  CHECK_THAT(read_file(place / "runs/a/report.html"),
             Contains("</b><span>estimated relative L2 error of u</span>"));
  place.train("runs/b", "7");
  write_trust(place, "runs/a",
              R"({"estimated_errors":{"u":{"relative":3.2e-5,"explained":0.9,"at_least":false},)"
              R"("<v>":{"relative":1.9e-3,"explained":0.9,"at_least":true},)"
              R"("w":{"relative":null,"explained":0.9,"at_least":false,"absolute":2e-7}}})");
  REQUIRE(pinn_report(place, {"runs/a"}).code == 0);
  const std::string page = read_file(place / "runs/a/report.html");
  CHECK_THAT(page,
             Contains("<b>about 3·10⁻⁵</b><span>estimated relative L2 error of u<") &&
                 Contains("<b>at least 0.001</b><span>estimated relative L2 error of &lt;v&gt;<") &&
                 Contains("<b>about 2·10⁻⁷, absolute</b><span>estimated error of w<"));
  CHECK_THAT(page, !Contains("no estimated error") && !Contains("no standard errors"));
  REQUIRE(pinn_report(place, {"runs/a", "runs/b", "-o", "both.html"}).code == 0);
  const std::string both = read_file(place / "both.html");
  CHECK_THAT(both, Contains("<tr><th>estimated error of u</th><td>about 3·10⁻⁵</td><td>"));
  CHECK_THAT(both, Contains("<th>estimated error of w</th><td>about 2·10⁻⁷, absolute</td><td>–<"));
}

TEST_CASE("a page without estimated errors says why", "[apps][report]") {
  const Trained place;
  write_trust(place, "runs/small", R"({"no_estimated_errors":"a < b"})");
  REQUIRE(pinn_report(place, {"runs/small"}).code == 0);
  CHECK_THAT(read_file(place / "runs/small/report.html"),
             Contains("<p class=\"under\">no estimated error: a &lt; b</p>") &&
                 !Contains("no standard errors"));
}

TEST_CASE("a page has the scatter of what was found beside it, or says why not", "[apps][report]") {
  const Folder place;
  std::string problem = small_problem;
  const std::string fields = "fields      = [\"u\"]\n";
  problem.insert(problem.find(fields) + fields.size(), "unknowns = { k = 2.0 }\n");
  problem.replace(problem.find("-pi^2*sin"), 9, "-k*sin");
  place.file("inverse.toml", problem);
  REQUIRE(pinn_train(place, {"inverse.toml", "--quiet", "--out", "run"}).code == 0);
  CHECK_THAT(read_file(place / "run/report.html"),
             Contains("<p class=\"under\">no standard errors: there are no [[data]], whose noise "
                      "they are of</p>"));
  write_trust(place, "run", R"({"standard_errors":{"k":5.8e-6}})");
  REQUIRE(pinn_report(place, {"run"}).code == 0);
  CHECK_THAT(read_file(place / "run/report.html"), Contains(" ± 5.8·10⁻⁶</b><span>k</span>"));
  write_trust(place, "run", R"({"standard_errors":{"k":null}})");
  REQUIRE(pinn_report(place, {"run"}).code == 0);
  CHECK_THAT(read_file(place / "run/report.html"),
             Contains(", left open by the loss</b><span>k</span>"));
}

TEST_CASE("a page of an older program's run has the errors of the step of its result",
          "[apps][report]") {
  const Trained place;
  const std::string file = place / "runs/small/checkpoint.h5", checkpoint = place / "true.h5";
  std::filesystem::copy_file(file, checkpoint);
  const std::string name = "relative L2 error of u";
  const double error = tile(read_file(place / "runs/small/report.html"), name);
  const std::string image = content_of(checkpoint);
  reseal(file, checkpoint, forged(image, {"/best/errors", "", "missing"}));
  REQUIRE(pinn_report(place, {"runs/small"}).code == 0);
  CHECK(tile(read_file(place / "runs/small/report.html"), name) == error);
}

TEST_CASE("inverse runs stand side by side with what they found, and how they came to it",
          "[apps][report]") {
  const Folder place;
  std::string problem = small_problem;
  const std::string fields = "fields      = [\"u\"]\n", grid = "grid = { x = 11 }\n";
  problem.insert(problem.find(fields) + fields.size(), "unknowns = { k = 2.0 }\n");
  problem.replace(problem.find("-pi^2*sin"), 9, "-k*sin");
  problem.insert(problem.find(grid) + grid.size(),
                 "[output.values]\nmiddle = { value = \"at(u, x = 0)\" }\n");
  place.file("inverse.toml", problem);
  for (const char* seed : {"0", "7"})
    REQUIRE(pinn_train(place, {"inverse.toml", "--quiet", "--out", std::string("runs/") + seed,
                               "--set", std::string("run.seed=") + seed})
                .code == 0);
  REQUIRE(pinn_report(place, {"runs/0", "runs/7", "-o", "both.html"}).code == 0);
  const std::string page = read_file(place / "both.html");
  const std::string table = page.substr(0, page.find("<article>"));
  for (const char* name : {"k", "middle"}) {
    const std::string row = std::string("<th>") + name + "</th><td>";
    REQUIRE(count(table, row) == 1);
    const double found = std::stod(table.substr(table.find(row) + row.size()));
    CHECK(found == Approx(tile(read_file(place / "runs/0/report.html"), name)));
  }
  CHECK(count(table, "<figcaption>The unknown k<") == 1);
  CHECK(count(table, "<figcaption>The value middle<") == 1);
  CHECK_THAT(table, Contains("<th>run.seed</th>") && !Contains("fourier"));
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

TEST_CASE("a name of nothing is refused, and so is a folder that a file is in the way of",
          "[apps][report][errors]") {
  const Trained place;
  std::filesystem::remove(place / "runs/small/report.html");
  const auto refused = [&](const std::vector<std::string>& arguments) {
    const Outcome run = pinn_report(place, arguments);
    CHECK(run.code == 2);
    CHECK(run.err.starts_with("error: "));
    CHECK_THAT(run.err, Contains("\n  fix:   "));
    return run.err;
  };
  CHECK_THAT(refused({}), Contains("no run was named"));
  CHECK_THAT(refused({"--serve"}), Contains("no run was named"));
  CHECK_THAT(refused({"runs/small", "-o", ""}), Contains("-o names no file"));
  CHECK_THAT(refused({"runs/small", "--pictures", ""}), Contains("--pictures names no folder"));
  const Outcome run = pinn_report(place, {"runs/small", "--pictures", "small.toml"});
  CHECK(run.code == 5);
  CHECK_THAT(run.err, Contains("cannot make the folder") && Contains("small.toml"));
  CHECK_FALSE(std::filesystem::exists(place / "runs/small/report.html"));
}

TEST_CASE("a page of Burgers' equation is no larger than three megabytes", "[apps][report]") {
  const Folder place;
  REQUIRE(
      pinn_train(place, {PINN_SOURCE_DIR "/configs/burgers.toml", "--quiet", "--out", "run",
                         "--threads", "1", "--set", "stage.1.steps=2", "--set", "stage.2.steps=2"})
          .code == 0);
  CHECK(std::filesystem::file_size(place / "run/report.html") > 100'000);
  CHECK(std::filesystem::file_size(place / "run/report.html") <= 3'000'000);
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
             "{\"step\":10,\"stage\":\"first\",\"seconds\":1}\n"
             "{\"step\":20,\"stage\":\"<b>second\",\"seconds\":2}\n");
  CHECK(pinn_report(place, {"runs/small"}).code == 0);
  CHECK_THAT(read_file(place / "runs/small/report.html"), Contains("stage &lt;b&gt;second"));
}

TEST_CASE("what is no run, or a damaged one, has no page and says why", "[apps][report]") {
  const Trained place;
  CHECK_THAT(pinn_report(place, {"nowhere"}).err, Contains("there is no such folder"));
  std::filesystem::create_directory(place / "empty");
  CHECK_THAT(pinn_report(place, {"empty"}).err,
             Contains("holds no checkpoint") && Contains("fix:   train first"));
  CHECK_THAT(pinn_report(place, {"runs"}).err,
             Contains("holds no checkpoint") &&
                 Contains("fix:   name one of the runs in it, or several: runs/small\n"));
  for (const char* name : {"checkpoint.h5", "checkpoint.prev.h5"})
    if (std::filesystem::exists(place / "runs/small/" + name))
      std::filesystem::resize_file(place / "runs/small/" + name, 700);
  const Outcome run = pinn_report(place, {"runs/small"});
  CHECK((run.code == 1 || run.code == 5));
  CHECK_THAT(run.err, Contains("fix:"));
}
