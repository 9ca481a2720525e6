#include <fmt/format.h>

#include <cmath>

#include "solvers/watch/summary.h"
#include "tests/catch.h"

using namespace pinn;

namespace {

TrainResult some_result() {
  TrainResult result;
  result.folder = "runs/a";
  result.page = "runs/a/report.html";
  result.files = {"runs/a/fields.h5", "runs/a/fields.xdmf"};
  result.loss = 3.21e-8;
  TermResult heat;
  heat.name = "heat";
  heat.held_out = 3e-8;
  heat.training = 2e-8;
  result.terms = {heat};
  return result;
}

EstimatedError estimated(const std::string& field, double relative) {
  EstimatedError e;
  e.field = field;
  e.relative = relative;
  e.explained = 0.97;
  return e;
}

Distance off_by(const std::string& name, double l2) {
  Distance d;
  d.name = name;
  d.l2 = l2;
  return d;
}

}  // namespace

TEST_CASE("a run closes with its error, what speaks for it, and where to look", "[train]") {
  TrainResult result = some_result();
  result.trust.estimates.fields = {estimated("u", 2.6e-5), estimated("v", 3e-6)};
  CHECK(closing(result) ==
        "error: u about 2.6e-05, v about 3.0e-06 (relative L2, estimated)\n"
        "trust: it accounts for 97 % of the residual; held-out residual 3.2e-08, 1.5 times what "
        "training saw\n"
        "look:  runs/a/report.html; beside it fields.h5, fields.xdmf\n");

  result.errors = {off_by("u", 2.51e-5), off_by("v", std::nan(""))};
  result.errors[1].where = "x = 0";
  result.page.clear();
  CHECK(closing(result) ==
        "error: u 2.51e-05, v no finite number at x = 0 (relative L2, against the reference)\n"
        "trust: estimated u about 2.6e-05, v about 3.0e-06, it accounts for 97 % of the residual; "
        "held-out residual 3.2e-08, 1.5 times what training saw\n"
        "look:  runs/a: fields.h5, fields.xdmf\n");
}

TEST_CASE("a run without a number for its error closes with the reason", "[train]") {
  TrainResult result = some_result();
  result.trust.estimates.absent = "the fields are in windows";
  CHECK_THAT(closing(result), Catch::Contains("error: not estimated: the fields are in windows\n"
                                              "trust: held-out residual 3.2e-08"));
  result.trust.estimates = {.fields = {estimated("u", 2e-5)}};
  result.trust.estimates.fields[0].at_least = true;
  result.trust.estimates.fields[0].why = "a condition may be missing";
  CHECK_THAT(closing(result),
             Catch::Contains("error: u at least 2.0e-05 (relative L2, estimated)\n"
                             "trust: no number, for a condition may be missing; held-out"));
}

TEST_CASE("of many estimates a bound is the worst, whatever its size, and a field of 0 the best",
          "[train]") {
  TrainResult result = some_result();
  for (int i = 0; i < 6; ++i)
    result.trust.estimates.fields.push_back(estimated(fmt::format("c{}", i), 1e-3 * (i + 1)));
  result.trust.estimates.fields[5].zero = true;
  CHECK_THAT(closing(result), Catch::Contains("error: the worst of 6: c4 about 5.0e-03 ("));
  result.trust.estimates.fields[1].at_least = true;
  CHECK_THAT(closing(result), Catch::Contains("error: the worst of 6: c1 at least 2.0e-03 ("));
}

TEST_CASE("of several windows a run closes with the residual of the last, and says so", "[train]") {
  TrainResult result = some_result();
  result.windows.resize(2);
  CHECK_THAT(closing(result), Catch::Contains("held-out residual of the last window 3.2e-08"));
}

TEST_CASE("a run that misses nothing where it trained closes with that", "[train]") {
  TrainResult result = some_result();
  result.terms[0].training = 0;
  CHECK_THAT(closing(result),
             Catch::Contains("held-out residual 3.2e-08, and none where training saw it\n"));
}

TEST_CASE("of many fields a run closes with the worst, and of what it found with all", "[train]") {
  TrainResult result = some_result();
  for (int i = 1; i <= 20; ++i) result.errors.push_back(off_by(fmt::format("c[{}]", i), 1e-7 * i));
  for (int k = 1; k <= 6; ++k) result.unknowns.emplace_back(fmt::format("k{}", k), k);
  const std::string said = closing(result);
  CHECK_THAT(said, Catch::Contains("error: the worst of 20: c[20] 2.00e-06 (relative L2, against"));
  for (int k = 1; k <= 6; ++k) CHECK_THAT(said, Catch::Contains(fmt::format("k{0} = {0}", k)));
}
