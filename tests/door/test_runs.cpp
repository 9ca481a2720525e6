#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

#include "tests/catch.h"
#include "tests/door/opened.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A folder with a finished run of one coordinate.
struct Trained : Folder {
  Trained() {
    file("small.toml", small_problem);
    REQUIRE(pinn_train(*this, {"small.toml", "--quiet"}).code == 0);
  }
  RunHandle run() const { return loaded(*this / "runs/small"); }
};

std::vector<double> line(std::size_t count) {
  std::vector<double> x;
  for (std::size_t n = 0; n < count; ++n) x.push_back(-1 + 2 * double(n) / double(count - 1));
  return x;
}

/// The columns of a CSV file with a head, one after the other, but for the first.
std::vector<double> columns(const std::string& text) {
  std::vector<std::vector<double>> all;
  for (std::size_t at = text.find("\nx,") + 1; (at = text.find('\n', at)) != text.npos;) {
    const std::size_t end = std::min(text.find('\n', ++at), text.size());
    std::string row = text.substr(at, end - at);
    for (std::size_t k = 0; !row.empty(); ++k) {
      const std::string cell = row.substr(0, row.find(','));
      if (k >= all.size()) all.emplace_back();
      all[k].push_back(std::stod(cell));
      row.erase(0, std::min(row.size(), cell.size() + 1));
    }
  }
  std::vector<double> joined;
  for (std::size_t k = 1; k < all.size(); ++k)
    joined.insert(joined.end(), all[k].begin(), all[k].end());
  return joined;
}

}  // namespace

TEST_CASE("a run says its coordinates, fields, errors and facts by name", "[door]") {
  const Trained place;
  const RunHandle run = place.run();
  REQUIRE(pinn_count(run.get(), PINN_COORDINATES) == 1);
  CHECK(pinn_name(run.get(), PINN_COORDINATES, 0) == std::string("x"));
  double range[2] = {};
  pinn_range(run.get(), 0, range);
  CHECK(range[0] == -1);
  CHECK(range[1] == 1);
  REQUIRE(pinn_count(run.get(), PINN_FIELDS) == 1);
  CHECK(pinn_name(run.get(), PINN_FIELDS, 0) == std::string("u"));
  CHECK(number(run, PINN_FACTS, "steps") == 20);
  CHECK(number(run, PINN_FACTS, "held_out") > 0);
  CHECK(number(run, PINN_FACTS, "parameters") == 19);
  CHECK(pinn_name(run.get(), PINN_FIELDS, 1) == nullptr);
  CHECK(pinn_name(run.get(), 77, 0) == nullptr);
  CHECK(std::isnan(pinn_number(run.get(), PINN_FACTS, 77)));
  CHECK(pinn_count(run.get(), -1) == 0);
  CHECK_THAT(text(run, PINN_SOURCE), Contains("u_xx = -pi^2*sin(pi*x)"));
  CHECK_THAT(text(run, PINN_STATUS), Contains("all 1 stages done") || Contains("its one stage"));
  CHECK_THAT(text(run, PINN_REPORT),
             StartsWith("<!doctype html>") || StartsWith("<!DOCTYPE html>"));
}

TEST_CASE("the errors of a run are those that it tells of its result", "[door]") {
  const Folder place;
  place.file("small.toml", small_problem);
  const Outcome told = pinn_train(
      place, {"small.toml", "--quiet", "--set", "stage.1.steps=200", "--set", "stage.1.rate=1e30"});
  REQUIRE(told.code == 0);
  CHECK_THAT(told.out, Contains("the result is the network of step 0"));
  constexpr const char* before = "error: u ";
  const double error = std::stod(told.out.substr(told.out.find(before) + std::strlen(before)));
  CHECK(number(loaded(place / "runs/small"), PINN_ERRORS, "u") == Approx(error).epsilon(0.01));
}

