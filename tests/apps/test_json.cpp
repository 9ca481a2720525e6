// JSON that programs print for others, read by another reader than ours where there is one.
#include <cstdlib>
#include <fstream>

#include "solvers/records/logs/json_text.h"
#include "tests/apps/forge.h"
#include "tests/apps/program.h"
#include "tests/catch.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// True if Python reads a text as JSON.
bool is_json(const Folder& folder, const std::string& text) {
  if (std::system("python3 -c pass 2>/dev/null") != 0) {
    skips("there is no python3 to read JSON with");
    return true;
  }
  folder.file("printed.json", text);
  return std::system(
             ("python3 -m json.tool " + (folder / "printed.json") + " >/dev/null").c_str()) == 0;
}

std::vector<std::string> listed(std::string_view list) {
  std::vector<std::string> all;
  each_json_value(list, [&](std::string_view value) {
    all.emplace_back(value);
    return true;
  });
  return all;
}

}  // namespace

TEST_CASE("a checked file is data: what is asked, with its places, and the plan", "[apps]") {
  const Folder place;
  place.file("small.toml", small_problem);
  const Outcome run = pinn_train(place, {"small.toml", "--check", "--json"});
  REQUIRE(run.code == 0);
  CHECK(is_json(place, run.out));
  CHECK(json_entry(run.out, "errors") == "[]");
  CHECK(json_text(json_entry(run.out, "name")) == "small");
  const auto asked = listed(json_entry(run.out, "requirements"));
  REQUIRE_FALSE(asked.empty());
  CHECK(json_text(json_entry(asked[0], "kind")) == "equation");
  const auto line = std::size_t(json_number(json_entry(asked[0], "line")));
  REQUIRE(line > 0);
  std::istringstream lines(small_problem);
  std::string text;
  for (std::size_t i = 0; i < line; ++i) std::getline(lines, text);
  CHECK_THAT(text, Contains("equation"));
  CHECK(json_text(json_entry(run.out, "plan")) == pinn_train(place, {"small.toml", "--check"}).out);
  CHECK(json_number(json_entry(run.out, "parameters")) > 0);
  CHECK_FALSE(std::filesystem::exists(place / "runs"));
}

TEST_CASE("a checked file counts the points that are drawn, not those asked for", "[apps]") {
  const Folder place;
  place.file("one.toml",
             "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\n[[equation]]\n"
             "residual = \"u_x = u\"\npoints = 40\n[[condition]]\non = \"x = 0\"\n"
             "residual = \"u = 1\"\npoints = 30\n[[condition]]\n"
             "residual = \"integral(u) = 1.7\"\nquadrature = 20\n[network]\nlayers = [4]\n"
             "[[stage]]\noptimizer = \"adam\"\nsteps = 1\n");
  const Outcome run = pinn_train(place, {"one.toml", "--check", "--json"});
  INFO(run.out);
  REQUIRE(run.code == 0);
  std::vector<double> points;
  for (const std::string& one : listed(json_entry(run.out, "requirements")))
    points.push_back(json_number(json_entry(one, "points")));
  CHECK(points == std::vector<double>{40, 1, 20});
}

TEST_CASE("mistakes of a file are data with their places", "[apps]") {
  const Folder place;
  place.file("wrong.toml",
             "[problem]\ncoordinates = { x = [0, 1] }\nfields = [\"u\"]\n[[equation]]\n"
             "residual = \"u_xx = v\\\"\"\npoint = 3\n");
  const Outcome run = pinn_train(place, {"wrong.toml", "--check", "--json"});
  CHECK(run.code == 1);
  CHECK(run.err.empty());
  CHECK(is_json(place, run.out));
  const auto errors = listed(json_entry(run.out, "errors"));
  REQUIRE(errors.size() >= 2);
  std::vector<double> lines;
  for (const std::string& e : errors) {
    CHECK_FALSE(json_text(json_entry(e, "what")).empty());
    CHECK(json_text(json_entry(e, "file")) == "wrong.toml");
    lines.push_back(json_number(json_entry(e, "line")));
  }
  CHECK(std::ranges::count(lines, 5.0) > 0);
  CHECK(std::ranges::count(lines, 6.0) > 0);
  CHECK(pinn_train(place, {"wrong.toml", "--json"}).code == 2);
}

TEST_CASE("a report is data: what the run came to, with its errors and its course",
          "[apps][report]") {
  const Folder place;
  place.file("small.toml", small_problem);
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  const auto report = [&](const std::vector<std::string>& arguments) {
    return Program("pinn-report", arguments, place.path).wait();
  };
  const Outcome run = report({"runs/small", "--json"});
  REQUIRE(run.code == 0);
  CHECK(is_json(place, run.out));
  const auto runs = listed(json_entry(run.out, "runs"));
  REQUIRE(runs.size() == 1);
  CHECK(json_number(json_entry(runs[0], "done")) == 1);
  const auto estimates = listed(json_entry(runs[0], "estimated_errors"));
  CHECK(estimates.empty() == !json_entry(runs[0], "no_estimated_errors").empty());
  const auto errors = listed(json_entry(runs[0], "reference_errors"));
  REQUIRE_FALSE(errors.empty());
  CHECK(json_text(json_entry(errors[0], "name")) == "u");
  const std::string_view history = json_entry(runs[0], "history");
  const auto losses = listed(json_entry(json_entry(history, "columns"), "loss"));
  CHECK(losses.size() == listed(json_entry(history, "steps")).size());
  CHECK(losses.size() > 1);
  CHECK(listed(json_entry(report({"runs/small", "runs/small", "--json"}).out, "runs")).size() == 2);
  CHECK(report({"runs/small", "--json", "-o", "page.html"}).code == 2);
}
