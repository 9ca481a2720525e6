#include "solvers/records/checkpoints/recorded_trust.h"

#include <fmt/format.h>

#include "solvers/trust/trust_of.h"
#include "solvers/watch/summary.h"
#include "tests/catch.h"
#include "tests/solvers/train/runs.h"
#include "tests/solvers/train/states.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// A status.json of the run that `some_checkpoint` is of.
std::string done_with(const std::string& trust, int step = 1200) {
  return fmt::format(R"({{"state":"done","step":{},"trust":{}}})", step, trust);
}

constexpr const char* all_of_it =
    R"({"estimated_errors":{"u":{"relative":3.2e-5,"explained":0.97,"at_least":false,"absolute":1.2e-5},)"
    R"("v":{"relative":1.9e-3,"explained":0.2,"at_least":true,"absolute":0.4},)"
    R"("w":{"relative":null,"explained":0.9,"at_least":false,"absolute":2e-7}},)"
    R"("standard_errors":{"nu":5.8e-6,"k":null}})";

}  // namespace

TEST_CASE("what a run found of its errors is read back as it was written", "[train][trust]") {
  Trust trust;
  trust.estimates.fields.resize(2);
  trust.estimates.fields[0].field = "u";
  trust.estimates.fields[0].relative = 1.25e-3;
  trust.estimates.fields[0].explained = 0.75;
  trust.estimates.fields[1].field = "a \"b\"\\";
  trust.estimates.fields[1].relative = NAN;
  trust.unknowns = {.names = {"nu", "k"}, .values = {0.25, NAN}};
  const RecordedTrust found =
      recorded_trust(done_with(trust_json(trust).text()), some_checkpoint());
  REQUIRE(found.estimates.size() == 2);
  CHECK(found.estimates[0].field == "u");
  CHECK(found.estimates[0].relative == 1.25e-3);
  CHECK(found.estimates[0].explained == 0.75);
  CHECK(found.estimates[1].field == "a \"b\"\\");
  CHECK(std::isnan(found.estimates[1].relative));
  REQUIRE(found.standard_errors.size() == 2);
  CHECK(found.standard_error("nu") == 0.25);
  CHECK(std::isnan(found.standard_error("k").value()));
  CHECK_FALSE(found.standard_error("z").has_value());
  CHECK(found.no_estimates.empty());
  CHECK(found.no_standard_errors.empty());
}

TEST_CASE("reasons for what a run could not find are read back", "[train][trust]") {
  Trust trust;
  trust.estimates.absent = "not \"yet\"";
  trust.unknowns.absent = "too many";
  const RecordedTrust found =
      recorded_trust(done_with(trust_json(trust).text()), some_checkpoint());
  CHECK(found.no_estimates == "not \"yet\"");
  CHECK(found.no_standard_errors == "too many");
}

TEST_CASE("a number is about so large, a bound is at least so large, and 0 has no relative error",
          "[train][trust]") {
  const RecordedTrust found = trust_in(done_with(all_of_it));
  REQUIRE(found.estimates.size() == 3);
  CHECK(found.estimates[0].text() == "about 3e-05");
  CHECK(found.estimates[1].text() == "at least 1e-03");
  CHECK(found.estimates[2].text() == "about 2e-07, absolute");
  CHECK(RecordedEstimate{.field = "u"}.text() == "not known");
  const auto old =
      trust_in(done_with(R"({"estimated_errors":{"u":{"relative":4e-4,"explained":1}}})"));
  CHECK(old.estimates.at(0).text() == "about 4e-04");
}

TEST_CASE("one digit is the nearest, and of a bound never above it", "[train][trust]") {
  for (double value = 1.01e-12; value < 50; value *= 1.037) {
    INFO(value);
    const double near = RecordedEstimate{.field = "u", .relative = value}.rounded();
    const double below =
        RecordedEstimate{.field = "u", .relative = value, .at_least = true}.rounded();
    CHECK(std::fabs(near / value - 1) < 0.34);
    CHECK(below <= value);
    CHECK(below > 0.5 * value);
    CHECK(std::stod(fmt::format("{:.0e}", below)) == below);
  }
}

TEST_CASE("a status that is of no finished run, or of another step, says nothing of a result",
          "[train][trust]") {
  const Checkpoint checkpoint = some_checkpoint();
  const std::pair<std::string, const char*> cases[] = {
      {"", "there is no status.json"},
      {R"({"state":"training","step":1200})", "the run is not done"},
      {R"({"state":"interrupted","step":1200,"trust":)" + std::string(all_of_it) + "}",
       "the run is not done"},
      {done_with(all_of_it, 1900), "status.json is of step 1900, the checkpoint of step 1200"},
      {done_with("{}"), "the run wrote down none, and no reason"}};
  for (const auto& [status, why] : cases) {
    INFO(status);
    const RecordedTrust found = recorded_trust(status, checkpoint);
    CHECK(found.estimates.empty());
    CHECK(found.standard_errors.empty());
    CHECK_THAT(found.no_estimates, Contains(why));
    CHECK_THAT(found.no_standard_errors, Contains(why));
  }
}

TEST_CASE("a run that shall not ask for its errors, or has no unknowns, says that",
          "[train][trust]") {
  Checkpoint checkpoint = some_checkpoint();
  checkpoint.record.effective["output.trust"] = "false";
  CHECK(recorded_trust(done_with("{}"), checkpoint).no_estimates == "[output] trust is false");
  checkpoint.unknowns.clear();
  CHECK(recorded_trust(done_with("{}"), checkpoint).no_standard_errors == "there are no unknowns");
}

TEST_CASE("the status of a run tells its estimated errors and standard errors, or why not",
          "[train][trust][folder]") {
  const Folder root;
  Checkpoint checkpoint = some_checkpoint();
  checkpoint.best_unknowns["k"] = 2;
  save_checkpoint(root.path, checkpoint);
  root.file("status.json", done_with(all_of_it));
  CHECK_THAT(status(root.path),
             Contains("error      of u: about 3e-05, relative L2 (estimated)\n") &&
                 Contains("error      of v: at least 1e-03, relative L2 (estimated)\n") &&
                 Contains("error      of w: about 2e-07, absolute (estimated)\n") &&
                 Contains("nu = 0.0124 +- 5.8e-06\n") &&
                 Contains("k = 2, which the loss leaves open\n"));
  root.file("status.json", R"({"state":"training","step":1200})");
  const std::string why = "the run is not done, and errors are estimated at its end\n";
  CHECK_THAT(status(root.path), Contains("error      not estimated: " + why) &&
                                    Contains("found      without standard errors: " + why));
}

TEST_CASE("a run trained to its end has written its estimated errors down for others",
          "[train][trust]") {
  const Folder root;
  const TrainResult result = train(poisson_run({stage("adam", 5)}), request(root / "one"));
  const RecordedTrust found = recorded_trust(read_file(root / "one/status.json"),
                                             *newest_checkpoint(root / "one").checkpoint);
  REQUIRE(result.trust.estimates.fields.size() == 1);
  REQUIRE(found.estimates.size() == 1);
  CHECK(found.estimates[0].relative == result.trust.estimates.fields[0].relative);
  CHECK(found.no_standard_errors == "there are no unknowns");
}