namespace {

/// Puts this in the place of what a finished run wrote of its errors.
void write_trust(const Folder& place, const std::string& trust) {
  std::string status = read_file(place / "runs/small/status.json");
  const std::size_t begin = status.find("\"trust\":"), end = status.find(",\"warnings\"");
  REQUIRE((begin != status.npos && end != status.npos));
  place.file("runs/small/status.json", status.replace(begin, end - begin, "\"trust\":" + trust));
}

}  // namespace

TEST_CASE("a run says what it estimates its errors to be, and which are bounds", "[door]") {
  const Trained place;
  const RunHandle own = place.run();
  REQUIRE(pinn_count(own.get(), PINN_ESTIMATED_ERRORS) == 1);
  CHECK(pinn_name(own.get(), PINN_ESTIMATED_ERRORS, 0) == std::string("u"));
  CHECK(number(own, PINN_ESTIMATED_ERRORS, "u") > 0);
  CHECK(pinn_estimate(own.get(), 0, PINN_RELATIVE) == number(own, PINN_ESTIMATED_ERRORS, "u"));
  CHECK(pinn_estimate(own.get(), 0, PINN_EXPLAINED) <= 1);
  CHECK(text(own, PINN_NO_ESTIMATES).empty());
  CHECK(text(own, PINN_NO_STANDARD_ERRORS) == "there are no unknowns");
  write_trust(place, R"({"estimated_errors":{"u":{"relative":2e-3,"explained":0.5,"at_least":true,)"
                     R"("absolute":0.25},"v":{"relative":null,"explained":1,"absolute":3e-9}},)"
                     R"("standard_errors":{"k":0.125,"c":null}})");
  const RunHandle run = place.run();
  REQUIRE(pinn_count(run.get(), PINN_ESTIMATED_ERRORS) == 2);
  CHECK(pinn_estimate(run.get(), 0, PINN_RELATIVE) == 2e-3);
  CHECK(pinn_estimate(run.get(), 0, PINN_ABSOLUTE) == 0.25);
  CHECK(pinn_estimate(run.get(), 0, PINN_EXPLAINED) == 0.5);
  CHECK(pinn_estimate(run.get(), 0, PINN_AT_LEAST) == 1);
  CHECK(std::isnan(pinn_estimate(run.get(), 1, PINN_RELATIVE)));
  CHECK(pinn_estimate(run.get(), 1, PINN_ABSOLUTE) == 3e-9);
  CHECK(pinn_estimate(run.get(), 1, PINN_AT_LEAST) == 0);
  CHECK(number(run, PINN_STANDARD_ERRORS, "k") == 0.125);
  CHECK(pinn_name(run.get(), PINN_STANDARD_ERRORS, 1) == std::string("c"));
  CHECK(std::isnan(number(run, PINN_STANDARD_ERRORS, "c")));
  CHECK(text(run, PINN_NO_STANDARD_ERRORS).empty());
  for (const int part : {-1, 4}) CHECK(std::isnan(pinn_estimate(run.get(), 0, part)));
  CHECK(std::isnan(pinn_estimate(run.get(), 2, PINN_RELATIVE)));
  CHECK(std::isnan(pinn_estimate(nullptr, 0, PINN_RELATIVE)));
}

TEST_CASE("a run without estimated errors says why", "[door]") {
  const Trained place;
  write_trust(place, R"({"no_estimated_errors":"the file asks for data alone"})");
  const RunHandle told = place.run();
  CHECK(pinn_count(told.get(), PINN_ESTIMATED_ERRORS) == 0);
  CHECK(text(told, PINN_NO_ESTIMATES) == "the file asks for data alone");
  std::filesystem::remove(place / "runs/small/status.json");
  CHECK(text(place.run(), PINN_NO_ESTIMATES) == "there is no status.json in the folder");
}

TEST_CASE("the history of a run is that of its checkpoint", "[door]") {
  const Trained place;
  const RunHandle run = place.run();
  REQUIRE(pinn_name(run.get(), PINN_HISTORY, 0) == std::string("loss"));
  const std::size_t count = pinn_history(run.get(), 0, 0, nullptr, nullptr);
  REQUIRE(count >= 2);
  std::vector<std::int64_t> steps(count);
  std::vector<double> loss(count);
  CHECK(pinn_history(run.get(), 0, count, steps.data(), loss.data()) == count);
  CHECK(steps.back() == 20);
  CHECK(loss.back() < loss.front());
  CHECK(loss.back() == pinn_number(run.get(), PINN_HISTORY, 0));
  CHECK(pinn_history(run.get(), 1000, 0, nullptr, nullptr) == 0);
}

TEST_CASE("the library evaluates what pinn-export writes", "[door]") {
  const Trained place;
  std::string probes = "x\n";
  const std::vector<double> x = line(33);
  for (const double at : x) probes += fmt::format("{}\n", at);
  place.file("probes.csv", probes);
  const std::string list = "u,u_x,residual,u^2+x";
  REQUIRE(
      pinn_export(place, {"runs/small", "--on", "probes.csv", "--fields", list, "-o", "probed.csv"})
          .code == 0);
  const FormulasHandle formulas = compiled(place.run(), list);
  REQUIRE(pinn_formula_count(formulas.get()) == 4);
  CHECK(pinn_formula_name(formulas.get(), 2) == std::string("residual_poisson"));
  CHECK(pinn_formula_name(formulas.get(), 4) == nullptr);
  CHECK(values(formulas, x, x.size()) == columns(read_file(place / "probed.csv")));
}

TEST_CASE("values do not depend on threads, on batches or on who asks besides", "[door]") {
  const Trained place;
  const RunHandle run = place.run();
  const std::size_t count = 70001;  // more than are evaluated at once
  const std::vector<double> x = line(count);
  const std::string list = "u, u_x, u_xx";
  const std::vector<double> alone = values(compiled(run, list), x, count);
  CHECK(values(compiled(run, list, 4), x, count) == alone);
  CHECK(values(compiled(run, list, 0), x, count) == alone);
  const FormulasHandle one = compiled(run, list);
  for (const std::size_t n : {std::size_t(0), std::size_t(65536), count - 1}) {
    const std::vector<double> single = values(one, {x[n]}, 1);
    for (std::size_t k = 0; k < 3; ++k) CHECK(single[k] == alone[k * count + n]);
  }
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)  // two on one handle, two on their own
    threads.emplace_back([&, i] {
      found[i].resize(3 * count);
      if (i < 2) {
        pinn_evaluate(one.get(), count, x.data(), found[i].data(), nullptr);
        return;
      }
      pinn_formulas* own = nullptr;
      if (pinn_compile(run.get(), list.c_str(), 2, &own, nullptr) == PINN_DONE)
        pinn_evaluate(own, count, x.data(), found[i].data(), nullptr);
      pinn_release(own);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<double>& each : found) CHECK(each == alone);
}

TEST_CASE("formulas outlive their run, and handles that are null do no harm", "[door]") {
  const Trained place;
  RunHandle run = place.run();
  const FormulasHandle formulas = compiled(run, "u");
  const std::vector<double> before = values(formulas, {0.25}, 1);
  run.reset();
  CHECK(values(formulas, {0.25}, 1) == before);
  CHECK(values(formulas, {}, 0).empty());
  CHECK(std::isnan(values(formulas, {NAN}, 1)[0]));
  pinn_close(nullptr);
  pinn_release(nullptr);
  pinn_free(nullptr);
  CHECK(pinn_count(nullptr, PINN_FIELDS) == 0);
  CHECK(pinn_formula_count(nullptr) == 0);
  double range[2] = {};
  pinn_range(nullptr, 0, range);
  CHECK(std::isnan(range[0]));
}

TEST_CASE("errors are texts with a place and a mend, and outputs are left alone", "[door]") {
  const Trained place;
  const RunHandle run = place.run();
  pinn_run* none = nullptr;
  Answer answer = asked([&](char** e) { return pinn_load("/nowhere", &none, e); });
  CHECK(answer.code == PINN_WRONG_INPUT);
  CHECK_THAT(answer.error, Contains("no such folder") && Contains("fix:"));
  CHECK(none == nullptr);
  CHECK(pinn_load("/nowhere", &none, nullptr) == PINN_WRONG_INPUT);
  CHECK(pinn_load(nullptr, &none, nullptr) == PINN_WRONG_USAGE);
  CHECK(pinn_load("/nowhere", nullptr, nullptr) == PINN_WRONG_USAGE);

  pinn_formulas* formulas = nullptr;
  const auto compile = [&](const char* list, int threads) {
    return asked([&](char** e) { return pinn_compile(run.get(), list, threads, &formulas, e); });
  };
  answer = compile("u, v_x", 1);
  CHECK(answer.code == PINN_WRONG_INPUT);
  CHECK_THAT(answer.error, Contains("formulas") && Contains("v"));
  CHECK(compile("u, u", 1).code == PINN_WRONG_INPUT);
  CHECK(compile("", 1).code == PINN_DONE);  // those of the file
  pinn_release(formulas);
  formulas = nullptr;
  CHECK(compile("n_x", 1).code == PINN_WRONG_INPUT);
  CHECK(compile("u", -1).code == PINN_WRONG_USAGE);
  CHECK(compile("u", 100000).code == PINN_WRONG_USAGE);
  CHECK(compile(nullptr, 1).code == PINN_WRONG_USAGE);
  CHECK(formulas == nullptr);
  double value = 7;
  CHECK(pinn_evaluate(nullptr, 1, &value, &value, nullptr) == PINN_WRONG_USAGE);
  CHECK(value == 7);
  char* text = nullptr;
  CHECK(pinn_text(run.get(), 99, &text, nullptr) == PINN_WRONG_USAGE);
  CHECK(text == nullptr);
}

TEST_CASE("a number of points that no memory holds is wrong usage", "[door]") {
  const Trained place;
  const RunHandle run = place.run();
  pinn_formulas* compiled = nullptr;
  char* error = nullptr;
  REQUIRE(pinn_compile(run.get(), "u", 1, &compiled, &error) == PINN_DONE);
  double x = 0, value = 7;
  for (const size_t count : {size_t(-1), size_t(-1) / 8, size_t(1) << 63}) {
    CHECK(pinn_evaluate(compiled, count, &x, &value, &error) == PINN_WRONG_USAGE);
    REQUIRE(error);
    CHECK_THAT(error, Contains("'count' is") && Contains("no memory holds"));
    pinn_free(error);
    error = nullptr;
  }
  CHECK(value == 7);
  CHECK(pinn_evaluate(compiled, 1, &x, &value, &error) == PINN_DONE);
  pinn_release(compiled);
}

TEST_CASE("a damaged run is refused with its file, and the one before it taken", "[door]") {
  const Trained place;
  const std::string good = place / "runs/small/checkpoint.h5";
  std::string bytes = read_file(good);
  place.file("runs/small/checkpoint.prev.h5", bytes);
  bytes[bytes.size() / 2] = char(bytes[bytes.size() / 2] + 1);
  place.file("runs/small/checkpoint.h5", bytes);
  const RunHandle run = place.run();
  CHECK_THAT(text(run, PINN_NOTES), Contains("checkpoint.h5"));
  place.file("runs/small/checkpoint.prev.h5", bytes);
  pinn_run* none = nullptr;
  const Answer answer =
      asked([&](char** e) { return pinn_load((place / "runs/small").c_str(), &none, e); });
  CHECK(answer.code == PINN_FILE_FAILED);
  CHECK_THAT(answer.error, Contains("checkpoint"));
}
